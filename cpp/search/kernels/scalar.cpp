// For any CPU: the definition that the other versions must agree with.
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

void scan(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n, std::uint64_t* survivors) {
  std::uint8_t sums[panel_rows];
  add_up(panel, tables, n, sums);
  rows_at_most(sums, 254, survivors);
}

void promising(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n, std::size_t wanted,
               std::uint64_t* chosen) {
  std::uint8_t sums[panel_rows];
  add_up(panel, tables, n, sums);
  least_most(wanted, [&](unsigned most) { return rows_at_most(sums, most, chosen); });
}

std::uint64_t zeros(const std::uint8_t* table) {
  std::uint64_t codes = 0;
  for (std::size_t c = 0; c < n_codes; ++c) codes |= static_cast<std::uint64_t>(table[c] == 0) << c;
  return codes;
}

}  // namespace

const Kernels kernels{0.02, scan, scan_each<scan>, promising, round_down, zeros, smallest};

}  // namespace priorcase::search::scalar
