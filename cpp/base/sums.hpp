// Accurate sums of products and of logarithms.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace priorcase::base {

// A double split into two halves of at most 26 bits each, so that products of halves are exact (Dekker 1971). Not for
// numbers above 2^996.
struct SplitDouble {
  SplitDouble(double value) : value(value) {
    const double far = 134217729.0 * value;  // 2^27 + 1
    high = far - (far - value);
    low = value - high;
  }

  double value, high, low;
};

// The double nearest to x y, and the rest: x y - value.
struct ExactProduct {
  ExactProduct(const SplitDouble& x, const SplitDouble& y)
      : value(x.value * y.value),
        missing(((x.high * y.high - value) + x.high * y.low + x.low * y.high) + x.low * y.low) {}

  double value, missing;
};

// Compensated sums of products of nonnegative numbers: a double, and the sum of its rounding errors.
class CarefulSum {
 public:
  // Adds by Knuth's two-sum (1969, section 4.2.2), which gives the exact rounding error.
  void add(double x) {
    const double sum = sum_ + x, part = sum - sum_;
    missing_ += (sum_ - (sum - part)) + (x - part);
    sum_ = sum;
  }

  void add_product(const SplitDouble& x, const SplitDouble& y) {
    const ExactProduct product(x, y);
    missing_ += product.missing;
    add(product.value);
  }

  double value() const { return sum_ + missing_; }

  // Returns the quotient of two sums, rounded to the nearest double; 0 if the divisor is 0. The rounding may be wrong
  // only for a quotient that lies within about 2^-100 of the midpoint between two doubles and has many digits.
  double over(const CarefulSum& other) const {
    const double divisor = other.value();
    if (!(divisor > 0.0)) return 0.0;
    const double rest_of_divisor = (other.sum_ - divisor) + other.missing_;
    const double first = value() / divisor;
    const ExactProduct back(first, divisor);
    // sum - first * divisor, added term by term from the largest. Each difference is exact or far below the last place.
    const double rest = ((((sum_ - back.value) + missing_) - back.missing) - first * rest_of_divisor);
    return first + rest / divisor;
  }

 private:
  double sum_ = 0.0, missing_ = 0.0;
};

// Sums of -ln p with few logarithms: probabilities are multiplied, and the logarithm is taken only when the product is
// about to underflow.
class LogSums {
 public:
  explicit LogSums(std::size_t n) : sums_(n, 0.0), products_(n, 1.0) {}

  // Adds -times * ln(p) to sum i.
  void add(std::size_t i, double p, double times) {
    if (times != 1.0 || p < smallest) {
      sums_[i] -= times * std::log(p);
      return;
    }
    products_[i] *= p;
    if (products_[i] >= smallest) return;
    sums_[i] -= std::log(products_[i]);
    products_[i] = 1.0;
  }

  // Adds -times * ln(p[k]) to sum i + k * stride, for each k < n.
  void add(std::size_t i, std::size_t stride, const double* p, std::size_t n, double times) {
    std::int64_t small = 0;
    for (std::size_t k = 0; k < n; ++k) small += p[k] < smallest;
    if (stride != 1 || times != 1.0 || small > 0) {
      for (std::size_t k = 0; k < n; ++k) add(i + k * stride, p[k], times);
      return;
    }
    double* products = products_.data() + i;
    for (std::size_t k = 0; k < n; ++k) {
      products[k] *= p[k];
      small += !(products[k] >= smallest);
    }
    for (std::size_t k = 0; small > 0 && k < n; ++k)
      if (!(products[k] >= smallest)) {
        sums_[i + k] -= std::log(products[k]);
        products[k] = 1.0;
        --small;
      }
  }

  std::vector<double> take() {
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] -= std::log(products_[i]);
    return std::move(sums_);
  }

 private:
  static constexpr double smallest = 1e-140;

  std::vector<double> sums_, products_;
};

}  // namespace priorcase::base
