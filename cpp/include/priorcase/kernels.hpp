// The inner loops of the bound scan, for each kind of CPU. All give the same bytes.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "priorcase/store.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace priorcase {

struct Kernels {
  const char* name;
  double box_cost;  // what the bound of a box costs, in scans of a panel
  // Sets bit r of survivors where the saturating sum of row r's table entries is below 255.
  void (*scan)(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n, std::uint64_t* survivors);
  // The same for two queries, whose tables may lie apart; the codes are loaded once.
  void (*scan_two)(const std::uint8_t* panel, const std::uint8_t* tables, const std::uint8_t* other_tables,
                   std::size_t n, std::uint64_t* survivors, std::uint64_t* other_survivors);
  // Sets the bits of the rows with the least sums, as many as wanted and all that tie with the last of them.
  void (*promising)(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n, std::size_t wanted,
                    std::uint64_t* chosen);
  // Lower bounds in units of 1/factor, rounded down; 255 where the bound alone is out of reach.
  void (*round_down)(const double* lower, std::uint8_t* tables, std::size_t n, double reach, double factor);
  // The set of codes whose entry is 0, and the least entry over a set of codes.
  std::uint64_t (*zeros)(const std::uint8_t* table);
  unsigned (*smallest)(const std::uint8_t* table, std::uint64_t codes);
};

inline constexpr std::size_t panel_words = panel_rows / 64;

// Calls at_most with the least number up to 254 that lets as many rows pass as wanted; last of all with that number.
template <class AtMost>
inline void least_most(std::size_t wanted, const AtMost& at_most) {
  unsigned low = 0, high = 254;
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    if (at_most(middle) >= wanted)
      high = middle;
    else
      low = middle + 1;
  }
  at_most(high);
}

namespace scalar {

inline void sum(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n, std::uint8_t* sums) {
  std::fill(sums, sums + panel_rows, std::uint8_t{0});
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t r = 0; r < panel_rows; ++r) {
      const unsigned sum = sums[r] + tables[a * n_codes + panel[a * panel_rows + r]];
      sums[r] = static_cast<std::uint8_t>(sum > 255 ? 255 : sum);
    }
}

// Sets the bits of the rows whose sum is at most a number; returns how many there are.
inline std::size_t at_most(const std::uint8_t* sums, unsigned most, std::uint64_t* rows) {
  std::size_t count = 0;
  for (std::size_t w = 0; w < panel_words; ++w) {
    rows[w] = 0;
    for (std::size_t r = 0; r < 64; ++r) rows[w] |= static_cast<std::uint64_t>(sums[w * 64 + r] <= most) << r;
    count += __builtin_popcountll(rows[w]);
  }
  return count;
}

inline void scan(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n, std::uint64_t* survivors) {
  std::uint8_t sums[panel_rows];
  sum(panel, tables, n, sums);
  at_most(sums, 254, survivors);
}

// Two scans, one after the other, for CPUs that would gain nothing by more.
template <void (*Scan)(const std::uint8_t*, const std::uint8_t*, std::size_t, std::uint64_t*)>
inline void scan_two(const std::uint8_t* panel, const std::uint8_t* tables, const std::uint8_t* other_tables,
                     std::size_t n, std::uint64_t* survivors, std::uint64_t* other_survivors) {
  Scan(panel, tables, n, survivors);
  Scan(panel, other_tables, n, other_survivors);
}

inline void promising(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n, std::size_t wanted,
                      std::uint64_t* chosen) {
  std::uint8_t sums[panel_rows];
  sum(panel, tables, n, sums);
  least_most(wanted, [&](unsigned most) { return at_most(sums, most, chosen); });
}

#define PRIORCASE_ROUND_DOWN                                                        \
  for (std::size_t i = 0; i < n; ++i) {                                             \
    const double scaled = lower[i] * factor;                                        \
    const int units = static_cast<int>(scaled < 254.0 ? scaled : 254.0);            \
    tables[i] = static_cast<std::uint8_t>(lower[i] > reach ? 255 : units);          \
  }

inline void round_down(const double* lower, std::uint8_t* tables, std::size_t n, double reach, double factor) {
  PRIORCASE_ROUND_DOWN
}

inline std::uint64_t zeros(const std::uint8_t* table) {
  std::uint64_t codes = 0;
  for (std::size_t c = 0; c < n_codes; ++c) codes |= static_cast<std::uint64_t>(table[c] == 0) << c;
  return codes;
}

inline unsigned smallest(const std::uint8_t* table, std::uint64_t codes) {
  unsigned least = 255;
  for (; codes; codes &= codes - 1) least = std::min<unsigned>(least, table[__builtin_ctzll(codes)]);
  return least;
}

}  // namespace scalar

#if defined(__x86_64__)

#define PRIORCASE_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")))
#define PRIORCASE_AVX2 __attribute__((target("avx2")))

// GCC 12 takes the deliberately undefined registers inside its own intrinsics for mistakes.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace avx512 {

