// Lower bounds of what each code contributes to a query's cost, rounded down to bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/memory.hpp"
#include "search/kernels/kernels.hpp"
#include "search/measure.hpp"

namespace priorcase::search {

// The smallest and largest entries of the class profiles over each bin of a curve attribute; shared by all queries of a
// batch.
class CurveBoxes {
 public:
  CurveBoxes(const Plan& plan, const Store& store) : low_(plan.size()), high_(plan.size()) {
    for (std::size_t a = 0; a < plan.size(); ++a)
      if (const Curve* const curve = plan[a].as<Curve>(); curve != nullptr && !store.bins[a].coded())
        build(*curve, store.bins[a], a);
  }

  const double* low(std::size_t a, std::size_t code, std::size_t width) const { return low_[a].data() + code * width; }
  const double* high(std::size_t a, std::size_t code, std::size_t width) const {
    return high_[a].data() + code * width;
  }

 private:
  void build(const Curve& at, const Bins& bins, std::size_t a) {
    low_[a].assign(n_bins * at.width, base::infinity);
    high_[a].assign(n_bins * at.width, -base::infinity);
    std::vector<double> profile(at.width);
    for (std::size_t code = 0; code < n_bins; ++code) {
      if (bins.empty(code)) continue;
      at.profile_at(bins.low(code), profile.data());
      cover(a, code, profile.data(), at.width);
      at.profile_at(bins.high(code), profile.data());
      cover(a, code, profile.data(), at.width);
      const auto first = std::upper_bound(at.breaks.begin(), at.breaks.end(), bins.low(code)) - at.breaks.begin();
      for (std::size_t i = first; i < at.breaks.size() && at.breaks[i] <= bins.high(code); ++i)
        cover(a, code, at.profiles.data() + i * at.width, at.width);
    }
  }

  void cover(std::size_t a, std::size_t code, const double* profile, std::size_t width) {
    for (std::size_t c = 0; c < width; ++c) {
      double& low = low_[a][code * width + c];
      double& high = high_[a][code * width + c];
      low = std::min(low, profile[c]);
      high = std::max(high, profile[c]);
    }
  }

  std::vector<std::vector<double>> low_, high_;
};

// Lower bounds of what each code of each attribute contributes to a query's cost, and byte tables with these bounds
// rounded down.
//
// What every row costs at least because of the query's missing values, the floor, is kept out of the tables: if the
// query lacks most values, all rows cost about the same, and the bytes should resolve the differences.
class Bounds {
 public:
  void prepare(const Measure& measure, const CurveBoxes& boxes) {
    measure_ = &measure;
    n_ = measure.store().n_attributes();
    lower_.resize(n_ * n_codes);
    tables_.resize(n_ * n_codes);
    box_tables_.resize(n_ * 3 * n_codes);
    symbols_.resize(n_);
    own_.resize(n_);
    floor_ = 0.0;
    for (std::size_t a = 0; a < n_; ++a) {
      fill(a, boxes);
      if (!measure.skips() && !known(a)) take_floor(a);  // the minimum for a known value is usually 0
    }
    second_look_ = n_ >= many_attributes && !measure.skips();
    rescale(base::infinity);
  }

  // Scales the tables so that a sum above 254 proves a cost above the limit. The slack covers the rounding of sums, and
  // of bounds to 32 bits.
  void rescale(double limit) {
    limit_ = limit;
    const bool skip = measure_->skips();
    const double mean = skip ? measure_->mean_of(limit) : 0.0;
    const double reach = skip ? std::max(0.0, mean * measure_->known_weight) * (1.0 + 1e-9) : above_floor(limit);
    if (!(reach < 1e37) || (skip && !is_precise(mean))) return admit_all();
    if (skip)
      for (std::size_t a = 0; a < n_; ++a)
        lower_[a * n_codes + missing_code] = known(a) ? lowered(mean * measure_->weight(a)) : 0.0f;
    // A row whose sum of bounds exceeds this is ruled out. The slack is larger than the error of 32-bit sums.
    fine_limit_ = reach < 1e-30 ? std::numeric_limits<float>::infinity()
                                  : static_cast<float>(reach * (1.0 + 1e-4 + 1e-7 * static_cast<double>(n_)));
    const double factor = 254.0 / reach * (1.0 - 1e-6);
    if (factor < 1e30) {
      kernels().round_down(lower_.data(), tables_.data(), n_ * n_codes, static_cast<float>(reach * (1.0 + 1e-6)),
                           static_cast<float>(factor));
    } else {  // the limit is so small that only bounds near 0 are within it
      const float limit_of_bounds = static_cast<float>(reach * (1.0 + 1e-6));
      for (std::size_t i = 0; i < n_ * n_codes; ++i) tables_[i] = lower_[i] > limit_of_bounds ? 255 : 0;
    }
  }

  double limit() const { return limit_; }

