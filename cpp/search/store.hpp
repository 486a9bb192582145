// The rows, stored twice: as small codes in panels of 256 rows for the scan, and as exact cells for computing costs.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "base/memory.hpp"
#include "base/numbers.hpp"
#include "base/threads.hpp"
#include "search/kernels/kernels.hpp"

namespace priorcase::search {

// Maps the values of one attribute to small codes, as a vector-approximation file (VA-file) does.
class Bins {
 public:
  explicit Bins(bool coded) : coded_(coded) {
    std::fill(low_, low_ + n_codes, base::infinity);
    std::fill(high_, high_ + n_codes, -base::infinity);
  }

  // Chooses the edges between bins; one bin per distinct value if these are few.
  //
  // A bound loses about a bin's width for each value in the bin, so the total loss is smallest if the widths are
  // inversely proportional to the square root of the density. Half of the edges follow that rule; the other half give
  // bins equal shares of the sample, so that outliers do not take all edges.
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

  // Returns the value's code, and extends its bin to cover the value.
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
    std::size_t below = 0;  // number of edges up to the value, by binary search without branches to mispredict
    for (std::size_t n = edges_.size(); n > 0; n /= 2) {
      const std::size_t half = n - n / 2;
      below += edges_[below + half - 1] <= value ? half : 0;
    }
    return static_cast<std::uint8_t>(below);
  }

  // Extends the bins to cover what other bins with the same edges cover.
  void cover(const Bins& other) {
    for (std::size_t code = 0; code < n_bins; ++code) {
      low_[code] = std::min(low_[code], other.low_[code]);
      high_[code] = std::max(high_[code], other.high_[code]);
    }
    largest_ = std::max(largest_, other.largest_);
  }

  bool coded() const { return coded_; }
  bool empty(std::size_t code) const { return low_[code] > high_[code]; }
  const double* lows() const { return low_; }
  const double* highs() const { return high_; }
  double low(std::size_t code) const { return low_[code]; }
  double high(std::size_t code) const { return high_[code]; }
  std::int64_t largest() const { return largest_; }
  const std::vector<double>& edges() const { return edges_; }

  // Restores saved bins; returns false if they are invalid. `wide`: whether a coded attribute keeps exact codes as
  // cells.
  bool restore(const double* edges, std::size_t n_edges, const double* lows, const double* highs, std::int64_t largest,
               bool wide) {
    constexpr std::int64_t codes_end = std::int64_t{1} << 31;
    const auto is_number = [](double x) { return x == x; };
    if (n_edges >= n_bins || !std::is_sorted(edges, edges + n_edges) || !std::all_of(edges, edges + n_edges, is_number))
      return false;
    if (!std::all_of(lows, lows + n_codes, is_number) || !std::all_of(highs, highs + n_codes, is_number)) return false;
    const std::int64_t end = !coded_ ? 0 : wide ? codes_end : static_cast<std::int64_t>(n_bins);
    if (largest < -1 || largest >= end || (coded_ && n_edges > 0)) return false;
    edges_.assign(edges, edges + n_edges);
    std::copy(lows, lows + n_codes, low_);
    std::copy(highs, highs + n_codes, high_);
    largest_ = largest;
    return true;
  }

 private:
  bool coded_;
  std::int64_t largest_ = -1;
  std::vector<double> edges_;
  double low_[n_codes], high_[n_codes];  // those of missing_code and dead_code are never used
};

// Everything that a store and the order of its rows consist of, for saving to a file. Arrays are shared, not copied.
struct Parts {
  base::Shared<std::uint8_t> codes, boxes, symbols;
  base::Shared<double> cells;
  base::Shared<std::uint32_t> slot_of_id, id_of_slot;
  std::int64_t first_id = 0, dead = 0, ordered = 0;  // ordered: number of slots in order
  std::vector<std::uint8_t> wide{};                  // of each attribute
  std::vector<std::int64_t> largest{}, n_edges{};
  std::vector<double> lows{}, highs{};               // of each code of each attribute
  std::vector<double> edges{};                       // of all attributes, concatenated
  std::vector<std::uint32_t> cut_attributes{};       // of each leaf
  std::vector<double> cut_values{};
};

// The number of a version of the rows. Where there is only one version, it has the number 0.
using Version = std::uint32_t;

