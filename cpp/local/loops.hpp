// Loops over columns of numbers, compiled once for each instruction set. Sums are kept in eight lanes, which are added
// at the end in a fixed order, so that all instruction sets give the same bits.
#pragma once

#include <cstddef>

#include "base/cpu.hpp"

namespace priorcase::local {

inline constexpr std::size_t lanes = 8;

// Lengths are multiples of `lanes`, and columns start on a cache line.
struct ColumnSums {
  double (*sum)(const double* x, std::size_t n);
  // Inner products of x and each of `count` contiguous columns, the first of which is `first`.
  void (*dots)(const double* x, const double* first, std::size_t count, std::size_t n, double* out);
  // Subtracts the weighted mean; returns the weighted sum of squares of the deviations. weight: the sum of the weights.
  double (*centre)(const double* weights, double weight, double* x, std::size_t n, double& mean);
  // y += a x, out = x y and x = a x.
  void (*add_multiple)(double a, const double* x, double* y, std::size_t n);
  void (*multiply)(const double* x, const double* y, double* out, std::size_t n);
  void (*scale)(double a, double* x, std::size_t n);
  // Rotates each pair (x[i], y[i]).
  void (*rotate)(double* x, double* y, std::size_t n, double cosine, double sine);

  double dot(const double* x, const double* y, std::size_t n) const {
    double sum;
    dots(x, y, 1, n, &sum);
    return sum;
  }
};

PRIORCASE_PATHS_OF(ColumnSums, column_sums)

}  // namespace priorcase::local
