// Numbers that may be cells, and powers with a fixed order of operations, so that NumPy and C++ give the same bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace priorcase::base {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

// Whether all numbers are finite or missing and, where there are levels, whole and from 0 to levels - 1.
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

// d^p: small whole powers by repeated multiplication from the left, all others by libm's pow.
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

// Distances from costs, where they are roots.
class Root {
 public:
  Root(double power, bool rooted)
      : raise_(power), root_(1.0 / power), rooted_(rooted && power != 1.0), square_(power == 2.0) {}

  double operator()(double cost) const { return !rooted_ ? cost : square_ ? std::sqrt(cost) : root_(cost); }

  // One cost for all costs with the same root, so that rows at equal distances rank as equal: the power of the
  // distance, which for squares always has that root, or else the smallest cost that has it.
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

  // No cost that settles at the limit or below it exceeds this.
  double reach(double limit) const { return rooted_ ? limit * (1.0 + 1e-9) : limit; }

 private:
  // Doubles that are not negative are ordered as their bits are.
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
