// Checks of cell values, and powers with a fixed order of operations, so that NumPy and C++ give bit-identical results.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace priorcase::base {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

// Whether all numbers are finite, or missing (NaN) if `may_miss`. With levels > 0, known numbers must also be integers
// from 0 to levels - 1.
inline bool are_cells(const double* numbers, std::size_t n, std::int32_t levels, bool may_miss) {
  bool wrong = false, missing = false;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = numbers[i];
    wrong |= std::fabs(x) == infinity;
    missing |= x != x;
  }
  for (std::size_t i = 0; i < n && levels > 0; ++i) {
    const double x = numbers[i];
    wrong |= x == x && (x < 0.0 || x >= levels || x != std::floor(x));
  }
  return !wrong && (may_miss || !missing);
}

// d^p: integer exponents from 1 to 8 by repeated multiplication from the left, all others by libm's pow.
class Power {
 public:
  explicit Power(double exponent = 1.0) : exponent_(exponent) {
    for (int whole = 1; whole <= 8; ++whole)
      if (exponent == whole) whole_ = whole;
  }

  double operator()(double base) const {
    if (whole_ == 2) return base * base;
    if (whole_ == 1) return base;
    if (whole_ == 0) return std::pow(base, exponent_);
    double result = base;
    for (int i = 1; i < whole_; ++i) result *= base;
    return result;
  }

  int whole() const { return whole_; }
  double exponent() const { return exponent_; }

 private:
  double exponent_;
  int whole_ = 0;
};

// Turns costs into distances: cost^(1 / power) if `rooted`, otherwise the cost itself.
class Root {
 public:
  Root(double power, bool rooted)
      : raise_(power), root_(1.0 / power), rooted_(rooted && power != 1.0), square_(power == 2.0) {}

  double operator()(double cost) const { return !rooted_ ? cost : square_ ? std::sqrt(cost) : root_(cost); }

  // Returns one representative of all costs with the same root, so that rows at equal distances tie. It is the power of
  // the distance if its root is that distance, as is always so for squares; otherwise the smallest cost with that root.
  double settled(double cost) const {
    if (!rooted_) return cost;
    const double distance = (*this)(cost), again = raise_(distance);
    return square_ || (*this)(again) == distance ? again : smallest(cost, distance);
  }

  void settle(double* costs, std::size_t n) const {
    if (!rooted_) return;
    if (square_)
      for (std::size_t i = 0; i < n; ++i) costs[i] = std::sqrt(costs[i]) * std::sqrt(costs[i]);
    else
      for (std::size_t i = 0; i < n; ++i) costs[i] = settled(costs[i]);
  }

  // Returns an upper bound of all costs whose settled() value is at most the limit.
  double reach(double limit) const { return rooted_ ? limit * (1.0 + 1e-9) : limit; }

 private:
  // Searches by bit pattern: nonnegative doubles have the same order as their bits.
  double smallest(double cost, double distance) const {
    const auto has_root = [&](std::int64_t bits) { return (*this)(std::bit_cast<double>(bits)) == distance; };
    std::int64_t high = std::bit_cast<std::int64_t>(cost), low = high;
    for (std::int64_t step = 1; low > 0 && has_root(low); step *= 2) {
      high = low;
      low = step < low ? low - step : 0;
    }
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (has_root(middle) ? high : low) = middle;
    }
    return std::bit_cast<double>(high);
  }

  Power raise_, root_;
  bool rooted_, square_;
};

}  // namespace priorcase::base
