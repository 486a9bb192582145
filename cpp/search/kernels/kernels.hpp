// The inner loops of the bound scan, one version for each instruction set. All give the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace priorcase::search {

// Codes 0..61 are bins of numbers or groups of symbols, 62 is a missing value, 63 a row that is not there.
inline constexpr std::size_t n_codes = 64;
inline constexpr std::size_t n_bins = 62;
inline constexpr std::uint8_t missing_code = 62;
inline constexpr std::uint8_t dead_code = 63;

// A panel holds the codes of this many rows, attribute by attribute.
inline constexpr std::size_t panel_rows = 256;
inline constexpr std::size_t panel_words = panel_rows / 64;

struct Kernels {
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

namespace scalar {
extern const Kernels kernels;
}
namespace avx2 {
extern const Kernels kernels;
}
namespace avx512 {
extern const Kernels kernels;
}
namespace neon {
extern const Kernels kernels;
}

// Those of the path in use.
const Kernels& kernels();

}  // namespace priorcase::search