  // Returns how far a limit is above the floor.
  double above_floor(double limit) const { return std::max(0.0, limit * (1.0 + 1e-9) - floor_); }

  // Returns a limit whose part above the floor is scaled by a factor.
  double share(double limit, double factor) const { return floor_ + factor * std::max(0.0, limit - floor_); }

  // Returns the limit that is `excess` above the floor.
  double limit_above(double excess) const { return floor_ + excess; }

  // Whether a limit is so far below that of the tables that they should be scaled again.
  bool is_loose(double limit) const {
    return above_floor(limit) < 0.9 * above_floor(limit_) || (limit_ == base::infinity && limit < base::infinity);
  }

  // Returns the largest sum that a row within `limit` can have in tables scaled for the limit `scaled`.
  double largest_sum(double limit, double scaled) const {
    const double all = above_floor(scaled);
    return measure_->skips() || !(all > 0.0 && all < base::infinity) ? base::infinity
                                                                      : 254.0 * above_floor(limit) / all + 1.0;
  }
  const std::uint8_t* tables() const { return tables_.data(); }

  // Computes bounds of the boxes of all leaves with the current tables; 255 proves that all rows of a leaf are too far.
  void bound_leaves(const Store& store, std::vector<std::uint8_t>& bounds) {
    const std::size_t groups = (store.n_leaves() + 63) / 64;
    bounds.resize(groups * 64);
    for (std::size_t a = 0; a < n_; ++a) fill_box_tables(a);
    kernels().bound_leaves(store.boxes(), groups, box_tables_.data(), symbols_.data(), n_, bounds.data());
    std::fill(bounds.begin() + static_cast<std::ptrdiff_t>(store.n_leaves()), bounds.end(), std::uint8_t{255});
  }

  // Returns roughly the largest sum of a row's bounds above the floor, as a scale for rough sums.
  double spread() const {
    double sum = 0.0;
    for (std::size_t a = 0; a < n_; ++a) {
      float most = 0.0f;
      for (const float* entry = lower_.data() + a * n_codes; entry < lower_.data() + a * n_codes + n_bins; ++entry)
        if (*entry > most && *entry < std::numeric_limits<float>::infinity()) most = *entry;
      sum += most;
    }
    return sum;
  }

  bool second_look() const { return second_look_; }

