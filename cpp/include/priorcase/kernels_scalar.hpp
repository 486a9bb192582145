// The inner loops of the bound scan for any CPU: the definition that the others must agree with.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "priorcase/store.hpp"

namespace priorcase {

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

}  // namespace priorcase
