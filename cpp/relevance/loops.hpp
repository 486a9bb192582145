// The two inner loops of stretching over a column of numbers, compiled once for each instruction set. All give the same
// bits: eight sums side by side, in the same order everywhere.
#pragma once

#include <cstddef>

#include "base/cpu.hpp"

namespace priorcase::relevance {

inline constexpr double largest_difference = 1e100;  // of one that overflowed, so that sums stay defined

// One attribute of one row against a column: f = |x - q|^p / scale^p with p = 1 or 2, and `gap` where x is missing.
struct LinearColumn {
  const double* x;
  std::size_t n;
  double query, unit, gap;  // unit: 1 / scale
  bool square;

  // f of a row whose number is known, where p = 2.
  double square_at(std::size_t row) const {
    const double t = (x[row] - query) * unit;
    return largest_difference < t * t ? largest_difference : t * t;
  }
};

struct StretchKernels {
  // Adds weight times f to each cost.
  void (*add)(const LinearColumn& column, double weight, double* costs);
  // The sum of factor times f.
  double (*sum)(const LinearColumn& column, const double* factors);
};

PRIORCASE_PATHS_OF(StretchKernels, stretch_kernels)

}  // namespace priorcase::relevance
