// What the versions for several instruction sets share: compiled with the flags of each, and private to each.
#pragma once

#include "search/kernels/kernels.hpp"

namespace priorcase::search {

namespace {

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

inline std::size_t count_bits(std::uint64_t word) {
  word -= word >> 1 & 0x5555555555555555u;
  word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
  word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
  return word * 0x0101010101010101u >> 56;
}

// Sets the bits of the rows whose sum is at most a number; returns how many there are.
inline std::size_t rows_at_most(const std::uint8_t* sums, unsigned most, std::uint64_t* rows) {
  std::size_t count = 0;
  for (std::size_t w = 0; w < panel_words; ++w) {
    rows[w] = 0;
    for (std::size_t r = 0; r < 64; ++r) rows[w] |= static_cast<std::uint64_t>(sums[w * 64 + r] <= most) << r;
    count += count_bits(rows[w]);
  }
  return count;
}

inline void round_down(const double* lower, std::uint8_t* tables, std::size_t n, double reach, double factor) {
  for (std::size_t i = 0; i < n; ++i) {
    const double scaled = lower[i] * factor;
    const int units = static_cast<int>(scaled < 254.0 ? scaled : 254.0);
    tables[i] = static_cast<std::uint8_t>(lower[i] > reach ? 255 : units);
  }
}

inline unsigned smallest(const std::uint8_t* table, std::uint64_t codes) {
  unsigned least = 255;
  for (std::size_t c = 0; codes; ++c, codes >>= 1)
    if ((codes & 1) && table[c] < least) least = table[c];
  return least;
}

// Two scans, one after the other, for CPUs that would gain nothing by more.
template <void (*Scan)(const std::uint8_t*, const std::uint8_t*, std::size_t, std::uint64_t*)>
inline void scan_each(const std::uint8_t* panel, const std::uint8_t* tables, const std::uint8_t* other_tables,
                      std::size_t n, std::uint64_t* survivors, std::uint64_t* other_survivors) {
  Scan(panel, tables, n, survivors);
  Scan(panel, other_tables, n, other_survivors);
}

}  // namespace

}  // namespace priorcase::search
