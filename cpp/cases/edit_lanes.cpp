#include "cases/edit_lanes.hpp"

#include "base/cpu.hpp"

namespace priorcase::cases {

namespace scalar {

void advance(EditLanes& lanes, std::size_t steps, const CharacterPlaces& places) {
  for (std::size_t l = 0; l < n_lanes; ++l) {
    ColumnPart column{lanes.grows[l], lanes.falls[l]};
    for (std::size_t j = 0; j < steps; ++j) {
      std::uint64_t grown_above = 1, fallen_above = 0;
      column.step(places.of(lanes.at[l][j]), grown_above, fallen_above);
    }
    lanes.grows[l] = column.grows;
    lanes.falls[l] = column.falls;
  }
}

}  // namespace scalar

EditAdvance edit_advance() {
#if PRIORCASE_X86
  if (base::path() != base::Path::scalar) return avx2::advance;
#endif
  return scalar::advance;
}

}  // namespace priorcase::cases
