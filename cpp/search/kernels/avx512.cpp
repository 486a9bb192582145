// For x86 CPUs with AVX-512 and its byte permutation.
#include <immintrin.h>

#include "search/kernels/common.hpp"

// GCC 12 takes the deliberately undefined registers inside its own intrinsics for mistakes.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace priorcase::search::avx512 {

namespace {

// One table look-up for 64 rows is one byte permutation. Ends early once every sum is full.
void add_up(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n,
                                    __m512i* sums) {
  __m512i s0 = _mm512_setzero_si512(), s1 = s0, s2 = s0, s3 = s0;
  for (std::size_t a = 0; a < n; ++a) {
    const __m512i table = _mm512_load_si512(tables + a * n_codes);
    const std::uint8_t* codes = panel + a * panel_rows;
    s0 = _mm512_adds_epu8(s0, _mm512_permutexvar_epi8(_mm512_load_si512(codes), table));
    s1 = _mm512_adds_epu8(s1, _mm512_permutexvar_epi8(_mm512_load_si512(codes + 64), table));
    s2 = _mm512_adds_epu8(s2, _mm512_permutexvar_epi8(_mm512_load_si512(codes + 128), table));
    s3 = _mm512_adds_epu8(s3, _mm512_permutexvar_epi8(_mm512_load_si512(codes + 192), table));
    if ((a & 15) == 15) {
      const __m512i least = _mm512_min_epu8(_mm512_min_epu8(s0, s1), _mm512_min_epu8(s2, s3));
      if (_mm512_cmpneq_epu8_mask(least, _mm512_set1_epi8(-1)) == 0) break;
    }
  }
  sums[0] = s0;
  sums[1] = s1;
  sums[2] = s2;
  sums[3] = s3;
}

void scan(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n,
                                  std::uint64_t* survivors) {
  __m512i sums[panel_words];
  add_up(panel, tables, n, sums);
  for (std::size_t w = 0; w < panel_words; ++w)
    survivors[w] = _mm512_cmpneq_epu8_mask(sums[w], _mm512_set1_epi8(-1));
}

void scan_two(const std::uint8_t* panel, const std::uint8_t* tables,
                                      const std::uint8_t* other_tables, std::size_t n, std::uint64_t* survivors,
                                      std::uint64_t* other_survivors) {
  __m512i s0 = _mm512_setzero_si512(), s1 = s0, s2 = s0, s3 = s0, t0 = s0, t1 = s0, t2 = s0, t3 = s0;
  const __m512i full = _mm512_set1_epi8(-1);
  for (std::size_t a = 0; a < n; ++a) {
    const __m512i one = _mm512_load_si512(tables + a * n_codes), other = _mm512_load_si512(other_tables + a * n_codes);
    const std::uint8_t* codes = panel + a * panel_rows;
    const __m512i c0 = _mm512_load_si512(codes), c1 = _mm512_load_si512(codes + 64);
    const __m512i c2 = _mm512_load_si512(codes + 128), c3 = _mm512_load_si512(codes + 192);
    s0 = _mm512_adds_epu8(s0, _mm512_permutexvar_epi8(c0, one));
    s1 = _mm512_adds_epu8(s1, _mm512_permutexvar_epi8(c1, one));
    s2 = _mm512_adds_epu8(s2, _mm512_permutexvar_epi8(c2, one));
    s3 = _mm512_adds_epu8(s3, _mm512_permutexvar_epi8(c3, one));
    t0 = _mm512_adds_epu8(t0, _mm512_permutexvar_epi8(c0, other));
    t1 = _mm512_adds_epu8(t1, _mm512_permutexvar_epi8(c1, other));
    t2 = _mm512_adds_epu8(t2, _mm512_permutexvar_epi8(c2, other));
    t3 = _mm512_adds_epu8(t3, _mm512_permutexvar_epi8(c3, other));
  }
  survivors[0] = _mm512_cmpneq_epu8_mask(s0, full);
  survivors[1] = _mm512_cmpneq_epu8_mask(s1, full);
  survivors[2] = _mm512_cmpneq_epu8_mask(s2, full);
  survivors[3] = _mm512_cmpneq_epu8_mask(s3, full);
  other_survivors[0] = _mm512_cmpneq_epu8_mask(t0, full);
  other_survivors[1] = _mm512_cmpneq_epu8_mask(t1, full);
  other_survivors[2] = _mm512_cmpneq_epu8_mask(t2, full);
  other_survivors[3] = _mm512_cmpneq_epu8_mask(t3, full);
}

std::size_t at_most(const __m512i* sums, unsigned most, std::uint64_t* rows) {
  std::size_t count = 0;
  for (std::size_t w = 0; w < panel_words; ++w) {
    rows[w] = _mm512_cmple_epu8_mask(sums[w], _mm512_set1_epi8(static_cast<char>(most)));
    count += count_bits(rows[w]);
  }
  return count;
}

void promising(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n,
                                       std::size_t wanted, std::uint64_t* chosen) {
  __m512i sums[panel_words];
  add_up(panel, tables, n, sums);
  const __m512i* found = sums;
  least_most(wanted, [found, chosen](unsigned most) { return at_most(found, most, chosen); });
}

std::uint64_t zeros(const std::uint8_t* table) {
  return _mm512_testn_epi8_mask(_mm512_load_si512(table), _mm512_set1_epi8(-1));
}

unsigned smallest_of(const std::uint8_t* table, std::uint64_t codes) {
  const __m512i chosen = _mm512_mask_mov_epi8(_mm512_set1_epi8(-1), codes, _mm512_load_si512(table));
  const __m256i half = _mm256_min_epu8(_mm512_castsi512_si256(chosen), _mm512_extracti64x4_epi64(chosen, 1));
  const __m128i quarter = _mm_min_epu8(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
  const __m128i pairs = _mm_min_epu8(quarter, _mm_srli_epi16(quarter, 8));
  return static_cast<unsigned>(_mm_extract_epi8(_mm_minpos_epu16(_mm_and_si128(pairs, _mm_set1_epi16(255))), 0));
}

}  // namespace

const Kernels kernels{0.5, scan, scan_two, promising, round_down, zeros, smallest_of};

}  // namespace priorcase::search::avx512
