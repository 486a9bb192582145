// The exact costs of eight rows at once, compiled for each instruction set. The contributions to a row's cost are added
// in attribute order, so that all versions give bit-identical results.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cpu.hpp"

namespace priorcase::search {

// What one attribute of a query contributes to a cost.
struct Step {
  enum class Form : std::uint8_t { nothing, code, constant, square, plain_square, absolute, general };
  Form form;
  int cell;         // index among the row's numbers, or among its codes for the form `code`
  std::size_t run;  // number of steps, from this one on, of the same form and with adjacent numbers
  double query, scale, weight, missing;  // a constant step contributes `scale`
  const double* by_code;                 // the contribution of each code, for the form `code`
};

inline constexpr std::size_t rows_at_once = 8;

struct MeasureLoops {
  // Computes the costs of eight rows, given each row's numbers and codes. Once all sums exceed the limit, the costs may
  // be any numbers above it. No step may have the form `general`.
  void (*sum)(const Step* steps, std::size_t n, const double* const* cells, const std::uint8_t* const* codes,
              double limit, double* costs);
};

PRIORCASE_PATHS_OF(MeasureLoops, measure_loops)

}  // namespace priorcase::search
