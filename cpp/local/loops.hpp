// The loops over columns of numbers, compiled once for each instruction set: eight lanes that are added up at the end.
// The order is part of the definition, so that a wider CPU takes more lanes at once and gives the same bits.
#pragma once

#include <cstddef>

#include "base/cpu.hpp"

namespace priorcase::local {

inline constexpr std::size_t lanes = 8;

// Lengths are whole lanes, and columns start on a cache line.
struct ColumnSums {
  double (*sum)(const double* x, std::size_t n);
  // Sums of x times each of some columns, which lie one after the other.
  void (*dots)(const double* x, const double* first, std::size_t count, std::size_t n, double* out);
  // Takes the weighted mean off; returns the weighted sum of squares of what is left.
  double (*centre)(const double* weights, double weight, double* x, std::size_t n, double& mean);
  // y += a x, out = x y and x = a x.
  void (*add_multiple)(double a, const double* x, double* y, std::size_t n);
  void (*multiply)(const double* x, const double* y, double* out, std::size_t n);
  void (*scale)(double a, double* x, std::size_t n);
  // Turns x and y against each other.
  void (*rotate)(double* x, double* y, std::size_t n, double cosine, double sine);

  double dot(const double* x, const double* y, std::size_t n) const {
    double sum;
    dots(x, y, 1, n, &sum);
    return sum;
  }
};

PRIORCASE_PATHS_OF(ColumnSums, column_sums)

}  // namespace priorcase::local
