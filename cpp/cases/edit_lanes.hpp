// Four texts of an edit distance side by side: each step of one waits for the step before, but not for other texts.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace priorcase::cases {

// 64 differences of a column of the table: where it grows and where it falls from one cell to the next below.
struct ColumnPart {
  std::uint64_t grows = ~std::uint64_t{0}, falls = 0;

  // On to the next character, which stands at the places `equal` of the text asked about; what the part above hands on
  // comes in, and what this one hands on goes out.
  void step(std::uint64_t equal, std::uint64_t& grown_above, std::uint64_t& fallen_above) {
    const std::uint64_t match = equal | fallen_above;
    const std::uint64_t diagonal = (((match & grows) + grows) ^ grows) | match | falls;
    const std::uint64_t right = falls | ~(diagonal | grows), left = diagonal & grows;
    const std::uint64_t from_above = right << 1 | grown_above;
    grows = (left << 1 | fallen_above) | ~(diagonal | from_above);
    falls = from_above & diagonal;
    grown_above = right >> 63;
    fallen_above = left >> 63;
  }

  // How much it grows from the top to the cell so far below, 1 to 64.
  std::int64_t growth(std::size_t cells) const {
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - cells);
    return std::popcount(grows & mask) - std::popcount(falls & mask);
  }
};

// For each character the places where it stands; characters beyond the table are as the last one, which stands nowhere.
struct CharacterPlaces {
  const std::uint64_t* table;
  std::uint32_t last;

  std::uint64_t of(std::uint32_t character) const { return table[character < last ? character : last]; }
};

inline constexpr std::size_t n_lanes = 4;

struct EditLanes {
  const std::uint32_t* at[n_lanes];
  std::uint64_t grows[n_lanes], falls[n_lanes];
};

// Advances each lane by so many characters of its text.
using EditAdvance = void (*)(EditLanes& lanes, std::size_t steps, const CharacterPlaces& places);

namespace scalar {
void advance(EditLanes& lanes, std::size_t steps, const CharacterPlaces& places);
}
namespace avx2 {
void advance(EditLanes& lanes, std::size_t steps, const CharacterPlaces& places);
}

// That of the path in use.
EditAdvance edit_advance();

}  // namespace priorcase::cases
