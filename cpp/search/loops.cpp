// Compiled once for each instruction set: PRIORCASE_PATH is its name, and its registers hold PRIORCASE_WIDTH numbers.
#include "search/loops.hpp"

#include "base/cpu.hpp"

namespace priorcase::search::PRIORCASE_PATH {

namespace {

constexpr std::size_t width = PRIORCASE_WIDTH, registers = rows_at_once / width;

typedef double Register __attribute__((vector_size(width * sizeof(double))));

// One number of each row.
struct Numbers {
  Register part[registers];
};

PRIORCASE_INLINE void load(const double* const* cells, int cell, Numbers& numbers) {
  for (std::size_t r = 0; r < registers; ++r)
    for (std::size_t i = 0; i < width; ++i) numbers.part[r][i] = cells[r * width + i][cell];
}

// The least of all lanes.
PRIORCASE_INLINE double least(const Numbers& numbers) {
  double least = numbers.part[0][0];
  for (std::size_t r = 0; r < registers; ++r)
    for (std::size_t i = 0; i < width; ++i) least = numbers.part[r][i] < least ? numbers.part[r][i] : least;
  return least;
}

// Adds the contribution of x, or that of a missing value where the difference is none.
PRIORCASE_INLINE void add(const Step& step, const Numbers& x, Numbers& sums) {
  for (std::size_t r = 0; r < registers; ++r) {
    Register d = x.part[r] - step.query;
    if (step.form == Step::Form::constant) d = x.part[r];
    if (step.form == Step::Form::square || step.form == Step::Form::absolute) d = d / step.scale;
    Register f;
    if (step.form == Step::Form::absolute)
      f = step.weight * (d < 0.0 ? -d : d);
    else if (step.form == Step::Form::constant)
      f = Register{} + step.scale;
    else
      f = step.weight * (d * d);
    sums.part[r] += d == d ? f : Register{} + step.missing;
  }
}

void sum(const Step* steps, std::size_t n, const double* const* cells, const std::uint8_t* const* codes, double limit,
         double* costs) {
  Numbers sums = {};
  for (std::size_t a = 0; a < n; ++a) {
    const Step& step = steps[a];
    Numbers x = {};
    if (step.form == Step::Form::code) {
      for (std::size_t r = 0; r < registers; ++r)
        for (std::size_t i = 0; i < width; ++i) x.part[r][i] = step.by_code[codes[r * width + i][step.cell]];
      for (std::size_t r = 0; r < registers; ++r) sums.part[r] += x.part[r];
    } else if (step.form != Step::Form::nothing) {
      load(cells, step.cell, x);
      if (step.form == Step::Form::plain_square) {
        for (std::size_t r = 0; r < registers; ++r) {
          const Register d = x.part[r] - step.query;
          sums.part[r] += d == d ? step.weight * (d * d) : Register{} + step.missing;
        }
      } else {
        add(step, x, sums);
      }
    }
    if ((a & 15) == 15 && least(sums) > limit) break;
  }
  for (std::size_t r = 0; r < registers; ++r)
    for (std::size_t i = 0; i < width; ++i) costs[r * width + i] = sums.part[r][i];
}

}  // namespace

const MeasureLoops measure_loops{sum};

}  // namespace priorcase::search::PRIORCASE_PATH
