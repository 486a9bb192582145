// A column of a table, read as slots: 0 for missing, 1 for a value never seen, 2 + code for the others.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace priorcase::bayes {

constexpr std::int32_t missing_slot = 0;
constexpr std::int32_t unseen_slot = 1;
constexpr std::int32_t first_slot = 2;

enum class CellType : std::uint8_t { int8, int16, int32, real };

// Codes as small integers, negative for missing; or real cells: ranks and codes, or numbers to be cut into bins.
struct Column {
  CellType type = CellType::real;
  const void* data = nullptr;
  std::ptrdiff_t stride = 1;                 // in items
  const std::int32_t* translate = nullptr;   // the slot of code c at c + 1; none: the codes are the model's own
  std::size_t n_translate = 0;

  double number(std::size_t row) const {
    return static_cast<const double*>(data)[static_cast<std::ptrdiff_t>(row) * stride];
  }
};

// The bin of a number is the number of cuts that are not above it.
inline std::int32_t bin_of(double x, const std::vector<double>& cuts) {
  return static_cast<std::int32_t>(std::upper_bound(cuts.begin(), cuts.end(), x) - cuts.begin());
}

template <class Code>
void read_codes(const Column& column, std::size_t start, std::size_t stop, std::int32_t n_slots, std::int32_t* out) {
  const Code* codes = static_cast<const Code*>(column.data);
  const auto at = [&](std::size_t row) {
    return static_cast<std::int32_t>(codes[static_cast<std::ptrdiff_t>(row) * column.stride]);
  };
  if (column.translate) {
    const auto last = static_cast<std::int32_t>(column.n_translate) - 1;
    for (std::size_t row = start; row < stop; ++row) {
      const std::int32_t place = at(row) + 1;
      const std::int32_t slot = place < 0 || place > last ? missing_slot : column.translate[place];
      *out++ = slot < n_slots ? slot : unseen_slot;
    }
  } else {
    for (std::size_t row = start; row < stop; ++row) {
      const std::int32_t code = at(row);
      const std::int32_t slot = code < 0 ? missing_slot : code + first_slot;
      *out++ = slot < n_slots ? slot : unseen_slot;
    }
  }
}

// Slots of some rows, each below n_slots; with cuts the column holds numbers.
inline void read_slots(const Column& column, const std::vector<double>* cuts, std::size_t start, std::size_t stop,
                       std::int32_t n_slots, std::int32_t* out) {
  switch (column.type) {
    case CellType::int8: return read_codes<std::int8_t>(column, start, stop, n_slots, out);
    case CellType::int16: return read_codes<std::int16_t>(column, start, stop, n_slots, out);
    case CellType::int32: return read_codes<std::int32_t>(column, start, stop, n_slots, out);
    case CellType::real: break;
  }
  for (std::size_t row = start; row < stop; ++row) {
    const double x = column.number(row);
    if (std::isnan(x)) {
      *out++ = missing_slot;
    } else if (cuts) {
      *out++ = std::min(first_slot + bin_of(x, *cuts), n_slots - 1);
    } else {
      // A rank or code that the model does not have counts as unseen, -1 as well.
      const bool within = x >= 0.0 && x < static_cast<double>(n_slots - first_slot);
      *out++ = within ? first_slot + static_cast<std::int32_t>(x) : unseen_slot;
    }
  }
}

}  // namespace priorcase::bayes
