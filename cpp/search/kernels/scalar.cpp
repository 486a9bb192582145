// For any CPU: the reference that the other versions must agree with.
#include "search/kernels/common.hpp"

namespace priorcase::search::scalar {

namespace {

void add_up(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n, std::uint8_t* sums) {
  for (std::size_t r = 0; r < panel_rows; ++r) sums[r] = 0;
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t r = 0; r < panel_rows; ++r) {
      const unsigned sum = sums[r] + tables[a * n_codes + panel[a * panel_rows + r]];
      sums[r] = static_cast<std::uint8_t>(sum > 255 ? 255 : sum);
    }
}

void scan(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n, std::uint64_t* survivors,
          std::uint8_t* sums) {
  add_up(panel, tables, n, sums);
  rows_at_most(sums, 254, survivors);
}

std::size_t promising(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n, std::size_t wanted,
               std::uint64_t* chosen) {
  std::uint8_t sums[panel_rows];
  add_up(panel, tables, n, sums);
  return least_most(wanted, [&](unsigned most) { return rows_at_most(sums, most, chosen); });
}

unsigned saturated(unsigned sum) { return sum > 255 ? 255 : sum; }
unsigned lesser(unsigned one, unsigned other) { return one < other ? one : other; }

std::uint64_t scan_leaf(const std::uint8_t* panel, std::size_t leaf, const std::uint8_t* tables, std::size_t n,
                        std::uint8_t* sums) {
  std::uint64_t survivors = 0;
  for (std::size_t r = 0; r < leaf_rows; ++r) {
    unsigned sum = 0;
    for (std::size_t a = 0; a < n; ++a)
      sum = saturated(sum + tables[a * n_codes + panel[a * panel_rows + leaf * leaf_rows + r]]);
    sums[r] = static_cast<std::uint8_t>(sum);
    survivors |= static_cast<std::uint64_t>(sum < 255) << r;
  }
  return survivors;
}

void bound_leaves(const std::uint8_t* boxes, std::size_t groups, const std::uint8_t* tables,
                  const std::uint8_t* symbols, std::size_t n, std::uint8_t* bounds) {
  for (std::size_t g = 0; g < groups; ++g)
    for (std::size_t l = 0; l < 64; ++l) {
      unsigned sum = 0;
      for (std::size_t a = 0; a < n; ++a) {
        const std::uint8_t* box = boxes + (g * n + a) * box_bytes + l;
        const std::uint8_t* table = tables + a * 3 * n_codes;
        const unsigned x = table[box[0]];
        sum += symbols[a] ? lesser(x, lesser(table[box[64]], table[box[128]]))
                          : lesser(saturated(x + table[n_codes + box[64]]), table[2 * n_codes + box[128]]);
        sum = saturated(sum);
      }
      bounds[g * 64 + l] = static_cast<std::uint8_t>(sum);
    }
}

void dots_at_least(const std::uint8_t* codes, const std::int32_t* norms, std::size_t fours,
                   const std::uint8_t* const* queries, const std::int32_t* least,
                   std::uint64_t (*rows)[panel_words]) {
  for (std::size_t q = 0; q < 4; ++q) {
    for (std::size_t w = 0; w < panel_words; ++w) rows[q][w] = 0;
    for (std::size_t r = 0; r < panel_rows; ++r) {
      std::int32_t sum = norms[r];
      for (std::size_t a = 0; a < 4 * fours; ++a)
        sum += codes[(a / 4 * panel_rows + r) * 4 + a % 4] * static_cast<std::int8_t>(queries[q][a]);
      rows[q][r / 64] |= static_cast<std::uint64_t>(sum >= least[q]) << r % 64;
    }
  }
}

}  // namespace

const Kernels kernels{scan, scan_each<scan>, promising, scan_leaf, round_down, bound_numbers, split_table,
                      bound_leaves, places_at_most, dots_at_least};

}  // namespace priorcase::search::scalar
