// The two inner loops of stretch.hpp over a column of numbers, compiled once for each instruction set. All of them keep
// eight sums, which are added in the same order, so they give the same bits.
#pragma once

#include <cstddef>

#include "base/cpu.hpp"

namespace priorcase::relevance {

inline constexpr double largest_difference = 1e100;  // limits overflowed differences, so that no sum is NaN

// The numbers x of a column, compared with the number q of one row: f = |x - q|^p / scale^p with p = 1 or 2, and `gap`
// where x is missing.
struct LinearColumn {
  const double* x;
  std::size_t n;
  double query, unit, gap;  // unit: 1 / scale
  bool square;

  // Returns f for p = 2 and a row whose number is known.
  double square_at(std::size_t row) const {
    const double t = (x[row] - query) * unit;
    return largest_difference < t * t ? largest_difference : t * t;
  }
};

struct StretchKernels {
  // Adds weight times f to each cost.
  void (*add)(const LinearColumn& column, double weight, double* costs);
  // Returns the sum of factor times f.
  double (*sum)(const LinearColumn& column, const double* factors);
};

PRIORCASE_PATHS_OF(StretchKernels, stretch_kernels)

}  // namespace priorcase::relevance
