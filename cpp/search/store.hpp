// The rows, twice: as small codes in panels of 256 rows for the scan, and as exact cells for the measure.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "base/memory.hpp"
#include "base/numbers.hpp"
#include "search/kernels/kernels.hpp"

namespace priorcase::search {

// Small codes for the values of one attribute: a vector-approximation file's alphabet.
class Bins {
 public:
  explicit Bins(bool coded) : coded_(coded) {
    std::fill(low_, low_ + n_bins, base::infinity);
    std::fill(high_, high_ + n_bins, -base::infinity);
  }

  // Edges between bins; one bin per value where that is possible.
  //
  // A bound loses about a bin's width for each value in the bin, so the total loss is least when widths go with the
  // inverse root of the density. Half of the edges follow that rule; the other half give bins equal shares of the
  // sample, so that no outlier takes them all.
  void learn(std::vector<double>& sample) {
    edges_.clear();
    if (coded_ || sample.empty()) return;
    std::sort(sample.begin(), sample.end());
    std::vector<double> distinct(sample);
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    if (distinct.size() <= n_bins) {
      edges_.assign(distinct.begin() + 1, distinct.end());
      return;
    }
    const std::size_t n_parts = std::min<std::size_t>(512, sample.size() - 1);
    const auto part = [&](std::size_t j) { return sample[j * (sample.size() - 1) / n_parts]; };
    double roots = 0.0;
    for (std::size_t j = 0; j < n_parts; ++j) roots += std::sqrt(part(j + 1) / 2 - part(j) / 2);
    double filled = 0.0;
    for (std::size_t j = 0; j + 1 < n_parts; ++j) {
      filled += 0.5 / n_parts + 0.5 * std::sqrt(part(j + 1) / 2 - part(j) / 2) / roots;
      const double edge = part(j + 1);
      if (filled * n_bins >= edges_.size() + 1 && edges_.size() + 1 < n_bins && edge > sample.front() &&
          (edges_.empty() || edge > edges_.back()))
        edges_.push_back(edge);
    }
  }

  // The value's code; its bin grows to cover the value.
  std::uint8_t admit(double value) {
    if (std::isnan(value)) return missing_code;
    const std::uint8_t code = code_of(value);
    low_[code] = std::min(low_[code], value);
    high_[code] = std::max(high_[code], value);
    if (coded_) largest_ = std::max(largest_, static_cast<std::int64_t>(value));
    return code;
  }

  std::uint8_t code_of(double value) const {
    if (coded_) return static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) % n_bins);
    return static_cast<std::uint8_t>(std::upper_bound(edges_.begin(), edges_.end(), value) - edges_.begin());
  }

  bool coded() const { return coded_; }
  bool empty(std::size_t code) const { return low_[code] > high_[code]; }
  const double* lows() const { return low_; }
  const double* highs() const { return high_; }
  double low(std::size_t code) const { return low_[code]; }
  double high(std::size_t code) const { return high_[code]; }
  std::int64_t largest() const { return largest_; }

 private:
  bool coded_;
  std::int64_t largest_ = -1;
  std::vector<double> edges_;
  double low_[n_bins], high_[n_bins];
};

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
    for (std::size_t byte = 0; byte < n_cells_ * sizeof(double); byte += 64) base::prefetch(row + byte);
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
  base::Bytes codes_;
  base::Cells cells_;
  std::vector<std::uint32_t> slot_of_id_, id_of_slot_;
};

}  // namespace priorcase::search
