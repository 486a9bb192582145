// The inner loops of similarities, compiled once for each instruction set. All versions give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cpu.hpp"

namespace priorcase::cases {

// Texts whose edit distances are computed side by side: each step of a text depends on the step before it, but not on
// the other texts. For each of them 64 differences of a column of its table, see edit_distance.hpp.
inline constexpr std::size_t n_lanes = 16;

struct EditLanes {
  alignas(64) std::uint64_t grows[n_lanes];
  alignas(64) std::uint64_t falls[n_lanes];
};

// Values of a column share this many groups, such that the group of a value has a place in a table of bytes.
inline constexpr std::size_t n_groups = 62;

// Which differences from a point count: all, or only those of larger or of smaller values.
enum class Side : std::uint8_t { both, larger, smaller };

struct Loops {
  // Advances all lanes by so many symbols, the first of all lanes, then the second; `places` are those of each symbol.
  void (*advance)(EditLanes& lanes, const std::uint32_t* symbols, std::size_t steps, const std::uint64_t* places);
  // For each lane how much its column grows over the cells of the mask.
  void (*growths)(const EditLanes& lanes, std::uint64_t mask, std::int64_t* found);
  // Whether all numbers are from 0 to 1.
  bool (*within_unit)(const double* numbers, std::size_t n);
  // For each group the largest of its numbers, if those are in groups 0, 1, ..., 61, 0, 1, ... in turn.
  void (*largest_in_turn)(const double* numbers, std::size_t n, double* largest);
  // max(0, 1 - difference / length); where the length is 0, 1 for no difference.
  void (*falling)(const double* points, std::size_t n, double point, double length, Side side, double* found);
};

PRIORCASE_PATHS_OF(Loops, loops)

}  // namespace priorcase::cases
