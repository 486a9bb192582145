// The inner loops of similarities, compiled once for each instruction set. All versions give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cpu.hpp"

namespace priorcase::cases {

// The number of texts whose edit distances are computed side by side: each step of a text depends on its previous step,
// but not on the other texts.
inline constexpr std::size_t n_lanes = 16;

// For each of these texts, 64 differences of the current column of its table: see edit_distance.hpp.
struct EditLanes {
  alignas(64) std::uint64_t grows[n_lanes];
  alignas(64) std::uint64_t falls[n_lanes];
};

// The number of groups that the values of a column are divided into: as many as the search has bins, so that its byte
// tables have an entry for each group.
inline constexpr std::size_t n_groups = 62;

// Which differences from a point make values less similar: all, or only those of larger or of smaller values.
enum class Side : std::uint8_t { both, larger, smaller };

struct Loops {
  // Advances all lanes by `steps` symbols: `symbols` has the first symbol of every lane, then the second, and so on.
  // places[s] has a bit for each position of symbol s in the text asked about.
  void (*advance)(EditLanes& lanes, const std::uint32_t* symbols, std::size_t steps, const std::uint64_t* places);
  // Writes, for each lane, the sum of the differences of its column over the cells of the mask.
  void (*growths)(const EditLanes& lanes, std::uint64_t mask, std::int64_t* found);
  // Returns whether all numbers are from 0 to 1.
  bool (*within_unit)(const double* numbers, std::size_t n);
  // Writes the largest number of each group, where number i is in group i % 62.
  void (*largest_in_turn)(const double* numbers, std::size_t n, double* largest);
  // Writes max(0, 1 - difference / length); if the length is 0, 1 where there is no difference and 0 elsewhere.
  void (*falling)(const double* points, std::size_t n, double point, double length, Side side, double* found);
};

PRIORCASE_PATHS_OF(Loops, loops)

}  // namespace priorcase::cases
