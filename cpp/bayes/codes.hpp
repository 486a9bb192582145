// Codes of nominal values: counted, and translated into other codes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace priorcase::bayes {

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

// Items of a fixed number of bytes, numbered in the order of their first occurrence.
struct Factors {
  std::vector<std::int32_t> codes;
  std::vector<std::int64_t> first;  // the row in which each number first occurs
};

inline Factors factorise(const char* items, std::ptrdiff_t stride, std::size_t width, std::size_t rows) {
  Factors found;
  found.codes.resize(rows);
  std::vector<std::int32_t> table(64, -1);
  const auto at = [&](std::size_t row) { return items + static_cast<std::ptrdiff_t>(row) * stride; };
  const auto place = [&](const char* item, const std::vector<std::int32_t>& slots) {
    std::uint64_t hash = 14695981039346656037ull, word;
    std::size_t i = 0;
    for (; i + sizeof word <= width; i += sizeof word) {
      std::memcpy(&word, item + i, sizeof word);
      hash = (hash ^ word) * 0x9E3779B97F4A7C15ull;
      hash ^= hash >> 32;
    }
    for (; i < width; ++i) hash = (hash ^ static_cast<unsigned char>(item[i])) * 1099511628211ull;
    hash ^= hash >> 29;
    std::size_t slot = hash & (slots.size() - 1);
    while (slots[slot] >= 0 &&
           std::memcmp(at(static_cast<std::size_t>(found.first[static_cast<std::size_t>(slots[slot])])), item, width) != 0)
      slot = (slot + 1) & (slots.size() - 1);
    return slot;
  };
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t slot = place(at(row), table);
    if (table[slot] < 0) {
      table[slot] = static_cast<std::int32_t>(found.first.size());
      found.first.push_back(static_cast<std::int64_t>(row));
      found.codes[row] = table[slot];
      if (2 * found.first.size() > table.size()) {
        table.assign(table.size() * 4, -1);
        for (std::size_t code = 0; code < found.first.size(); ++code)
          table[place(at(static_cast<std::size_t>(found.first[code])), table)] = static_cast<std::int32_t>(code);
      }
    } else {
      found.codes[row] = table[slot];
    }
  }
  return found;
}

}  // namespace priorcase::bayes
