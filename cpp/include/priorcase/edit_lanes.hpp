// Four texts of an edit distance side by side: each step of one waits for the step before, but not for other texts.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "priorcase/kernels.hpp"

namespace priorcase {

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

  std::uint64_t of(std::uint32_t character) const { return table[std::min(character, last)]; }
};

inline constexpr std::size_t n_lanes = 4;

struct EditLanes {
  const std::uint32_t* at[n_lanes];
  std::uint64_t grows[n_lanes], falls[n_lanes];
};

namespace scalar {

inline void advance(EditLanes& lanes, std::size_t steps, const CharacterPlaces& places) {
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

#if defined(__x86_64__)

namespace avx2 {

PRIORCASE_AVX2 inline __m256i places_of(const EditLanes& lanes, std::size_t j, const CharacterPlaces& places) {
  const auto one = [&](std::size_t l) {
    return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(places.table + std::min(lanes.at[l][j], places.last)));
  };
  const __m128i low = _mm_unpacklo_epi64(one(0), one(1)), high = _mm_unpacklo_epi64(one(2), one(3));
  return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

// The same as `step` of a first part, for four texts at once.
PRIORCASE_AVX2 inline void advance(EditLanes& lanes, std::size_t steps, const CharacterPlaces& places) {
  const EditLanes from = lanes;
  const __m256i all = _mm256_set1_epi64x(-1), one = _mm256_set1_epi64x(1);
  __m256i grows = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from.grows));
  __m256i falls = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from.falls));
  for (std::size_t j = 0; j < steps; ++j) {
    const __m256i equal = places_of(from, j, places);
    const __m256i sum = _mm256_add_epi64(_mm256_and_si256(equal, grows), grows);
    const __m256i diagonal = _mm256_or_si256(_mm256_or_si256(_mm256_xor_si256(sum, grows), equal), falls);
    const __m256i right = _mm256_or_si256(falls, _mm256_andnot_si256(_mm256_or_si256(diagonal, grows), all));
    const __m256i left = _mm256_and_si256(diagonal, grows);
    const __m256i from_above = _mm256_or_si256(_mm256_slli_epi64(right, 1), one);
    const __m256i neither = _mm256_andnot_si256(_mm256_or_si256(diagonal, from_above), all);
    grows = _mm256_or_si256(_mm256_slli_epi64(left, 1), neither);
    falls = _mm256_and_si256(from_above, diagonal);
  }
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(lanes.grows), grows);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(lanes.falls), falls);
}

}  // namespace avx2

#endif

// That of the path in use.
inline auto edit_advance() -> void (*)(EditLanes&, std::size_t, const CharacterPlaces&) {
#if defined(__x86_64__)
  if (&kernels() != &available_kernels().front()) return avx2::advance;
#endif
  return scalar::advance;
}

}  // namespace priorcase
