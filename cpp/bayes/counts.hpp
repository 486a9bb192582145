// Columns of codes or numbers: counts of values and moments of numbers in each class, and codes of nominal values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace priorcase::bayes {

// Slots: a value as a row of a table ---------------------------------------------------------------------------------

// 0 for a missing value, 1 for an unseen one, 2 + code for all others.
constexpr std::int32_t missing_slot = 0;
constexpr std::int32_t unseen_slot = 1;
constexpr std::int32_t first_slot = 2;

enum class CellType : std::uint8_t { int8, int16, int32, int64, real };

// Integer codes, negative for missing; or doubles, NaN for missing: ranks, codes, or numbers to be cut into bins.
struct Column {
  CellType type = CellType::real;
  const void* data = nullptr;
  std::ptrdiff_t stride = 1;                // in items
  const std::int32_t* translate = nullptr;  // slot of code c at index c + 1; null: the codes are the model's own
  std::size_t n_translate = 0;              // size of `translate`; codes without an entry are missing

  double number(std::size_t row) const {
    return static_cast<const double*>(data)[static_cast<std::ptrdiff_t>(row) * stride];
  }
};

// Returns the bin of a number: how many of the cuts, which are in ascending order, are at most x.
std::int32_t bin_of(double x, const std::vector<double>& cuts);

// Writes the slots of rows start up to stop, each below n_slots, which is at least 2. Null cuts: the column holds codes
// or ranks; otherwise, numbers to be cut into bins.
void read_slots(const Column& column, const std::vector<double>* cuts, std::size_t start, std::size_t stop,
                std::int32_t n_slots, std::int32_t* out);

// Counts of values in each class -------------------------------------------------------------------------------------

struct CountedColumn {
  Column column;
  std::vector<double> cuts;
  bool cut = false;
  std::size_t start = 0;    // its first row in the totals
  std::size_t n_slots = 0;  // the number of its rows there
};

// Counts the rows of each class that have each value, and adds the counts times `sign` to the totals, slots by classes.
// At most 2^32 - 1 rows. After an error or an interrupt the totals are unchanged.
void count_values(const std::vector<CountedColumn>& columns, const Column& classes, std::size_t n_classes,
                  std::size_t rows, std::int64_t sign, std::int64_t* totals, std::size_t threads);

// Moments of numbers in each class -----------------------------------------------------------------------------------

// For each class, the exact sums of w, w x and w x^2 over its rows, with w the weight of a row, as fixed-point numbers
// of 32-bit digits, the lowest first; all but the last digit are from 0 to 2^32 - 1. Because the sums are exact, they
// do not depend on the order of the rows or on how these are split into batches, and subtracting a row undoes adding
// it.
struct DigitWindow {
  std::int64_t base;  // the unit of the lowest digit is 2^(32 base)
  std::size_t width;  // number of digits
};

// Layout of the sums of a class: the digits of w, then of w x, then of w x^2.
using MomentWindows = std::array<DigitWindow, 3>;

// Exponents of the lowest and the highest bit of some numbers, ignoring zeros and missing values: every number is a
// multiple of 2^low, and its absolute value is below 2^high.
struct BitRange {
  int low, high;
};

BitRange bit_range(const double* numbers, std::size_t n);

// How many more digits a window needs than the largest term has.
constexpr std::size_t spare_digits = 6;

// Adds rows to the sums of their classes, or subtracts them if the sign is -1. `sums` holds one block of n_classes sums
// for each column. Missing numbers, rows with zero weight and negative classes are skipped; if `weights` is null, each
// row counts once. The windows must have room for every term. After an error or an interrupt the sums are unchanged.
void add_moments(const std::vector<const double*>& columns, const std::int32_t* classes, const double* weights,
                 std::size_t rows, int sign, std::int64_t* sums, const MomentWindows& windows, std::size_t n_classes,
                 std::size_t threads);

// Whole numbers as codes -----------------------------------------------------------------------------------------------

// The range of a column of integers: the smallest one, and how many integers the range holds, largest - smallest + 1. n
// is 0 where the numbers are not all integers, or the range is too large. `low` is NaN if all values are missing.
struct WholeRange {
  double low;
  std::size_t n;
};

// Returns the range of the numbers if it holds at most `most` integers.
WholeRange whole_range(const double* numbers, std::size_t rows, std::size_t most);

// Writes the difference of each number from `low`, -1 for missing.
void write_ranks(const double* numbers, std::size_t rows, double low, std::int32_t* out);

// Codes of nominal values --------------------------------------------------------------------------------------------

// Returns the number of rows with each code from 0 to n - 1, ignoring other codes. The column must hold integer codes.
std::vector<std::int64_t> code_counts(const Column& codes, std::size_t rows, std::size_t n);

// Writes table[code] for each row, -1 for codes that are not from 0 to n - 1. `out` is an array of integers of the
// given type, which must be able to represent all entries of the table.
void recode(const Column& codes, std::size_t rows, const std::int32_t* table, std::size_t n, CellType type, void* out);

// Codes of items, numbered in the order of their first occurrence.
struct Factors {
  std::vector<std::int32_t> codes;
  std::vector<std::int64_t> first;  // the row in which each code first occurs
};

// Encodes items of `width` bytes each, which lie `stride` bytes apart. At most 2^31 - 1 rows.
Factors factorise(const char* items, std::ptrdiff_t stride, std::size_t width, std::size_t rows);

}  // namespace priorcase::bayes