// A slot is a row's current position in the store; an id identifies a row permanently. A row exists from the version in
// which it was added up to the one in which it was removed. Its slot is wiped when no version needs it any more.
class Store {
 public:
  static constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();
  static constexpr Version never = std::numeric_limits<Version>::max();

  // wide: marks coded attributes with more values than bins, whose exact codes are stored as cells, as numbers are.
  Store(const std::vector<std::uint8_t>& coded, const std::vector<std::uint8_t>& wide) : wide_(wide) {
    for (std::size_t a = 0; a < coded.size(); ++a) {
      bins.emplace_back(coded[a] != 0);
      const bool has_cell = !coded[a] || wide[a];
      cell_of_.push_back(has_cell ? static_cast<int>(n_cells_++) : -1);
      symbol_of_.push_back(has_cell ? -1 : static_cast<int>(n_symbols_++));
    }
  }

  // Makes a store from saved parts, which may be corrupt or forged: throws if a search could read out of bounds. Bounds
  // are not compared with cells, so carefully forged parts give wrong results.
  Store(const std::vector<std::uint8_t>& coded, const Parts& parts, std::size_t threads);

  // Returns everything except the order.
  Parts parts() const;

  std::size_t n_attributes() const { return bins.size(); }
  std::size_t n_slots() const { return id_of_slot_.size(); }
  std::size_t n_panels() const { return codes_.size() / (n_attributes() * panel_rows); }
  std::size_t n_alive() const { return alive_; }            // rows of the newest version
  std::size_t n_retired() const { return retired_.size(); }  // removed rows that an older version may need
  std::size_t n_dead() const { return dead_; }               // wiped slots
  bool has_gaps() const { return has_gaps_; }

  // The index of an attribute's value among the cells of a row, or among its symbols; -1 if it is not stored there.
  int cell_of(std::size_t a) const { return cell_of_[a]; }
  int symbol_of(std::size_t a) const { return symbol_of_[a]; }

  const std::uint8_t* panel(std::size_t p) const { return codes_.data() + p * n_attributes() * panel_rows; }
  const double* cells(std::size_t slot) const { return cells_.data() + slot * n_cells_; }
  // The codes of a row's symbols, side by side.
  const std::uint8_t* symbols(std::size_t slot) const { return symbols_.data() + slot * n_symbols_; }
  void prefetch(std::size_t slot) const {
    const char* row = reinterpret_cast<const char*>(cells(slot));
    for (std::size_t byte = 0; byte < n_cells_ * sizeof(double); byte += 64) base::prefetch(row + byte);
    for (std::size_t byte = 0; byte < n_symbols_; byte += 64) base::prefetch(symbols(slot) + byte);
  }

  // The boxes around the rows of each leaf, in groups of 64 leaves; see kernels.hpp.
  std::size_t n_leaves() const { return (n_slots() + leaf_rows - 1) / leaf_rows; }
  const std::uint8_t* boxes() const { return boxes_.data(); }
  bool is_alive(std::size_t slot) const { return id_of_slot_[slot] != nobody; }
  std::int64_t id(std::size_t slot) const { return first_id_ + id_of_slot_[slot]; }

  // Whether a row that is stored exists in a version.
  bool exists(std::size_t slot, Version version) const {
    if (slot >= lives_.size()) return true;
    return lives_[slot].added <= version && version < lives_[slot].removed;
  }

  // Whether a row may be stored that does not exist in the version.
  bool differs(Version version) const { return version < last_added_ || !retired_.empty(); }

  // The version of the last change.
  Version last_change() const {
    return retired_.empty() ? last_added_ : std::max(last_added_, lives_[retired_.back()].removed);
  }

  // Whether one of some versions, in ascending order, needs a row; without versions, whether the row is stored.
  bool is_needed(std::size_t slot, const std::vector<Version>& versions) const {
    if (!is_alive(slot) || versions.empty() || slot >= lives_.size()) return is_alive(slot);
    const auto first = std::lower_bound(versions.begin(), versions.end(), lives_[slot].added);
    return first != versions.end() && *first < lives_[slot].removed;
  }

  double value(std::size_t slot, std::size_t a) const {
    if (cell_of_[a] >= 0) return cells(slot)[cell_of_[a]];
    const std::uint8_t c = symbols(slot)[symbol_of_[a]];
    return c == missing_code ? std::numeric_limits<double>::quiet_NaN() : c;
  }

