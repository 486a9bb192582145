// For x86 CPUs with AVX2.
#include <immintrin.h>

#include "search/kernels/common.hpp"

namespace priorcase::search::avx2 {

namespace {

constexpr std::size_t lanes = panel_rows / 32;

// A 64-entry lookup: four 16-entry shuffles, selected by bits 4 and 5 of the code.
__m256i look_up(const __m256i* quarters, __m256i codes) {
  const __m256i bit4 = _mm256_slli_epi16(codes, 3);
  const __m256i bit5 = _mm256_slli_epi16(codes, 2);
  const __m256i low = _mm256_blendv_epi8(_mm256_shuffle_epi8(quarters[0], codes),
                                         _mm256_shuffle_epi8(quarters[1], codes), bit4);
  const __m256i high = _mm256_blendv_epi8(_mm256_shuffle_epi8(quarters[2], codes),
                                          _mm256_shuffle_epi8(quarters[3], codes), bit4);
  return _mm256_blendv_epi8(low, high, bit5);
}

std::uint32_t lost(__m256i sums) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(sums, _mm256_set1_epi8(-1))));
}

void add_up(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n,
                                  __m256i* sums) {
  for (std::size_t l = 0; l < lanes; ++l) sums[l] = _mm256_setzero_si256();
  for (std::size_t a = 0; a < n; ++a) {
    __m256i quarters[4];
    for (std::size_t q = 0; q < 4; ++q)
      quarters[q] = _mm256_broadcastsi128_si256(
          _mm_load_si128(reinterpret_cast<const __m128i*>(tables + a * n_codes + 16 * q)));
    const __m256i* codes = reinterpret_cast<const __m256i*>(panel + a * panel_rows);
    for (std::size_t l = 0; l < lanes; ++l)
      sums[l] = _mm256_adds_epu8(sums[l], look_up(quarters, _mm256_load_si256(codes + l)));
  }
}

void scan(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n, std::uint64_t* survivors,
          std::uint8_t* bytes) {
  __m256i sums[lanes];
  add_up(panel, tables, n, sums);
  for (std::size_t l = 0; l < lanes; ++l) _mm256_store_si256(reinterpret_cast<__m256i*>(bytes) + l, sums[l]);
  for (std::size_t w = 0; w < panel_words; ++w)
    survivors[w] = ~(static_cast<std::uint64_t>(lost(sums[2 * w + 1])) << 32 | lost(sums[2 * w]));
}

std::size_t promising(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n,
                                     std::size_t wanted, std::uint64_t* chosen) {
  __m256i sums[lanes];
  add_up(panel, tables, n, sums);
  std::uint8_t bytes[panel_rows];
  for (std::size_t l = 0; l < lanes; ++l) _mm256_storeu_si256(reinterpret_cast<__m256i*>(bytes) + l, sums[l]);
  const std::uint8_t* found = bytes;
  return least_most(wanted, [found, chosen](unsigned most) { return rows_at_most(found, most, chosen); });
}

struct Table {
  explicit Table(const std::uint8_t* table) {
    for (std::size_t q = 0; q < 4; ++q)
      quarters[q] = _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(table + 16 * q)));
  }

  __m256i operator()(const std::uint8_t* codes) const {
    return look_up(quarters, _mm256_load_si256(reinterpret_cast<const __m256i*>(codes)));
  }

  __m256i quarters[4];
};

std::uint64_t scan_leaf(const std::uint8_t* panel, std::size_t leaf, const std::uint8_t* tables, std::size_t n,
                        std::uint8_t* sums) {
  __m256i low = _mm256_setzero_si256(), high = low;
  for (std::size_t a = 0; a < n; ++a) {
    const Table table(tables + a * n_codes);
    const std::uint8_t* codes = panel + a * panel_rows + leaf * leaf_rows;
    low = _mm256_adds_epu8(low, table(codes));
    high = _mm256_adds_epu8(high, table(codes + 32));
  }
  _mm256_store_si256(reinterpret_cast<__m256i*>(sums), low);
  _mm256_store_si256(reinterpret_cast<__m256i*>(sums + 32), high);
  return ~(static_cast<std::uint64_t>(lost(high)) << 32 | lost(low));
}

void bound_leaves(const std::uint8_t* boxes, std::size_t groups, const std::uint8_t* tables,
                  const std::uint8_t* symbols, std::size_t n, std::uint8_t* bounds) {
  for (std::size_t g = 0; g < groups; ++g)
    for (std::size_t half = 0; half < 64; half += 32) {
      __m256i sums = _mm256_setzero_si256();
      for (std::size_t a = 0; a < n; ++a) {
        const std::uint8_t* box = boxes + (g * n + a) * box_bytes + half;
        const Table first(tables + a * 3 * n_codes);
        __m256i bound;
        if (symbols[a]) {
          bound = _mm256_min_epu8(first(box), _mm256_min_epu8(first(box + 64), first(box + 128)));
        } else {
          const Table second(tables + (a * 3 + 1) * n_codes), third(tables + (a * 3 + 2) * n_codes);
          bound = _mm256_min_epu8(_mm256_adds_epu8(first(box), second(box + 64)), third(box + 128));
        }
        sums = _mm256_adds_epu8(sums, bound);
      }
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(bounds + g * 64 + half), sums);
    }
}

// Codes of rows are below 128, so that the sum of two products fits into 16 bits. Handles sixteen rows at a time.
void dots_at_least(const std::uint8_t* codes, const std::int32_t* norms, std::size_t fours,
                   const std::uint8_t* const* queries, const std::int32_t* least,
                   std::uint64_t (*rows)[panel_words]) {
  const __m256i ones = _mm256_set1_epi16(1);
  for (std::size_t q = 0; q < 4; ++q)
    for (std::size_t w = 0; w < panel_words; ++w) rows[q][w] = 0;
  for (std::size_t first = 0; first < panel_rows; first += 16) {
    __m256i sums[2][4];
    for (std::size_t l = 0; l < 2; ++l)
      for (std::size_t q = 0; q < 4; ++q)
        sums[l][q] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(norms + first + 8 * l));
    for (std::size_t f = 0; f < fours; ++f) {
      const __m256i* const row = reinterpret_cast<const __m256i*>(codes + (f * panel_rows + first) * 4);
      for (std::size_t q = 0; q < 4; ++q) {
        const __m256i query = _mm256_set1_epi32(four_at(queries[q] + 4 * f));
        for (std::size_t l = 0; l < 2; ++l) {
          const __m256i pairs = _mm256_maddubs_epi16(_mm256_load_si256(row + l), query);
          sums[l][q] = _mm256_add_epi32(sums[l][q], _mm256_madd_epi16(pairs, ones));
        }
      }
    }
    for (std::size_t q = 0; q < 4; ++q)
      for (std::size_t l = 0; l < 2; ++l) {
        const __m256i less = _mm256_cmpgt_epi32(_mm256_set1_epi32(least[q]), sums[l][q]);
        const auto mask = static_cast<std::uint8_t>(~_mm256_movemask_ps(_mm256_castsi256_ps(less)));
        rows[q][first / 64] |= static_cast<std::uint64_t>(mask) << (first % 64 + 8 * l);
      }
  }
}

}  // namespace

const Kernels kernels{scan, scan_each<scan>, promising, scan_leaf, round_down, bound_numbers, split_table,
                      bound_leaves, places_at_most, dots_at_least};

}  // namespace priorcase::search::avx2
