// Compiled once for each instruction set: PRIORCASE_PATH is its name, and its registers hold PRIORCASE_WIDTH numbers.
#include "cases/loops.hpp"

#include <utility>

namespace priorcase::cases::PRIORCASE_PATH {

namespace {

constexpr std::size_t width = PRIORCASE_WIDTH, registers = n_lanes / width;

typedef std::uint64_t Register __attribute__((vector_size(width * sizeof(std::uint64_t)), may_alias));
typedef double Numbers __attribute__((vector_size(width * sizeof(double)), aligned(sizeof(double)), may_alias));
typedef std::int64_t Truths __attribute__((vector_size(width * sizeof(double))));

// Loads all lanes in one expression: inserted one after the other, each would wait for the previous one.
template <std::size_t... Lanes>
PRIORCASE_INLINE Register look_up(const std::uint64_t* places, const std::uint32_t* symbols,
                                  std::index_sequence<Lanes...>) {
  return Register{places[symbols[Lanes]]...};
}

// The same as ColumnPart::step for the topmost part, for all lanes at once, with `right` and `from_above` complemented.
void advance(EditLanes& lanes, const std::uint32_t* symbols, std::size_t steps, const std::uint64_t* places) {
  Register grows[registers], falls[registers];
  for (std::size_t r = 0; r < registers; ++r) {
    grows[r] = *reinterpret_cast<const Register*>(lanes.grows + r * width);
    falls[r] = *reinterpret_cast<const Register*>(lanes.falls + r * width);
  }
  for (std::size_t j = 0; j < steps; ++j, symbols += n_lanes)
    for (std::size_t r = 0; r < registers; ++r) {
      const Register equal = look_up(places, symbols + r * width, std::make_index_sequence<width>());
      const Register diagonal = (((equal & grows[r]) + grows[r]) ^ grows[r]) | (equal | falls[r]);
      const Register not_right = ~falls[r] & (diagonal | grows[r]), not_from_above = not_right << 1;
      grows[r] = (diagonal & grows[r]) << 1 | (~diagonal & not_from_above);
      falls[r] = ~not_from_above & diagonal;
    }
  for (std::size_t r = 0; r < registers; ++r) {
    *reinterpret_cast<Register*>(lanes.grows + r * width) = grows[r];
    *reinterpret_cast<Register*>(lanes.falls + r * width) = falls[r];
  }
}

PRIORCASE_INLINE std::uint64_t bits_of(std::uint64_t word) {
  word -= word >> 1 & 0x5555555555555555u;
  word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
  word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
  word += word >> 8;
  word += word >> 16;
  return (word + (word >> 32)) & 0x7Fu;
}

void growths(const EditLanes& lanes, std::uint64_t mask, std::int64_t* found) {
  for (std::size_t l = 0; l < n_lanes; ++l)
    found[l] = static_cast<std::int64_t>(bits_of(lanes.grows[l] & mask)) -
               static_cast<std::int64_t>(bits_of(lanes.falls[l] & mask));
}

bool within_unit(const double* numbers, std::size_t n) {
  std::size_t i = 0;
  Truths all = Truths{} == Truths{};
  for (; i + 2 * width <= n; i += 2 * width) {
    const Numbers one = *reinterpret_cast<const Numbers*>(numbers + i);
    const Numbers other = *reinterpret_cast<const Numbers*>(numbers + i + width);
    all &= (one >= 0.0) & (one <= 1.0) & (other >= 0.0) & (other <= 1.0);
  }
  bool found = true;
  for (std::size_t l = 0; l < width; ++l) found = found && all[l] != 0;
  for (; i < n; ++i) found = found && numbers[i] >= 0.0 && numbers[i] <= 1.0;
  return found;
}

void largest_in_turn(const double* numbers, std::size_t n, double* largest) {
  double found[n_groups] = {};
  std::size_t start = 0;
  for (; start + n_groups <= n; start += n_groups)
    for (std::size_t g = 0; g < n_groups; ++g) found[g] = numbers[start + g] > found[g] ? numbers[start + g] : found[g];
  for (std::size_t g = 0; start + g < n; ++g) found[g] = numbers[start + g] > found[g] ? numbers[start + g] : found[g];
  for (std::size_t g = 0; g < n_groups; ++g) largest[g] = found[g];
}

PRIORCASE_INLINE double fallen(double difference, double length) {
  const double left = 1.0 - difference / length;
  return left < 0.0 ? 0.0 : left;
}

void falling(const double* points, std::size_t n, double point, double length, Side side, double* found) {
  if (length == 0.0) {
    for (std::size_t i = 0; i < n; ++i) {
      const double difference = points[i] - point;
      const bool counts = side == Side::both     ? difference != 0.0
                          : side == Side::larger ? difference > 0.0
                                                 : difference < 0.0;
      found[i] = counts ? 0.0 : 1.0;
    }
  } else if (side == Side::both) {
    for (std::size_t i = 0; i < n; ++i) {
      const double difference = points[i] - point;
      found[i] = fallen(difference < 0.0 ? -difference : difference, length);
    }
  } else {
    const double sign = side == Side::larger ? 1.0 : -1.0;
    for (std::size_t i = 0; i < n; ++i) {
      const double difference = sign * (points[i] - point);
      found[i] = fallen(difference > 0.0 ? difference : 0.0, length);
    }
  }
}

}  // namespace

const Loops loops{advance, growths, within_unit, largest_in_turn, falling};

}  // namespace priorcase::cases::PRIORCASE_PATH