  // Whether the store can hold the row without changing its layout.
  bool fits(const double* row) const {
    for (std::size_t a = 0; a < n_attributes(); ++a)
      if (cell_of_[a] < 0 && row[a] >= static_cast<double>(n_bins)) return false;
    return true;
  }

  void set_first_id(std::int64_t id) { first_id_ = id; }

  // All memory is allocated before anything is written, so that a failed allocation leaves the store unchanged. Must
  // not be interrupted.
  void append(const std::int64_t* ids, const double* rows, std::size_t n, std::size_t threads = 1,
              Version version = 0) {
    std::uint64_t farthest = 0;
    for (std::size_t i = 0; i < n; ++i) farthest = std::max(farthest, from_first(ids[i]));
    if (farthest >= nobody) throw std::out_of_range("row id out of range");
    if (n == 0) return;
    const std::size_t first = n_slots(), end = first + n;
    if (version > 0 || lives_.size() > first) lives_.resize(std::max(end, lives_.size()));
    codes_.make_room(code_bytes(end));
    boxes_.make_room(all_box_bytes(end));
    cells_.make_room(end * n_cells_);
    symbols_.make_room(end * n_symbols_);
    id_of_slot_.make_room(end);
    slot_of_id_.make_room(farthest + 1);
    lay_out(end, std::max<std::size_t>(slot_of_id_.size(), farthest + 1));
    const auto put_one = [&](std::size_t slot, std::vector<Bins>& own) {
      const double* const row = rows + (slot - first) * n_attributes();
      return put(slot, ids[slot - first], [row](std::size_t a) { return row[a]; }, own);
    };
    if (n < group_rows) {
      for (std::size_t slot = first; slot < end; ++slot) has_gaps_ |= put_one(slot, bins);
    } else {
      put_all(first, end, threads, put_one);
    }
    for (std::size_t slot = first; slot < std::min(end, lives_.size()); ++slot) lives_[slot] = {version, never};
    last_added_ = std::max(last_added_, version);
    alive_ += n;
  }

  // Copies rows of another store, in the order of the given slots, into this one, which must be empty except for its
  // bins. There is no version before `oldest`.
  void take_over(const Store& from, const std::vector<std::uint32_t>& slots, std::size_t threads, Version oldest = 0) {
    const std::size_t n = slots.size();
    first_id_ = n == 0 ? from.first_id_ : from.id(slots.front());
    std::int64_t last_id = first_id_;
    for (const std::uint32_t slot : slots) {
      first_id_ = std::min(first_id_, from.id(slot));
      last_id = std::max(last_id, from.id(slot));
    }
    lay_out(n, n == 0 ? 0 : static_cast<std::size_t>(last_id - first_id_) + 1);
    put_all(0, n, threads, [&](std::size_t slot, std::vector<Bins>& own) {
      const std::uint32_t source = slots[slot];
      return put(slot, from.id(source), [&](std::size_t a) { return from.value(source, a); }, own);
    });
    for (std::size_t slot = 0; slot < n; ++slot) {
      if (slots[slot] >= from.lives_.size()) continue;
      const Life life = from.lives_[slots[slot]];
      if (life.added <= oldest && life.removed == never) continue;
      lives_.resize(n);
      lives_[slot] = life;
      last_added_ = std::max(last_added_, life.added);
      if (life.removed != never) retired_.push_back(static_cast<std::uint32_t>(slot));
    }
    const auto earlier = [&](std::uint32_t x, std::uint32_t y) { return lives_[x].removed < lives_[y].removed; };
    std::sort(retired_.begin(), retired_.end(), earlier);
    alive_ = n - retired_.size();
  }

  // Fills up the last panel with absent rows, so that the next append starts a new one.
  void close_panel() {
    const std::size_t slots = (n_slots() + panel_rows - 1) / panel_rows * panel_rows;
    id_of_slot_.resize(slots, nobody);
    cells_.resize(slots * n_cells_);
    symbols_.resize(slots * n_symbols_, missing_code);
  }

  bool has(std::int64_t id) const {
    const std::uint64_t relative = from_first(id);
    return relative < slot_of_id_.size() && slot_of_id_[relative] != nobody;
  }

  bool has(std::int64_t id, Version version) const { return has(id) && exists(slot(id), version); }

  std::size_t slot(std::int64_t id) const { return slot_of_id_[from_first(id)]; }

  // Removes a row from all versions.
  void remove(std::int64_t id) {
    wipe(slot(id));
    --alive_;
  }

