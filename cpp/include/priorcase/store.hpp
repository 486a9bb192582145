// The rows, twice: as small codes in panels of 256 rows for the scan, and as exact cells for the measure.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "priorcase/aligned.hpp"
#include "priorcase/bins.hpp"

namespace priorcase {

inline constexpr std::size_t panel_rows = 256;

// A slot is a place in the store; an id names a row for ever.
class Store {
 public:
  static constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();

  // wide: a coded attribute with more values than codes keeps its exact code as a cell, as numbers do.
  Store(const std::vector<std::uint8_t>& coded, const std::vector<std::uint8_t>& wide) : wide_(wide) {
    for (std::size_t a = 0; a < coded.size(); ++a) {
      bins.emplace_back(coded[a] != 0);
      cell_of_.push_back(!coded[a] || wide[a] ? static_cast<int>(n_cells_++) : -1);
    }
  }

  std::size_t n_attributes() const { return bins.size(); }
  std::size_t n_slots() const { return id_of_slot_.size(); }
  std::size_t n_panels() const { return codes_.size() / (n_attributes() * panel_rows); }
  std::size_t n_alive() const { return alive_; }
  std::size_t n_dead() const { return dead_; }
  bool has_gaps() const { return has_gaps_; }
  int cell_of(std::size_t a) const { return cell_of_[a]; }

  const std::uint8_t* panel(std::size_t p) const { return codes_.data() + p * n_attributes() * panel_rows; }
  const double* cells(std::size_t slot) const { return cells_.data() + slot * n_cells_; }
  void prefetch(std::size_t slot) const {
    const char* row = reinterpret_cast<const char*>(cells(slot));
    for (std::size_t byte = 0; byte < n_cells_ * sizeof(double); byte += 64) __builtin_prefetch(row + byte);
  }
  std::uint32_t relative_id(std::size_t slot) const { return id_of_slot_[slot]; }
  bool is_alive(std::size_t slot) const { return id_of_slot_[slot] != nobody; }
  std::int64_t id(std::size_t slot) const { return first_id_ + id_of_slot_[slot]; }

  std::uint8_t code(std::size_t slot, std::size_t a) const {
    return panel(slot / panel_rows)[a * panel_rows + slot % panel_rows];
  }

  double value(std::size_t slot, std::size_t a) const {
    if (cell_of_[a] >= 0) return cells(slot)[cell_of_[a]];
    const std::uint8_t c = code(slot, a);
    return c == missing_code ? std::numeric_limits<double>::quiet_NaN() : c;
  }

  // True where the store can hold the row as it is laid out now.
  bool fits(const double* row) const {
    for (std::size_t a = 0; a < n_attributes(); ++a)
      if (cell_of_[a] < 0 && row[a] >= static_cast<double>(n_bins)) return false;
    return true;
  }

  void reserve(std::size_t rows) {
    codes_.reserve((rows + panel_rows - 1) / panel_rows * panel_rows * n_attributes());
    cells_.reserve(rows * n_cells_);
    id_of_slot_.reserve(rows);
  }

  void set_first_id(std::int64_t id) { first_id_ = id; }
  std::int64_t first_id() const { return first_id_; }

  // All memory is taken before anything is written, so that a failure leaves the store as it was.
  void append(std::int64_t id, const double* row) {
    const std::int64_t relative = id - first_id_;
    if (relative < 0 || relative >= static_cast<std::int64_t>(nobody)) throw std::out_of_range("row id out of range");
    const std::size_t slot = n_slots();
    if (slot_of_id_.size() <= static_cast<std::size_t>(relative)) slot_of_id_.resize(relative + 1, nobody);
    make_room(cells_, n_cells_);
    make_room(id_of_slot_, 1);
    if (slot % panel_rows == 0) codes_.resize(codes_.size() + n_attributes() * panel_rows, dead_code);
    std::uint8_t* panel = codes_.data() + slot / panel_rows * n_attributes() * panel_rows;
    for (std::size_t a = 0; a < n_attributes(); ++a) {
      const std::uint8_t code = bins[a].admit(row[a]);
      panel[a * panel_rows + slot % panel_rows] = code;
      has_gaps_ |= code == missing_code;
      if (cell_of_[a] >= 0) cells_.push_back(row[a]);
    }
    slot_of_id_[relative] = static_cast<std::uint32_t>(slot);
    id_of_slot_.push_back(static_cast<std::uint32_t>(relative));
    ++alive_;
  }

  // Closes the last panel with absent rows, so that the next append opens a new one.
  void close_panel() {
    while (n_slots() % panel_rows != 0) {
      id_of_slot_.push_back(nobody);
      cells_.resize(cells_.size() + n_cells_, 0.0);
    }
  }

  bool has(std::int64_t id) const {
    const std::int64_t relative = id - first_id_;
    return relative >= 0 && relative < static_cast<std::int64_t>(slot_of_id_.size()) && slot_of_id_[relative] != nobody;
  }

  std::size_t slot(std::int64_t id) const { return slot_of_id_[id - first_id_]; }

  // The row's first code becomes "not there", which every scan table maps to "too far".
  void remove(std::int64_t id) {
    const std::size_t slot = this->slot(id);
    slot_of_id_[id - first_id_] = nobody;
    id_of_slot_[slot] = nobody;
    codes_[slot / panel_rows * n_attributes() * panel_rows + slot % panel_rows] = dead_code;
    --alive_;
    ++dead_;
  }

  std::size_t n_bytes() const {
    return codes_.capacity() + sizeof(double) * cells_.capacity() +
           sizeof(std::uint32_t) * (slot_of_id_.capacity() + id_of_slot_.capacity());
  }

  std::vector<Bins> bins;

 private:
  template <class Vector>
  static void make_room(Vector& vector, std::size_t more) {
    if (vector.capacity() - vector.size() < more) vector.reserve(std::max(2 * vector.size(), vector.size() + more));
  }

  std::vector<std::uint8_t> wide_;
  std::vector<int> cell_of_;
  std::size_t n_cells_ = 0, alive_ = 0, dead_ = 0;
  std::int64_t first_id_ = 0;
  bool has_gaps_ = false;
  Bytes codes_;
  Cells cells_;
  std::vector<std::uint32_t> slot_of_id_, id_of_slot_;
};

}  // namespace priorcase
