// Lower bounds of a query's contributions by code, and their rounding down to bytes.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/memory.hpp"
#include "search/kernels/kernels.hpp"
#include "search/measure.hpp"

namespace priorcase::search {

// Smallest and largest class profile over each bin of a curve attribute; shared by all queries of a batch.
class CurveBoxes {
 public:
  CurveBoxes(const Plan& plan, const Store& store) : low_(plan.size()), high_(plan.size()) {
    for (std::size_t a = 0; a < plan.size(); ++a)
      if (const Curve* const curve = plan[a].as<Curve>(); curve != nullptr && !store.bins[a].coded())
        build(*curve, store.bins[a], a);
  }

  const double* low(std::size_t a, std::size_t code, std::size_t width) const { return low_[a].data() + code * width; }
  const double* high(std::size_t a, std::size_t code, std::size_t width) const { return high_[a].data() + code * width; }

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

class Bounds {
 public:
  void prepare(const Measure& measure, const CurveBoxes& boxes) {
    measure_ = &measure;
    const std::size_t n = measure.store().n_attributes();
    lower_.assign(n * n_codes, base::infinity);
    tables_.resize(n * n_codes);
    zero_.resize(n);
    own_.resize(n);
    for (std::size_t a = 0; a < n; ++a) {
      fill(a, boxes);
      own_[a] = own_code(a);
    }
    second_look_ = n >= many_attributes && !measure.skips();
    if (second_look_) fine_.assign(lower_.begin(), lower_.end());
    rescale(base::infinity);
  }

  // Tables in which a sum above 254 proves a cost above the limit. The slack of 1e-9 covers rounding of sums.
  void rescale(double limit) {
    limit_ = limit;
    // More slack than 32-bit sums can be off; no second look at limits that 32 bits cannot hold well.
    fine_limit_ = limit < 1e-30 ? std::numeric_limits<float>::infinity() : static_cast<float>(limit * (1.0 + 1e-4 + 1e-7 * zero_.size()));
    const bool skip = measure_->skips();
    const double mean = skip ? measure_->mean_of(limit) : 0.0;
    const double reach = std::max(0.0, skip ? mean * measure_->known_weight : limit) * (1.0 + 1e-9);
    if (!(reach < base::infinity) || (skip && !is_precise(mean))) return admit_all();
    const double factor = 254.0 / reach * (1.0 - 1e-9);
    const std::size_t n = zero_.size();
    if (skip)
      for (std::size_t a = 0; a < n; ++a)
        lower_[a * n_codes + missing_code] = known(a) ? mean * measure_->weight(a) : 0.0;
    if (factor < base::infinity)
      kernels().round_down(lower_.data(), tables_.data(), n * n_codes, reach, factor);
    else  // so small a limit that only nothing is small enough
      for (std::size_t i = 0; i < n * n_codes; ++i) tables_[i] = lower_[i] > reach ? 255 : 0;
    for (std::size_t a = 0; a < n; ++a) {
      tables_[a * n_codes + dead_code] = 255;
      zero_[a] = kernels().zeros(tables_.data() + a * n_codes);
    }
  }

  double limit() const { return limit_; }
  const std::uint8_t* tables() const { return tables_.data(); }

  // Lower bound, in table units, over a box of codes; 255 means "too far".
  unsigned over(const std::uint64_t* box) const {
    unsigned sum = 0;
    for (std::size_t a = 0; a < zero_.size(); ++a) {
      if (box[a] & zero_[a]) continue;
      sum += kernels().smallest(tables_.data() + a * n_codes, box[a]);
      if (sum > 254) return 255;
    }
    return sum;
  }

  // About what the bounds of a box can add up to: a scale for rough sums.
  double spread(const std::uint64_t* box) const {
    double sum = 0.0;
    for (std::size_t a = 0; a < zero_.size(); ++a) sum += most_over(a, box[a]);
    return sum;
  }

  // Whether one set of codes of an attribute lies nearer to the query than another.
  bool is_nearer(std::size_t a, std::uint64_t codes, std::uint64_t others) const {
    const bool own = codes >> own_[a] & 1, others_own = others >> own_[a] & 1;
    if (own != others_own) return own;
    return !own && least_over(a, codes) < least_over(a, others);
  }

  bool second_look() const { return second_look_; }

  // A second look at a row, by the bounds before rounding; worth it where many roundings add up.
  bool rules_out(const std::uint8_t* codes) const {
    if (!second_look_) return false;
    float sums[4] = {};
    std::size_t a = 0;
    for (; a + 4 <= zero_.size(); a += 4)
      for (std::size_t i = 0; i < 4; ++i) sums[i] += fine_[(a + i) * n_codes + codes[(a + i) * panel_rows]];
    for (; a < zero_.size(); ++a) sums[0] += fine_[a * n_codes + codes[a * panel_rows]];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]) > fine_limit_;
  }

