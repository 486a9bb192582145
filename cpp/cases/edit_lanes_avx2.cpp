#include <immintrin.h>

#include "cases/edit_lanes.hpp"

namespace priorcase::cases::avx2 {

namespace {

__m256i places_of(const EditLanes& lanes, std::size_t j, const CharacterPlaces& places) {
  const auto one = [&](std::size_t l) {
    return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(places.table + (lanes.at[l][j] < places.last ? lanes.at[l][j] : places.last)));
  };
  const __m128i low = _mm_unpacklo_epi64(one(0), one(1)), high = _mm_unpacklo_epi64(one(2), one(3));
  return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

}  // namespace

// The same as `step` of a first part, for four texts at once.
void advance(EditLanes& lanes, std::size_t steps, const CharacterPlaces& places) {
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

}  // namespace priorcase::cases::avx2
