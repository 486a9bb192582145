// The exact costs of eight rows side by side, compiled once for each instruction set: the sum of each row is taken in
// the order of the attributes, so that all versions give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cpu.hpp"

namespace priorcase::search {

// What one attribute of a query contributes to a cost.
struct Step {
  enum class Form : std::uint8_t { nothing, code, constant, square, plain_square, absolute, general };
  Form form;
  int cell;  // the place of its number among the numbers of a row, or of its code among the codes
  std::size_t run;  // so many steps from here on are of the same form, on numbers that lie side by side
  double query, scale, weight, missing;  // of a constant one the scale is what it contributes
  const double* by_code;  // the contribution of each code, where it has no number
};

inline constexpr std::size_t rows_at_once = 8;

struct MeasureLoops {
  // Costs of eight rows, each with its numbers and its codes; any number above the limit once all sums are above
  // it. No step is of the general form.
  void (*sum)(const Step* steps, std::size_t n, const double* const* cells, const std::uint8_t* const* codes,
              double limit, double* costs);
};

PRIORCASE_PATHS_OF(MeasureLoops, measure_loops)

}  // namespace priorcase::search