 private:
  static constexpr std::size_t many_attributes = 24;

  // Whether a mean is large enough, and the weights are alike enough, for the slack to cover what division loses.
  bool is_precise(double mean) const {
    return mean > 1e-280 && measure_->total_weight > 1e-20 && measure_->total_weight < 1e20;
  }

  // Tables without a limit: every row passes that is there.
  void admit_all() {
    std::fill(tables_.begin(), tables_.end(), std::uint8_t{0});
    for (std::size_t a = 0; a < zero_.size(); ++a) {
      tables_[a * n_codes + dead_code] = 255;
      zero_[a] = ~(std::uint64_t{1} << dead_code);
    }
  }

  double least_over(std::size_t a, std::uint64_t codes) const {
    double least = base::infinity;
    for (; codes && least > 0.0; codes &= codes - 1)
      least = std::min(least, lower_[a * n_codes + std::countr_zero(codes)]);
    return least;
  }

  // Of bins of numbers, the outermost two lie farthest from the query.
  double most_over(std::size_t a, std::uint64_t codes) const {
    const double* lower = lower_.data() + a * n_codes;
    double most = 0.0;
    if (!measure_->store().bins[a].coded() && codes)
      return std::max(lower[std::countr_zero(codes)], lower[63 - std::countl_zero(codes)]);
    for (; codes; codes &= codes - 1) most = std::max(most, lower[std::countr_zero(codes)]);
    return most;
  }

  bool known(std::size_t a) const { return measure_->differences[a].state != Difference::State::missing; }

  // The code of the query's own value, where it has one.
  std::uint8_t own_code(std::size_t a) const {
    const Difference& d = measure_->differences[a];
    if (d.state == Difference::State::known) return measure_->store().bins[a].code_of(d.query());
    return d.state == Difference::State::missing ? missing_code : dead_code;
  }

  void fill(std::size_t a, const CurveBoxes& boxes) {
    const Bins& bins = measure_->store().bins[a];
    double* lower = lower_.data() + a * n_codes;
    const Difference& d = measure_->differences[a];
    const double weight = measure_->weight(a);
    if (weight == 0.0 || (measure_->skips() && !known(a))) {
      std::fill(lower, lower + missing_code + 1, 0.0);
      return;
    }
    lower[missing_code] = weight * d.against_missing();
    if (bins.coded())
      fill_codes(a, bins, d, weight, lower);
    else if (d.is_linear())
      d.bound_bins(bins.lows(), bins.highs(), n_bins, weight, lower);
    else
      for (std::size_t code = 0; code < n_bins; ++code)
        if (!bins.empty(code)) lower[code] = weight * least(a, bins, d, boxes, code);
  }

  double least(std::size_t a, const Bins& bins, const Difference& d, const CurveBoxes& boxes, std::size_t code) const {
    if (d.is_on_curve()) return d.against_box(boxes.low(a, code, d.width()), boxes.high(a, code, d.width()));
    if (d.is_overlap()) return bins.low(code) <= d.query() && d.query() <= bins.high(code) ? 0.0 : d.f_differ();
    return d.against(d.nearest_within(bins.low(code), bins.high(code)));
  }

  // Symbols: exact for the first 62; later ones share a code with the least of their group.
  void fill_codes(std::size_t a, const Bins& bins, const Difference& d, double weight, double* lower) const {
    const std::int64_t largest = bins.largest();
    if (measure_->store().cell_of(a) < 0) {
      for (std::int64_t c = 0; c <= largest; ++c) lower[c] = measure_->exact(a, c);
      return;
    }
    if (d.attribute().as<Overlap>() != nullptr) {
      std::fill(lower, lower + n_bins, weight * (d.is_overlap() ? d.f_differ() : d.against(0.0)));
      if (d.is_overlap()) lower[bins.code_of(d.query())] = 0.0;
      return;
    }
    for (std::int64_t c = 0; c <= largest; ++c)
      lower[c % n_bins] = std::min(lower[c % n_bins], weight * d.against(static_cast<double>(c)));
  }

  const Measure* measure_ = nullptr;
  double limit_ = base::infinity;
  bool second_look_ = false;
  std::vector<double> lower_;
  float fine_limit_ = 0.0f;
  std::vector<float> fine_;
  std::vector<std::uint8_t> own_;
  base::Bytes tables_;
  std::vector<std::uint64_t> zero_;
};

}  // namespace priorcase::search