  // Removes rows from a version, which must be the newest; older versions keep them. Either all are removed or none.
  void retire(const std::int64_t* ids, std::size_t n, Version version) {
    lives_.resize(std::max(n_slots(), lives_.size()));
    if (retired_.capacity() < retired_.size() + n) retired_.reserve(std::max(2 * retired_.size(), retired_.size() + n));
    for (std::size_t i = 0; i < n; ++i) {
      retired_.push_back(static_cast<std::uint32_t>(slot(ids[i])));
      lives_[retired_.back()].removed = version;
    }
    alive_ -= n;
  }

  // Wipes the rows that were removed after one version, up to another, and that none of the living versions needs.
  // Stops after `most` rows, and returns whether that was too few.
  bool sweep(const std::vector<Version>& living, Version after, Version last, std::size_t most) {
    const auto precedes = [&](Version version, std::uint32_t slot) { return version < lives_[slot].removed; };
    const auto begin = std::upper_bound(retired_.begin(), retired_.end(), after, precedes);
    const auto end = std::upper_bound(begin, retired_.end(), last, precedes);
    std::size_t n = 0;
    const auto wiped = [&](std::uint32_t slot) {
      if (n == most || is_needed(slot, living)) return false;
      wipe(slot);
      ++n;
      return true;
    };
    retired_.erase(std::remove_if(begin, end, wiped), end);
    return n == most;
  }

  // Undoes the changes after a version, so that it is the newest again.
  void roll_back(Version version) {
    for (; !retired_.empty() && lives_[retired_.back()].removed > version; retired_.pop_back()) {
      lives_[retired_.back()].removed = never;
      ++alive_;
    }
    for (std::size_t slot = 0; slot < std::min(n_slots(), lives_.size()); ++slot) {
      if (lives_[slot].added <= version || !is_alive(slot)) continue;
      wipe(slot);
      --alive_;
    }
    last_added_ = std::min(last_added_, version);
  }

  // Keeps only the rows of one version, in memory of its own.
  void keep_only(Version version) {
    const auto own = [](auto&... arrays) { (arrays.writable(), ...); };
    own(codes_, boxes_, symbols_, cells_, slot_of_id_, id_of_slot_);
    alive_ = 0;
    for (std::size_t slot = 0; slot < n_slots(); ++slot) {
      if (!is_alive(slot)) continue;
      if (exists(slot, version))
        ++alive_;
      else
        wipe(slot);
    }
    lives_.clear();
    retired_.clear();
    last_added_ = 0;
  }

  std::size_t n_bytes() const {
    return codes_.n_bytes() + boxes_.n_bytes() + symbols_.n_bytes() + cells_.n_bytes() + slot_of_id_.n_bytes() +
           id_of_slot_.n_bytes() + lives_.capacity() * sizeof(Life);
  }

  std::vector<Bins> bins;

 private:
  // Returns how far an id is from the first one; an id below that wraps around to a very large number.
  std::uint64_t from_first(std::int64_t id) const {
    return static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(first_id_);
  }

  // Empties a slot. Every scan table maps dead_code to 255, "too far". Values in a mapped file are left in the file.
  void wipe(std::size_t slot) {
    std::uint32_t* const slots = slot_of_id_.writable();
    std::uint32_t* const ids = id_of_slot_.writable();
    std::uint8_t* const panel = codes_.writable() + slot / panel_rows * n_attributes() * panel_rows;
    slots[ids[slot]] = nobody;
    ids[slot] = nobody;
    for (std::size_t a = 0; a < n_attributes(); ++a) panel[a * panel_rows + slot % panel_rows] = dead_code;
    if (cells_.is_own())
      std::fill_n(cells_.writable() + slot * n_cells_, n_cells_, std::numeric_limits<double>::quiet_NaN());
    if (symbols_.is_own()) std::fill_n(symbols_.writable() + slot * n_symbols_, n_symbols_, missing_code);
    ++dead_;
  }

  static constexpr std::size_t group_rows = 64 * leaf_rows;  // rows whose boxes are stored together

  std::size_t code_bytes(std::size_t slots) const {
    return (slots + panel_rows - 1) / panel_rows * panel_rows * n_attributes();
  }
  std::size_t all_box_bytes(std::size_t slots) const {
    return (slots + group_rows - 1) / group_rows * n_attributes() * box_bytes;
  }

