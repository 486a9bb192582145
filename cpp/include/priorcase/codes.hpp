// Codes of nominal values: counted, and translated into other codes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace priorcase {

// How many rows hold each code from 0 to n - 1; codes beyond that are left out. Rows next to each other go to
// different counters: adding to one twice in a row would wait for the first addition to reach memory.
template <class Code>
std::vector<std::int64_t> code_counts(const Code* codes, std::ptrdiff_t stride, std::size_t rows, std::size_t n) {
  constexpr std::size_t copies = 4;
  const std::size_t size = n + 1;
  std::vector<std::int64_t> counts(copies * size, 0);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto code = static_cast<std::int64_t>(codes[static_cast<std::ptrdiff_t>(row) * stride]);
    const bool within = code >= 0 && code < static_cast<std::int64_t>(n);
    ++counts[row % copies * size + (within ? static_cast<std::size_t>(code) : n)];
  }
  for (std::size_t copy = 1; copy < copies; ++copy)
    for (std::size_t c = 0; c < n; ++c) counts[c] += counts[copy * size + c];
  counts.resize(n);
  return counts;
}

// The entry of the table for each code; -1 for codes that it does not have.
template <class From, class To>
void recode(const From* codes, std::ptrdiff_t stride, std::size_t rows, const std::int32_t* table, std::size_t n, To* out) {
  for (std::size_t row = 0; row < rows; ++row) {
    const auto code = static_cast<std::int64_t>(codes[static_cast<std::ptrdiff_t>(row) * stride]);
    out[row] = static_cast<To>(code >= 0 && code < static_cast<std::int64_t>(n) ? table[code] : -1);
  }
}

}  // namespace priorcase
