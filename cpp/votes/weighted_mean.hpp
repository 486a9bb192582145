// The mean of some numbers, weighted by votes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace priorcase::votes {

// Added one by one in their order; never outside the range of the numbers, which rounding could leave.
inline double weighted_mean(const double* numbers, const double* votes, std::size_t n) {
  double total = 0.0, sum = 0.0, low = numbers[0], high = numbers[0];
  for (std::size_t i = 0; i < n; ++i) {
    total += votes[i];
    sum += votes[i] * numbers[i];
    low = std::min(low, numbers[i]);
    high = std::max(high, numbers[i]);
  }
  double mean = sum / total;
  if (!std::isfinite(mean)) {  // sums of very large numbers overflow; shares of them cannot
    sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) sum += votes[i] / total / 2 * numbers[i];
    mean = sum * 2;
  }
  return std::min(std::max(mean, low), high);
}

}  // namespace priorcase::votes