  // Resizes the arrays to the given numbers of slots and ids.
  void lay_out(std::size_t slots, std::size_t ids) {
    codes_.resize(code_bytes(slots), dead_code);
    boxes_.resize(all_box_bytes(slots), dead_code);
    cells_.resize(slots * n_cells_);
    symbols_.resize(slots * n_symbols_);
    id_of_slot_.resize(slots, nobody);
    slot_of_id_.resize(ids, nobody);
  }

  // Whether the entries of slots in [first, end) are valid; see the constructor. Sets `gaps` if a value is missing.
  bool is_sound(std::size_t first, std::size_t end, bool& gaps) const;

  // Calls put_one for each slot, with bins that it may widen; put_one returns whether a value is missing.
  template <class PutOne>
  void put_all(std::size_t first, std::size_t end, std::size_t threads, const PutOne& put_one) {
    const std::size_t from = first / group_rows * group_rows;
    const std::vector<Bins> before = bins;  // a copy: `bins` changes while other threads start
    std::mutex lock;
    base::for_blocks(end - from, group_rows, threads, [&] {
      return [&, own = before](std::size_t start, std::size_t stop) mutable {
        bool gaps = false;
        for (std::size_t slot = std::max(first, from + start); slot < from + stop; ++slot) gaps |= put_one(slot, own);
        const std::lock_guard<std::mutex> hold(lock);
        for (std::size_t a = 0; a < bins.size(); ++a) bins[a].cover(own[a]);
        has_gaps_ |= gaps;
      };
    });
  }

  // Writes a row; returns whether a value is missing.
  template <class ValueOf>
  bool put(std::size_t slot, std::int64_t id, const ValueOf& value_of, std::vector<Bins>& own) {
    bool gaps = false;
    std::uint8_t* const panel = codes_.written() + slot / panel_rows * n_attributes() * panel_rows;
    for (std::size_t a = 0; a < n_attributes(); ++a) {
      const double value = value_of(a);
      const std::uint8_t code = own[a].admit(value);
      panel[a * panel_rows + slot % panel_rows] = code;
      cover(slot, a, code);
      gaps |= code == missing_code;
      if (cell_of_[a] >= 0)
        cells_.written()[slot * n_cells_ + static_cast<std::size_t>(cell_of_[a])] = value;
      else
        symbols_.written()[slot * n_symbols_ + static_cast<std::size_t>(symbol_of_[a])] = code;
    }
    const std::uint32_t relative = static_cast<std::uint32_t>(from_first(id));
    slot_of_id_.written()[relative] = static_cast<std::uint32_t>(slot);
    id_of_slot_.written()[slot] = relative;
    return gaps;
  }

  // Extends the box of a slot's leaf to cover a code.
  void cover(std::size_t slot, std::size_t a, std::uint8_t code) {
    const std::size_t leaf = slot / leaf_rows;
    std::uint8_t* const first = boxes_.written() + (leaf / 64 * n_attributes() + a) * box_bytes + leaf % 64;
    std::uint8_t &x = first[0], &y = first[64], &z = first[128];
    if (!bins[a].coded()) {
      if (code == missing_code) {
        z = code;
      } else {
        x = x == dead_code ? code : std::min(x, code);
        y = y == dead_code ? code : std::max(y, code);
      }
    } else if (slot % leaf_rows == 0) {
      x = y = z = code;
    } else if (x != any_code && code != x && code != y && code != z) {
      if (y == x)
        y = code;
      else if (z == x)
        z = code;
      else
        x = any_code;
    }
  }

  // The versions between which a row exists: from the first up to, but not including, the second.
  struct Life {
    Version added = 0, removed = never;
  };

  std::vector<std::uint8_t> wide_;
  std::vector<int> cell_of_, symbol_of_;
  std::vector<Life> lives_;             // of each slot; slots after the last one exist in all versions
  std::vector<std::uint32_t> retired_;  // removed rows that are not wiped yet, in the order of their removal
  Version last_added_ = 0;
  std::size_t n_cells_ = 0, n_symbols_ = 0, alive_ = 0, dead_ = 0;
  std::int64_t first_id_ = 0;
  bool has_gaps_ = false;
  base::Shared<std::uint8_t> codes_, boxes_, symbols_;
  base::Shared<double> cells_;
  base::Shared<std::uint32_t> slot_of_id_, id_of_slot_;
};

}  // namespace priorcase::search
