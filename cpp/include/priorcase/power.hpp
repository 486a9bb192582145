// Powers with a fixed order of operations, so that NumPy and C++ give the same bits.
#pragma once

#include <cmath>

namespace priorcase {

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

 private:
  double exponent_;
  int whole_ = 0;
};

}  // namespace priorcase