  // Whether the bounds before rounding to bytes rule out a row. This second look pays off if many rounding errors add
  // up.
  bool rules_out(const std::uint8_t* codes) const {
    if (!second_look_) return false;
    float sums[4] = {};
    std::size_t a = 0;
    for (; a + 4 <= n_; a += 4)
      for (std::size_t i = 0; i < 4; ++i) sums[i] += lower_[(a + i) * n_codes + codes[(a + i) * panel_rows]];
    for (; a < n_; ++a) sums[0] += lower_[a * n_codes + codes[a * panel_rows]];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]) > fine_limit_;
  }

 private:
  static constexpr std::size_t many_attributes = 24;
  static constexpr std::size_t most_codes = 1 << 20;

  // Whether the mean is large enough, and the total weight moderate enough, for the slack to cover the errors of
  // division.
  bool is_precise(double mean) const {
    return mean > 1e-280 && measure_->total_weight > 1e-20 && measure_->total_weight < 1e20;
  }

  // Fills the tables for an infinite limit: only absent rows are ruled out.
  void admit_all() {
    fine_limit_ = std::numeric_limits<float>::infinity();
    std::fill(tables_.begin(), tables_.end(), std::uint8_t{0});
    for (std::size_t a = 0; a < n_; ++a) tables_[a * n_codes + dead_code] = 255;
  }

  bool known(std::size_t a) const { return measure_->differences[a].state != Difference::State::missing; }

  // Returns a bound as a float that never exceeds the bound itself.
  float lowered(double bound) const { return static_cast<float>(bound * (1.0 - 1e-6)); }

  void fill(std::size_t a, const CurveBoxes& boxes) {
    float* const lower = lower_.data() + a * n_codes;
    const Difference& d = measure_->differences[a];
    const Bins& bins = measure_->store().bins[a];
    const double weight = measure_->weight(a);
    const int power = measure_->plan().power.whole();
    const double unit = 1.0 / d.scale;  // infinite for the smallest scales
    symbols_[a] = bins.coded();
    own_[a] = 0;
    if (weight == 0.0 || (measure_->skips() && !known(a))) {
      std::fill(lower, lower + missing_code + 1, 0.0f);
    } else {
      if (measure_->store().cell_of(a) < 0) {
        for (std::size_t c = 0; c < n_bins; ++c) lower[c] = lowered(measure_->exact(a, c));
      } else if (!bins.coded() && d.is_linear() && (power == 1 || power == 2) && unit < base::infinity) {
        own_[a] = kernels().bound_numbers(bins.lows(), bins.highs(), d.query(), unit, weight, power == 2, lower);
      } else {
        fill_slowly(a, boxes, lower);
        if (!bins.coded() && d.is_linear()) own_[a] = bins.code_of(d.query());
      }
      lower[missing_code] = lowered(weight * d.against_missing());
    }
    lower[dead_code] = std::numeric_limits<float>::infinity();
  }

  // Moves the smallest bound of an attribute from its table to the floor. Entries never fall below 0, even if the bins
  // do not cover all of their rows, as in forged parts.
  void take_floor(std::size_t a) {
    const Bins& bins = measure_->store().bins[a];
    float* const lower = lower_.data() + a * n_codes;
    float least = lower[missing_code];
    for (std::size_t c = 0; c < n_bins; ++c) least = std::min(least, bins.empty(c) ? least : lower[c]);
    if (!(least > 0.0f && least < std::numeric_limits<float>::infinity())) return;
    floor_ += least;
    for (std::size_t c = 0; c <= missing_code; ++c) lower[c] = std::max(0.0f, lower[c] - least);
  }

  void fill_box_tables(std::size_t a) {
    const std::uint8_t* const table = tables_.data() + a * n_codes;
    std::uint8_t* const three = box_tables_.data() + a * 3 * n_codes;
    if (symbols_[a]) {
      std::copy(table, table + n_codes, three);
      three[any_code] = 0;
    } else if (measure_->differences[a].is_linear()) {
      kernels().split_table(table, own_[a], three);
    } else {  // numbers with codes from c on are no nearer than the nearest of these codes
      kernels().split_table(table, 0, three);
      std::uint8_t least = 255;
      for (std::size_t c = n_bins; c-- > 0;) three[c] = least = std::min(least, table[c]);
    }
  }

  void fill_slowly(std::size_t a, const CurveBoxes& boxes, float* out) const {
    const Bins& bins = measure_->store().bins[a];
    const Difference& d = measure_->differences[a];
    const double weight = measure_->weight(a);
    double lower[n_bins];
    std::fill(lower, lower + n_bins, base::infinity);
    if (bins.coded())
      fill_groups(bins, measure_->n_codes_known(a), d, weight, lower);
    else if (d.is_by_number())
      fill_numbers(bins, d, weight, lower);
    else if (d.is_linear())
      d.bound_bins(bins.lows(), bins.highs(), n_bins, weight, lower);
    else
      for (std::size_t code = 0; code < n_bins; ++code)
        if (!bins.empty(code)) lower[code] = weight * least(a, bins, d, boxes, code);
    for (std::size_t c = 0; c < n_bins; ++c) out[c] = lowered(lower[c]);
  }

  double least(std::size_t a, const Bins& bins, const Difference& d, const CurveBoxes& boxes, std::size_t code) const {
    if (d.is_on_curve()) return d.against_box(boxes.low(a, code, d.width()), boxes.high(a, code, d.width()));
    if (d.is_periodic()) return d.against_interval(bins.low(code), bins.high(code));
    if (d.is_overlap()) return bins.low(code) <= d.query() && d.query() <= bins.high(code) ? 0.0 : d.f_differ();
    return d.against(d.nearest_within(bins.low(code), bins.high(code)));
  }

  // Numbers listed in a table: the smallest contribution in each bin.
  static void fill_numbers(const Bins& bins, const Difference& d, double weight, double* lower) {
    const std::vector<double>& numbers = d.attribute().as<Table>()->column_labels;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      double& least = lower[bins.code_of(numbers[i])];
      least = std::min(least, weight * d.at_label(i));
    }
  }

  // Symbols that share a code: the smallest contribution in each group.
  static void fill_groups(const Bins& bins, std::size_t n, const Difference& d, double weight, double* lower) {
    if (d.attribute().as<Overlap>() != nullptr) {
      std::fill(lower, lower + n_bins, weight * (d.is_overlap() ? d.f_differ() : d.against(0.0)));
      if (d.is_overlap()) lower[bins.code_of(d.query())] = 0.0;
      return;
    }
    if (d.is_text()) return std::fill(lower, lower + n_bins, 0.0);  // compared only if other columns do not rule it out
    if (n > most_codes) return std::fill(lower, lower + n_bins, 0.0);  // too many to check each
    for (std::size_t c = 0; c < n; ++c)
      lower[c % n_bins] = std::min(lower[c % n_bins], weight * d.against(static_cast<double>(c)));
  }

  const Measure* measure_ = nullptr;
  std::size_t n_ = 0;
  double limit_ = base::infinity, floor_ = 0.0;
  bool second_look_ = false;
  float fine_limit_ = 0.0f;
  std::vector<float> lower_;
  std::vector<std::uint8_t> own_, symbols_;  // code of the query's number; whether values are symbols
  base::Bytes tables_, box_tables_;
};

}  // namespace priorcase::search
