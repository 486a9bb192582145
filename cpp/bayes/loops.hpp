// Loops over columns of codes. Compiled once for each instruction set; all versions give the same results.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cpu.hpp"

namespace priorcase::bayes {

// Each loop writes, for every row, slot * width + class: the cell of the row's code and class in a table of slots by
// classes. A negative code is missing, slot 0; a code of n_codes or more is unseen, slot 1; all others are slot
// 2 + code.
struct CellLoops {
  void (*int8)(const std::int8_t* codes, const std::int32_t* classes, std::size_t rows, std::int32_t n_codes,
               std::int32_t width, std::int32_t* out);
  void (*int16)(const std::int16_t* codes, const std::int32_t* classes, std::size_t rows, std::int32_t n_codes,
                std::int32_t width, std::int32_t* out);
  void (*int32)(const std::int32_t* codes, const std::int32_t* classes, std::size_t rows, std::int32_t n_codes,
                std::int32_t width, std::int32_t* out);
};

PRIORCASE_PATHS_OF(CellLoops, cell_loops)

}  // namespace priorcase::bayes
