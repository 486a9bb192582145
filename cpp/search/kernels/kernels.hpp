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

// A leaf is a quarter of a panel. Its box says for each attribute which codes its rows have, in three bytes: of
// numbers the least and the largest code (63: none) and 62 if one is missing (else 63); of symbols up to three codes,
// the first one 63 where there are more. Boxes lie in groups of 64 leaves: for each attribute 64 first bytes, 64
// second, 64 third.
inline constexpr std::size_t leaf_rows = 64;
inline constexpr std::size_t box_bytes = 3 * 64;
inline constexpr std::uint8_t any_code = 63;

struct Kernels {
  // The saturating sum of each row's table entries, and a bit of survivors where it is below 255. Sums are on a cache
  // line.
  void (*scan)(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n, std::uint64_t* survivors,
               std::uint8_t* sums);
  // The same for two queries, whose tables may lie apart; the codes are loaded once.
  void (*scan_two)(const std::uint8_t* panel, const std::uint8_t* tables, const std::uint8_t* other_tables,
                   std::size_t n, std::uint64_t* survivors, std::uint64_t* other_survivors, std::uint8_t* sums,
                   std::uint8_t* other_sums);
  // Sets the bits of the rows with the least sums, as many as wanted and all that tie with the last of them; but for
  // sums of 255, so that fewer may be found. Returns how many there are.
  std::size_t (*promising)(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n, std::size_t wanted,
                           std::uint64_t* chosen);
  // The same for one leaf of a panel.
  std::uint64_t (*scan_leaf)(const std::uint8_t* panel, std::size_t leaf, const std::uint8_t* tables, std::size_t n,
                             std::uint8_t* sums);
  // Lower bounds in units of 1/factor, rounded down; 255 where the bound alone is out of reach. n is a multiple of 64.
  void (*round_down)(const float* lower, std::uint8_t* tables, std::size_t n, float reach, float factor);
  // Lower bounds of weight times |x - query| * unit, or of its square, for numbers between low and high, a little less
  // than exact; infinite where low is above high. There are 64 of each. Returns the last one whose low is not above the
  // query; 0 where there is none.
  std::uint8_t (*bound_numbers)(const double* low, const double* high, double query, double unit, double weight,
                                bool square, float* lower);
  // The three tables of a box from that of an attribute of numbers, where `own` is the code of the query: numbers above
  // it are no nearer than the least code, and numbers below it no nearer than the largest.
  void (*split_table)(const std::uint8_t* table, std::uint8_t own, std::uint8_t* three);
  // Saturating sums of bounds for the boxes of some groups of leaves. For each attribute there are three tables: for
  // numbers those of the first and second byte, which are added, and of the third, which may be less; for symbols (the
  // mark is set) the least of three entries, all of the first table.
  void (*bound_leaves)(const std::uint8_t* boxes, std::size_t groups, const std::uint8_t* tables,
                       const std::uint8_t* symbols, std::size_t n, std::uint8_t* bounds);
  // The places of bytes up to a number, in order; returns how many there are.
  std::size_t (*places_at_most)(const std::uint8_t* bytes, std::size_t groups, std::uint8_t most,
                                std::uint32_t* places);
  // For each of four queries the rows of a panel whose norm, plus the dot product of its codes and those of the
  // query, is at least a number. Four codes of each row lie together, then the next four. A row's are from 0 to 127,
  // a query's from -128 to 127.
  void (*dots_at_least)(const std::uint8_t* codes, const std::int32_t* norms, std::size_t fours,
                        const std::uint8_t* const* queries, const std::int32_t* least,
                        std::uint64_t (*rows)[panel_words]);
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
