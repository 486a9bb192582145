// Compiled once for each instruction set, whose name is PRIORCASE_PATH.
#include "bayes/loops.hpp"

namespace priorcase::bayes::PRIORCASE_PATH {

namespace {

template <class Code>
void write_cells(const Code* codes, const std::int32_t* classes, std::size_t rows, std::int32_t n_codes,
                 std::int32_t width, std::int32_t* out) {
  for (std::size_t r = 0; r < rows; ++r) {
    const std::int32_t code = codes[r];
    const std::int32_t known = code < n_codes ? code + 2 : 1;
    out[r] = (code < 0 ? 0 : known) * width + classes[r];
  }
}

}  // namespace

extern const CellLoops cell_loops = {write_cells<std::int8_t>, write_cells<std::int16_t>, write_cells<std::int32_t>};

}  // namespace priorcase::bayes::PRIORCASE_PATH
