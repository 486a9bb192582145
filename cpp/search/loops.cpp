// Compiled once for each instruction set: PRIORCASE_PATH is its name, and its registers hold PRIORCASE_WIDTH numbers.
#include "search/loops.hpp"

#include <cstring>
#include <initializer_list>

#include "base/cpu.hpp"

namespace priorcase::search::PRIORCASE_PATH {

namespace {

constexpr std::size_t width = PRIORCASE_WIDTH, registers = rows_at_once / width;

typedef double Register __attribute__((vector_size(width * sizeof(double))));

// One number of each of the eight rows.
struct Numbers {
  Register part[registers];
};

PRIORCASE_INLINE void load(const double* const* cells, int cell, Numbers& numbers) {
  for (std::size_t r = 0; r < registers; ++r)
    for (std::size_t i = 0; i < width; ++i) numbers.part[r][i] = cells[r * width + i][cell];
}

// Transposes a square of numbers: exchanges single numbers, then pairs, then groups of four.
PRIORCASE_INLINE void turn(Register* rows) {
#if PRIORCASE_WIDTH == 8
  for (std::size_t i = 0; i < 8; i += 2) {
    const Register a = rows[i], b = rows[i + 1];
    rows[i] = Register{a[0], b[0], a[2], b[2], a[4], b[4], a[6], b[6]};
    rows[i + 1] = Register{a[1], b[1], a[3], b[3], a[5], b[5], a[7], b[7]};
  }
  for (const std::size_t i : {0, 1, 4, 5}) {
    const Register a = rows[i], b = rows[i + 2];
    rows[i] = Register{a[0], a[1], b[0], b[1], a[4], a[5], b[4], b[5]};
    rows[i + 2] = Register{a[2], a[3], b[2], b[3], a[6], a[7], b[6], b[7]};
  }
  for (std::size_t i = 0; i < 4; ++i) {
    const Register a = rows[i], b = rows[i + 4];
    rows[i] = Register{a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]};
    rows[i + 4] = Register{a[4], a[5], a[6], a[7], b[4], b[5], b[6], b[7]};
  }
#elif PRIORCASE_WIDTH == 4
  for (std::size_t i = 0; i < 4; i += 2) {
    const Register a = rows[i], b = rows[i + 1];
    rows[i] = Register{a[0], b[0], a[2], b[2]};
    rows[i + 1] = Register{a[1], b[1], a[3], b[3]};
  }
  for (std::size_t i = 0; i < 2; ++i) {
    const Register a = rows[i], b = rows[i + 2];
    rows[i] = Register{a[0], a[1], b[0], b[1]};
    rows[i + 2] = Register{a[2], a[3], b[2], b[3]};
  }
#else
  const Register a = rows[0], b = rows[1];
  rows[0] = Register{a[0], b[0]};
  rows[1] = Register{a[1], b[1]};
#endif
}

// Loads from each row as many adjacent numbers as a register holds. The last ones may belong to the next row, or lie
// past the end of the array.
PRIORCASE_INLINE void load_side_by_side(const double* const* cells, int cell, Numbers* numbers) {
  for (std::size_t r = 0; r < registers; ++r) {
    Register rows[width];
    for (std::size_t i = 0; i < width; ++i) std::memcpy(&rows[i], cells[r * width + i] + cell, sizeof(Register));
    turn(rows);
    for (std::size_t i = 0; i < width; ++i) numbers[i].part[r] = rows[i];
  }
}

// Returns the smallest lane.
PRIORCASE_INLINE double least(const Numbers& numbers) {
  double least = numbers.part[0][0];
  for (std::size_t r = 0; r < registers; ++r)
    for (std::size_t i = 0; i < width; ++i) least = numbers.part[r][i] < least ? numbers.part[r][i] : least;
  return least;
}

// Adds the contribution of x, or that of a missing value if the difference is NaN.
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

PRIORCASE_INLINE void add_squares(const Step& step, const Numbers& x, Numbers& sums) {
  for (std::size_t r = 0; r < registers; ++r) {
    const Register d = x.part[r] - step.query;
    sums.part[r] += d == d ? step.weight * (d * d) : Register{} + step.missing;
  }
}

void sum(const Step* steps, std::size_t n, const double* const* cells, const std::uint8_t* const* codes, double limit,
         double* costs) {
  Numbers sums = {};
  std::size_t next_check = 16;
  for (std::size_t a = 0, count = 1; a < n; a += count) {
    if (a >= next_check) {
      if (least(sums) > limit) break;
      next_check = a + 16;
    }
    const Step& step = steps[a];
    Numbers x = {};
    count = 1;
    if (step.form == Step::Form::code) {
      for (std::size_t r = 0; r < registers; ++r)
        for (std::size_t i = 0; i < width; ++i) x.part[r][i] = step.by_code[codes[r * width + i][step.cell]];
      for (std::size_t r = 0; r < registers; ++r) sums.part[r] += x.part[r];
    } else if (step.form != Step::Form::nothing && step.run > 1) {
      count = step.run < width ? step.run : width;
      Numbers several[width];
      load_side_by_side(cells, step.cell, several);
      if (step.form == Step::Form::plain_square)
        for (std::size_t i = 0; i < width; ++i) i < count ? add_squares(steps[a + i], several[i], sums) : void();
      else
        for (std::size_t i = 0; i < width; ++i) i < count ? add(steps[a + i], several[i], sums) : void();
    } else if (step.form != Step::Form::nothing) {
      load(cells, step.cell, x);
      if (step.form == Step::Form::plain_square)
        add_squares(step, x, sums);
      else
        add(step, x, sums);
    }
  }
  for (std::size_t r = 0; r < registers; ++r)
    for (std::size_t i = 0; i < width; ++i) costs[r * width + i] = sums.part[r][i];
}

}  // namespace

const MeasureLoops measure_loops{sum};

}  // namespace priorcase::search::PRIORCASE_PATH