// One table look-up for 64 rows is one byte permutation. Ends early once every sum is full.
PRIORCASE_AVX512 inline void add_up(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n,
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

PRIORCASE_AVX512 inline void scan(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n,
                                  std::uint64_t* survivors) {
  __m512i sums[panel_words];
  add_up(panel, tables, n, sums);
  for (std::size_t w = 0; w < panel_words; ++w)
    survivors[w] = _mm512_cmpneq_epu8_mask(sums[w], _mm512_set1_epi8(-1));
}

PRIORCASE_AVX512 inline void scan_two(const std::uint8_t* panel, const std::uint8_t* tables,
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

PRIORCASE_AVX512 inline std::size_t at_most(const __m512i* sums, unsigned most, std::uint64_t* rows) {
  std::size_t count = 0;
  for (std::size_t w = 0; w < panel_words; ++w) {
    rows[w] = _mm512_cmple_epu8_mask(sums[w], _mm512_set1_epi8(static_cast<char>(most)));
    count += __builtin_popcountll(rows[w]);
  }
  return count;
}

PRIORCASE_AVX512 inline void promising(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n,
                                       std::size_t wanted, std::uint64_t* chosen) {
  __m512i sums[panel_words];
  add_up(panel, tables, n, sums);
  const __m512i* found = sums;
  least_most(wanted, [found, chosen](unsigned most) { return at_most(found, most, chosen); });
}

PRIORCASE_AVX512 inline void round_down(const double* lower, std::uint8_t* tables, std::size_t n, double reach,
                                        double factor) {
  PRIORCASE_ROUND_DOWN
}

PRIORCASE_AVX512 inline std::uint64_t zeros(const std::uint8_t* table) {
  return _mm512_testn_epi8_mask(_mm512_load_si512(table), _mm512_set1_epi8(-1));
}

PRIORCASE_AVX512 inline unsigned smallest(const std::uint8_t* table, std::uint64_t codes) {
  const __m512i chosen = _mm512_mask_mov_epi8(_mm512_set1_epi8(-1), codes, _mm512_load_si512(table));
  const __m256i half = _mm256_min_epu8(_mm512_castsi512_si256(chosen), _mm512_extracti64x4_epi64(chosen, 1));
  const __m128i quarter = _mm_min_epu8(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
  const __m128i pairs = _mm_min_epu8(quarter, _mm_srli_epi16(quarter, 8));
  return static_cast<unsigned>(_mm_extract_epi8(_mm_minpos_epu16(_mm_and_si128(pairs, _mm_set1_epi16(255))), 0));
}

}  // namespace avx512

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

namespace avx2 {

inline constexpr std::size_t lanes = panel_rows / 32;

// A 64-entry look-up is four 16-entry shuffles, chosen by bits 4 and 5 of the code.
PRIORCASE_AVX2 inline __m256i look_up(const __m256i* quarters, __m256i codes) {
  const __m256i bit4 = _mm256_slli_epi16(codes, 3);
  const __m256i bit5 = _mm256_slli_epi16(codes, 2);
  const __m256i low = _mm256_blendv_epi8(_mm256_shuffle_epi8(quarters[0], codes),
                                         _mm256_shuffle_epi8(quarters[1], codes), bit4);
  const __m256i high = _mm256_blendv_epi8(_mm256_shuffle_epi8(quarters[2], codes),
                                          _mm256_shuffle_epi8(quarters[3], codes), bit4);
  return _mm256_blendv_epi8(low, high, bit5);
}

PRIORCASE_AVX2 inline std::uint32_t lost(__m256i sums) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(sums, _mm256_set1_epi8(-1))));
}

PRIORCASE_AVX2 inline void add_up(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n,
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

PRIORCASE_AVX2 inline void scan(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n,
                                std::uint64_t* survivors) {
  __m256i sums[lanes];
  add_up(panel, tables, n, sums);
  for (std::size_t w = 0; w < panel_words; ++w)
    survivors[w] = ~(static_cast<std::uint64_t>(lost(sums[2 * w + 1])) << 32 | lost(sums[2 * w]));
}

PRIORCASE_AVX2 inline void promising(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n,
                                     std::size_t wanted, std::uint64_t* chosen) {
  __m256i sums[lanes];
  add_up(panel, tables, n, sums);
  std::uint8_t bytes[panel_rows];
  std::memcpy(bytes, sums, panel_rows);
  const std::uint8_t* found = bytes;
  least_most(wanted, [found, chosen](unsigned most) { return scalar::at_most(found, most, chosen); });
}

PRIORCASE_AVX2 inline void round_down(const double* lower, std::uint8_t* tables, std::size_t n, double reach,
                                      double factor) {
  PRIORCASE_ROUND_DOWN
}

PRIORCASE_AVX2 inline std::uint64_t zeros(const std::uint8_t* table) {
  const __m256i* halves = reinterpret_cast<const __m256i*>(table);
  const __m256i none = _mm256_setzero_si256();
  const auto low = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_load_si256(halves), none)));
  const auto high =
      static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_load_si256(halves + 1), none)));
  return static_cast<std::uint64_t>(high) << 32 | low;
}

}  // namespace avx2

#endif

// The paths this CPU can run, slowest first.
inline const std::vector<Kernels>& available_kernels() {
  static const std::vector<Kernels> paths = [] {
    std::vector<Kernels> found{{"scalar", 0.02, scalar::scan, scalar::scan_two<scalar::scan>, scalar::promising,
                                scalar::round_down, scalar::zeros, scalar::smallest}};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
      found.push_back({"avx2", 0.2, avx2::scan, scalar::scan_two<avx2::scan>, avx2::promising, avx2::round_down,
                       avx2::zeros, scalar::smallest});
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi"))
      found.push_back({"avx512", 0.5, avx512::scan, avx512::scan_two, avx512::promising, avx512::round_down,
                       avx512::zeros, avx512::smallest});
#endif
    return found;
  }();
  return paths;
}

inline std::atomic<const Kernels*>& chosen_kernels() {
  static std::atomic<const Kernels*> chosen{&available_kernels().back()};
  return chosen;
}

inline const Kernels& kernels() { return *chosen_kernels().load(std::memory_order_relaxed); }

inline bool choose_kernels(const std::string& name) {
  for (const Kernels& path : available_kernels())
    if (name == path.name) {
      chosen_kernels().store(&path);
      return true;
    }
  return false;
}

}  // namespace priorcase
