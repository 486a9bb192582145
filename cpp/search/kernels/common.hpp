// Helpers for the versions for different instruction sets. Each version compiles them with its own flags and keeps them
// private.
#pragma once

#include <bit>
#include <cstring>

#include "search/kernels/kernels.hpp"

namespace priorcase::search {

namespace {

// Finds the smallest threshold up to 254 at which at_most(threshold) is at least `wanted`, or 254 if there is none. The
// last call of at_most is with that threshold; returns its result.
template <class AtMost>
inline std::size_t least_most(std::size_t wanted, const AtMost& at_most) {
  unsigned low = 0, high = 254;
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    if (at_most(middle) >= wanted)
      high = middle;
    else
      low = middle + 1;
  }
  return at_most(high);
}

inline std::size_t lowest_bit(std::uint64_t word) { return static_cast<std::size_t>(std::countr_zero(word)); }

inline std::size_t count_bits(std::uint64_t word) {
  word -= word >> 1 & 0x5555555555555555u;
  word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
  word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
  return word * 0x0101010101010101u >> 56;
}

// Sets the bits of the rows whose sum is at most `most`; returns their number.
inline std::size_t rows_at_most(const std::uint8_t* sums, unsigned most, std::uint64_t* rows) {
  std::size_t count = 0;
  for (std::size_t w = 0; w < panel_words; ++w) {
    rows[w] = 0;
    for (std::size_t r = 0; r < 64; ++r) rows[w] |= static_cast<std::uint64_t>(sums[w * 64 + r] <= most) << r;
    count += count_bits(rows[w]);
  }
  return count;
}

inline void round_down(const float* lower, std::uint8_t* tables, std::size_t n, float reach, float factor) {
  for (std::size_t i = 0; i < n; ++i) {
    const float scaled = lower[i] * factor;
    const int units = static_cast<int>(scaled < 254.0f ? scaled : 254.0f);
    tables[i] = static_cast<std::uint8_t>(lower[i] > reach ? 255 : units);
  }
}

// Keeps bounds below the exact values, although reciprocals and sums are off by a few units in the last place.
constexpr double slack = 1.0 - 1e-6;

inline std::uint8_t bound_numbers(const double* low, const double* high, double query, double unit, double weight,
                                  bool square, float* lower) {
  weight *= slack;
  std::uint8_t own = 0;
  for (std::size_t c = 0; c < n_codes; ++c) {
    const double below = low[c] - query, above = query - high[c];
    const double outside = below > above ? below : above;
    const double f = (outside > 0.0 ? outside : 0.0) * unit;
    lower[c] = static_cast<float>(square ? weight * (f * f) : weight * f);
    own = low[c] <= query ? static_cast<std::uint8_t>(c) : own;
  }
  return own;
}

inline void split_table(const std::uint8_t* table, std::uint8_t own, std::uint8_t* three) {
  for (std::size_t c = 0; c < n_codes; ++c) {
    three[c] = c > own ? table[c] : 0;
    three[n_codes + c] = c < own ? table[c] : 0;
    three[2 * n_codes + c] = 255;
  }
  three[missing_code] = three[dead_code] = 255;
  three[n_codes + missing_code] = three[n_codes + dead_code] = 0;
  three[2 * n_codes + missing_code] = table[missing_code];
}

inline std::size_t places_at_most(const std::uint8_t* bytes, std::size_t groups, std::uint8_t most,
                                  std::uint32_t* places) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < groups * 64; ++i) {
    places[count] = static_cast<std::uint32_t>(i);
    count += bytes[i] <= most;
  }
  return count;
}

// Returns four codes as one 32-bit integer.
inline int four_at(const std::uint8_t* codes) {
  int four;
  std::memcpy(&four, codes, sizeof four);
  return four;
}

// Two scans in sequence, for CPUs that would gain nothing from a joint one.
template <void (*Scan)(const std::uint8_t*, const std::uint8_t*, std::size_t, std::uint64_t*, std::uint8_t*)>
inline void scan_each(const std::uint8_t* panel, const std::uint8_t* tables, const std::uint8_t* other_tables,
                      std::size_t n, std::uint64_t* survivors, std::uint64_t* other_survivors, std::uint8_t* sums,
                      std::uint8_t* other_sums) {
  Scan(panel, tables, n, survivors, sums);
  Scan(panel, other_tables, n, other_survivors, other_sums);
}

}  // namespace

}  // namespace priorcase::search
