// Columns of codes and numbers: counts of values and moments of numbers in each class, and codes of nominal values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace priorcase::bayes {

// Slots: a value as a row of a table ---------------------------------------------------------------------------------

// 0 for missing, 1 for a value never seen, 2 + code for the others.
constexpr std::int32_t missing_slot = 0;
constexpr std::int32_t unseen_slot = 1;
constexpr std::int32_t first_slot = 2;

enum class CellType : std::uint8_t { int8, int16, int32, int64, real };

// Codes as integers, negative for missing; or real cells: ranks and codes, or numbers to be cut into bins.
struct Column {
  CellType type = CellType::real;
  const void* data = nullptr;
  std::ptrdiff_t stride = 1;                // in items
  const std::int32_t* translate = nullptr;  // the slot of code c at c + 1; none: the codes are the model's own
  std::size_t n_translate = 0;              // codes beyond it are missing

  double number(std::size_t row) const {
    return static_cast<const double*>(data)[static_cast<std::ptrdiff_t>(row) * stride];
  }
};

// The bin of a number is the number of cuts, in ascending order, that are not above it.
std::int32_t bin_of(double x, const std::vector<double>& cuts);

// The slots of some rows, each below n_slots, which is at least 2; with cuts the column holds numbers.
void read_slots(const Column& column, const std::vector<double>* cuts, std::size_t start, std::size_t stop,
                std::int32_t n_slots, std::int32_t* out);

// Counts of values in each class -------------------------------------------------------------------------------------

struct CountedColumn {
  Column column;
  std::vector<double> cuts;
  bool cut = false;
  std::size_t start = 0;    // its first cell
  std::size_t n_slots = 0;  // its cells
};

// Adds sign times the number of rows of each class that hold each value to the totals, cells by classes. At most
// 2^32 - 1 rows. All of them are counted, or none.
void count_values(const std::vector<CountedColumn>& columns, const Column& classes, std::size_t n_classes,
                  std::size_t rows, std::int64_t sign, std::int64_t* totals, std::size_t threads);

// Moments of numbers in each class -----------------------------------------------------------------------------------

// Exact sums of the weights w of the rows of a class, of w x and of w x^2, as fixed-point numbers: their digits, of 32
// bits, lie one after another, the lowest first, and all but the last are from 0 to 2^32 - 1. So sums depend on the rows
// alone, not on their order nor on the parts they came in, and subtracting a row undoes adding it.
struct DigitWindow {
  std::int64_t base;  // the lowest digit counts 2^(32 base)
  std::size_t width;  // how many digits there are
};

// How the sums of a class lie: the digits of w, of w x and of w x^2.
using MomentWindows = std::array<DigitWindow, 3>;

// Exponents of the lowest and the highest bit of some numbers, 0 and missing left out: 2^low divides all of them, and
// all are below 2^high.
struct BitRange {
  int low, high;
};

BitRange bit_range(const double* numbers, std::size_t n);

// How many digits a window of sums needs beyond those of the largest term.
constexpr std::size_t spare_digits = 6;

// Adds rows to the sums of their classes, or takes them out with a sign of -1: one block of n_classes sums for each
// column. Missing numbers, rows of no weight and classes below 0 are left out; without weights each row counts once. The
// windows have room for every term. All rows are added, or none.
void add_moments(const std::vector<const double*>& columns, const std::int32_t* classes, const double* weights,
                 std::size_t rows, int sign, std::int64_t* sums, const MomentWindows& windows, std::size_t n_classes,
                 std::size_t threads);

// Whole numbers as codes -----------------------------------------------------------------------------------------------

// Whole numbers that lie within a small range: `low` and how many there could be, 0 where numbers are not like that. All
// are missing where low is NaN.
struct WholeRange {
  double low;
  std::size_t n;
};

WholeRange whole_range(const double* numbers, std::size_t rows, std::size_t most);

// Their distances from the smallest, -1 for missing.
void write_ranks(const double* numbers, std::size_t rows, double low, std::int32_t* out);

// Codes of nominal values --------------------------------------------------------------------------------------------

// How many rows hold each code from 0 to n - 1; other codes are left out. The column holds codes.
std::vector<std::int64_t> code_counts(const Column& codes, std::size_t rows, std::size_t n);

// Writes the entry of the table for each code, -1 for codes that it does not have. The type of out has room for all
// entries.
void recode(const Column& codes, std::size_t rows, const std::int32_t* table, std::size_t n, CellType type, void* out);

// Items of a fixed number of bytes, numbered in the order of their first occurrence.
struct Factors {
  std::vector<std::int32_t> codes;
  std::vector<std::int64_t> first;  // the row in which each number first occurs
};

// At most 2^31 - 1 rows, `stride` bytes apart.
Factors factorise(const char* items, std::ptrdiff_t stride, std::size_t width, std::size_t rows);

}  // namespace priorcase::bayes
