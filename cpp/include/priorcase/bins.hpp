// Small codes for the values of one attribute: a vector-approximation file's alphabet.
//
// Codes 0..61 are bins of numbers or groups of symbols, 62 is a gap, 63 a row that is not there.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "priorcase/plan.hpp"

namespace priorcase {

inline constexpr std::size_t n_codes = 64;
inline constexpr std::size_t n_bins = 62;
inline constexpr std::uint8_t missing_code = 62;
inline constexpr std::uint8_t dead_code = 63;

class Bins {
 public:
  explicit Bins(bool coded) : coded_(coded) {
    std::fill(low_, low_ + n_bins, infinity);
    std::fill(high_, high_ + n_bins, -infinity);
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

}  // namespace priorcase
