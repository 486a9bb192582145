// For x86 CPUs with AVX-512 and its byte permutation.
#include <immintrin.h>

#include "search/kernels/common.hpp"

// GCC 12 warns about the deliberately undefined registers inside its own intrinsics.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace priorcase::search::avx512 {

namespace {

// A table lookup for 64 rows is a single byte permutation.
__m512i looked_up(const std::uint8_t* table, const std::uint8_t* codes) {
  return _mm512_permutexvar_epi8(_mm512_load_si512(codes), _mm512_load_si512(table));
}

// Stops early once every sum is saturated.
void add_up(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n, __m512i* sums) {
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

void scan(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n, std::uint64_t* survivors,
          std::uint8_t* bytes) {
  __m512i sums[panel_words];
  add_up(panel, tables, n, sums);
  for (std::size_t w = 0; w < panel_words; ++w) {
    survivors[w] = _mm512_cmpneq_epu8_mask(sums[w], _mm512_set1_epi8(-1));
    _mm512_store_si512(bytes + 64 * w, sums[w]);
  }
}

// Loads a register that is used twice; without the barrier, GCC would load it twice, too.
__m512i load_once(const std::uint8_t* codes) {
  __m512i loaded = _mm512_load_si512(codes);
  asm("" : "+v"(loaded));
  return loaded;
}

void scan_two(const std::uint8_t* panel, const std::uint8_t* tables, const std::uint8_t* other_tables, std::size_t n,
              std::uint64_t* survivors, std::uint64_t* other_survivors, std::uint8_t* sums, std::uint8_t* other_sums) {
  __m512i s0 = _mm512_setzero_si512(), s1 = s0, s2 = s0, s3 = s0, t0 = s0, t1 = s0, t2 = s0, t3 = s0;
  const __m512i full = _mm512_set1_epi8(-1);
  for (std::size_t a = 0; a < n; ++a) {
    const __m512i one = _mm512_load_si512(tables + a * n_codes), other = _mm512_load_si512(other_tables + a * n_codes);
    const std::uint8_t* codes = panel + a * panel_rows;
    const __m512i c0 = load_once(codes), c1 = load_once(codes + 64);
    const __m512i c2 = load_once(codes + 128), c3 = load_once(codes + 192);
    s0 = _mm512_adds_epu8(s0, _mm512_permutexvar_epi8(c0, one));
    s1 = _mm512_adds_epu8(s1, _mm512_permutexvar_epi8(c1, one));
    s2 = _mm512_adds_epu8(s2, _mm512_permutexvar_epi8(c2, one));
    s3 = _mm512_adds_epu8(s3, _mm512_permutexvar_epi8(c3, one));
    t0 = _mm512_adds_epu8(t0, _mm512_permutexvar_epi8(c0, other));
    t1 = _mm512_adds_epu8(t1, _mm512_permutexvar_epi8(c1, other));
    t2 = _mm512_adds_epu8(t2, _mm512_permutexvar_epi8(c2, other));
    t3 = _mm512_adds_epu8(t3, _mm512_permutexvar_epi8(c3, other));
  }
  _mm512_store_si512(sums, s0);
  _mm512_store_si512(sums + 64, s1);
  _mm512_store_si512(sums + 128, s2);
  _mm512_store_si512(sums + 192, s3);
  _mm512_store_si512(other_sums, t0);
  _mm512_store_si512(other_sums + 64, t1);
  _mm512_store_si512(other_sums + 128, t2);
  _mm512_store_si512(other_sums + 192, t3);
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

std::size_t promising(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n, std::size_t wanted,
                      std::uint64_t* chosen) {
  __m512i sums[panel_words];
  add_up(panel, tables, n, sums);
  const __m512i* found = sums;
  return least_most(wanted, [found, chosen](unsigned most) { return at_most(found, most, chosen); });
}

std::uint64_t scan_leaf(const std::uint8_t* panel, std::size_t leaf, const std::uint8_t* tables, std::size_t n,
                        std::uint8_t* sums) {
  const std::uint8_t* codes = panel + leaf * leaf_rows;
  __m512i even = _mm512_setzero_si512(), odd = even;
  std::size_t a = 0;
  for (; a + 2 <= n; a += 2) {
    even = _mm512_adds_epu8(even, looked_up(tables + a * n_codes, codes + a * panel_rows));
    odd = _mm512_adds_epu8(odd, looked_up(tables + (a + 1) * n_codes, codes + (a + 1) * panel_rows));
  }
  if (a < n) even = _mm512_adds_epu8(even, looked_up(tables + a * n_codes, codes + a * panel_rows));
  even = _mm512_adds_epu8(even, odd);
  _mm512_store_si512(sums, even);
  return _mm512_cmpneq_epu8_mask(even, _mm512_set1_epi8(-1));
}

void round_to_bytes(const float* lower, std::uint8_t* tables, std::size_t n, float reach, float factor) {
  const __m512 most = _mm512_set1_ps(254.0f), times = _mm512_set1_ps(factor), limit = _mm512_set1_ps(reach);
  for (std::size_t i = 0; i < n; i += 16) {
    const __m512 bound = _mm512_loadu_ps(lower + i);
    const __mmask16 beyond = _mm512_cmp_ps_mask(bound, limit, _CMP_GT_OQ);
    const __m512i units = _mm512_cvttps_epi32(_mm512_min_ps(_mm512_mul_ps(bound, times), most));
    const __m512i bytes = _mm512_mask_mov_epi32(units, beyond, _mm512_set1_epi32(255));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(tables + i), _mm512_cvtepi32_epi8(bytes));
  }
}

void bound_leaves(const std::uint8_t* boxes, std::size_t groups, const std::uint8_t* tables,
                  const std::uint8_t* symbols, std::size_t n, std::uint8_t* bounds) {
  for (std::size_t g = 0; g < groups; ++g) {
    __m512i sums = _mm512_setzero_si512();
    for (std::size_t a = 0; a < n; ++a) {
      const std::uint8_t* box = boxes + (g * n + a) * box_bytes;
      const std::uint8_t* table = tables + a * 3 * n_codes;
      const __m512i x = looked_up(table, box);
      __m512i bound;
      if (symbols[a])
        bound = _mm512_min_epu8(x, _mm512_min_epu8(looked_up(table, box + 64), looked_up(table, box + 128)));
      else
        bound = _mm512_min_epu8(_mm512_adds_epu8(x, looked_up(table + n_codes, box + 64)),
                                looked_up(table + 2 * n_codes, box + 128));
      sums = _mm512_adds_epu8(sums, bound);
    }
    _mm512_storeu_si512(bounds + g * 64, sums);
  }
}

std::uint8_t bound_of_numbers(const double* low, const double* high, double query, double unit, double weight,
                              bool square, float* lower) {
  const __m512d q = _mm512_set1_pd(query), u = _mm512_set1_pd(unit), w = _mm512_set1_pd(weight * slack);
  std::uint64_t not_above = 1;
  for (std::size_t c = 0; c < n_codes; c += 8) {
    const __m512d lows = _mm512_loadu_pd(low + c);
    const __m512d below = _mm512_sub_pd(lows, q), above = _mm512_sub_pd(q, _mm512_loadu_pd(high + c));
    const __m512d f = _mm512_mul_pd(_mm512_max_pd(_mm512_max_pd(below, above), _mm512_setzero_pd()), u);
    _mm256_storeu_ps(lower + c, _mm512_cvtpd_ps(_mm512_mul_pd(w, square ? _mm512_mul_pd(f, f) : f)));
    not_above |= static_cast<std::uint64_t>(_mm512_cmp_pd_mask(lows, q, _CMP_LE_OQ)) << c;
  }
  return static_cast<std::uint8_t>(63 - std::countl_zero(not_above));
}

void split_into_three(const std::uint8_t* table, std::uint8_t own, std::uint8_t* three) {
  alignas(64) static constexpr std::uint8_t codes[64] = {
      0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
      22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
      44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
  constexpr std::uint64_t numbers = (std::uint64_t{1} << n_bins) - 1;
  const __m512i entries = _mm512_load_si512(table), code = _mm512_load_si512(codes);
  const __m512i mine = _mm512_set1_epi8(static_cast<char>(own)), full = _mm512_set1_epi8(-1);
  const __mmask64 above = _mm512_cmpgt_epu8_mask(code, mine) & numbers;
  const __mmask64 below = _mm512_cmplt_epu8_mask(code, mine) & numbers;
  _mm512_store_si512(three, _mm512_mask_mov_epi8(_mm512_maskz_mov_epi8(above, entries), ~numbers, full));
  _mm512_store_si512(three + n_codes, _mm512_maskz_mov_epi8(below, entries));
  _mm512_store_si512(three + 2 * n_codes, _mm512_mask_mov_epi8(full, std::uint64_t{1} << missing_code, entries));
}

std::size_t all_at_most(const std::uint8_t* bytes, std::size_t groups, std::uint8_t most, std::uint32_t* places) {
  const __m512i limit = _mm512_set1_epi8(static_cast<char>(most));
  std::size_t count = 0;
  for (std::size_t g = 0; g < groups; ++g)
    for (std::uint64_t left = _mm512_cmple_epu8_mask(_mm512_loadu_si512(bytes + g * 64), limit); left; left &= left - 1)
      places[count++] = static_cast<std::uint32_t>(g * 64 + lowest_bit(left));
  return count;
}

void dots_at_least(const std::uint8_t* codes, const std::int32_t* norms, std::size_t fours,
                   const std::uint8_t* const* queries, const std::int32_t* least,
                   std::uint64_t (*rows)[panel_words]) {
  for (std::size_t w = 0; w < panel_words; ++w) {
    __m512i sums[4][4];
    for (std::size_t l = 0; l < 4; ++l)
      for (std::size_t q = 0; q < 4; ++q) sums[l][q] = _mm512_loadu_si512(norms + 64 * w + 16 * l);
    for (std::size_t f = 0; f < fours; ++f) {
      const std::uint8_t* const row = codes + (f * panel_rows + 64 * w) * 4;
      __m512i query[4];
      for (std::size_t q = 0; q < 4; ++q) query[q] = _mm512_set1_epi32(four_at(queries[q] + 4 * f));
      for (std::size_t l = 0; l < 4; ++l) {
        const __m512i sixteen = _mm512_load_si512(row + 64 * l);
        for (std::size_t q = 0; q < 4; ++q) sums[l][q] = _mm512_dpbusd_epi32(sums[l][q], sixteen, query[q]);
      }
    }
    for (std::size_t q = 0; q < 4; ++q) {
      const __m512i limit = _mm512_set1_epi32(least[q]);
      rows[q][w] = 0;
      for (std::size_t l = 0; l < 4; ++l)
        rows[q][w] |= static_cast<std::uint64_t>(_mm512_cmpge_epi32_mask(sums[l][q], limit)) << 16 * l;
    }
  }
}

}  // namespace

const Kernels kernels{scan, scan_two, promising, scan_leaf, round_to_bytes, bound_of_numbers, split_into_three,
                      bound_leaves, all_at_most, dots_at_least};

}  // namespace priorcase::search::avx512
