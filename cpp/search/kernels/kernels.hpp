// The inner loops of the bound scan, with a version for each instruction set. All versions give identical bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace priorcase::search {

// Codes 0 to 61 are bins of numbers or groups of symbols; 62 is a missing value, 63 a row that was removed or never
// there.
inline constexpr std::size_t n_codes = 64;
inline constexpr std::size_t n_bins = 62;
inline constexpr std::uint8_t missing_code = 62;
inline constexpr std::uint8_t dead_code = 63;

// A panel holds the codes of this many rows, attribute by attribute.
inline constexpr std::size_t panel_rows = 256;
inline constexpr std::size_t panel_words = panel_rows / 64;

// A leaf is a quarter of a panel. Its box tells which codes its rows have, in three bytes for each attribute. For
// numbers: the smallest and the largest code (63 if there is none), and 62 if a value is missing (else 63). For
// symbols: up to three codes; the first byte is 63 if there are more. Boxes are stored in groups of 64 leaves: for each
// attribute 64 first bytes, then 64 second bytes, then 64 third bytes.
inline constexpr std::size_t leaf_rows = 64;
inline constexpr std::size_t box_bytes = 3 * 64;
inline constexpr std::uint8_t any_code = 63;

struct Kernels {
  // Computes the saturating sum of each row's table entries, and sets the row's bit in `survivors` if the sum is below
  // 255. `sums` must start on a cache line.
  void (*scan)(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n, std::uint64_t* survivors,
               std::uint8_t* sums);
  // Does the same for two queries with separate tables; the codes are loaded only once.
  void (*scan_two)(const std::uint8_t* panel, const std::uint8_t* tables, const std::uint8_t* other_tables,
                   std::size_t n, std::uint64_t* survivors, std::uint64_t* other_survivors, std::uint8_t* sums,
                   std::uint8_t* other_sums);
  // Sets the bits of the `wanted` rows with the smallest sums, and of all rows that tie with the last of them. Rows
  // with a sum of 255 are never chosen, so there may be fewer. Returns the number of rows chosen.
  std::size_t (*promising)(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n, std::size_t wanted,
                           std::uint64_t* chosen);
  // Does the same as `scan` for one leaf of a panel; returns the survivors.
  std::uint64_t (*scan_leaf)(const std::uint8_t* panel, std::size_t leaf, const std::uint8_t* tables, std::size_t n,
                             std::uint8_t* sums);
  // Writes lower bounds in units of 1 / factor, rounded down to at most 254; 255 if a bound alone exceeds `reach`. n is
  // a multiple of 64.
  void (*round_down)(const float* lower, std::uint8_t* tables, std::size_t n, float reach, float factor);
  // Computes lower bounds of weight * |x - query| * unit, or of weight * (|x - query| * unit)^2 if `square`, over the
  // numbers x from low[c] to high[c]. They are slightly below the exact values, and infinite if low[c] > high[c]. Each
  // array has 64 entries. Returns the last c with low[c] <= query; 0 if there is none.
  std::uint8_t (*bound_numbers)(const double* low, const double* high, double query, double unit, double weight,
                                bool square, float* lower);
  // Makes the three box tables of a numeric attribute from its table. `own` is the code of the query: a box whose
  // smallest code is above it is no nearer than that code, and a box whose largest code is below it is no nearer than
  // that one.
  void (*split_table)(const std::uint8_t* table, std::uint8_t own, std::uint8_t* three);
  // Computes saturating sums of bounds for the boxes of some groups of leaves, with three tables for each attribute.
  // Numbers: the entries of the first and the second byte are added; the bound is the smaller of that sum and the entry
  // of the third byte. Symbols (marked in `symbols`): the bound is the smallest entry of the three bytes, all in the
  // first table.
  void (*bound_leaves)(const std::uint8_t* boxes, std::size_t groups, const std::uint8_t* tables,
                       const std::uint8_t* symbols, std::size_t n, std::uint8_t* bounds);
  // Writes the positions of the bytes that are at most `most`, in ascending order; returns their number.
  std::size_t (*places_at_most)(const std::uint8_t* bytes, std::size_t groups, std::uint8_t most,
                                std::uint32_t* places);
  // Finds, for each of four queries, the rows of a panel whose norm plus the dot product of their codes with the
  // query's codes is at least `least`. Codes are stored in fours: the first four codes of each row, then the next four
  // of each row, and so on. A row's codes are from 0 to 127, a query's from -128 to 127.
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

// The kernels of the code path in use.
const Kernels& kernels();

}  // namespace priorcase::search
