#include "bayes/counts.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>

#include "base/memory.hpp"
#include "base/numbers.hpp"
#include "base/threads.hpp"
#include "bayes/loops.hpp"

namespace priorcase::bayes {

// Slots --------------------------------------------------------------------------------------------------------------

namespace {

template <class Code>
void read_codes(const Column& column, std::size_t start, std::size_t stop, std::int32_t n_slots, std::int32_t* out) {
  const Code* codes = static_cast<const Code*>(column.data);
  const auto at = [&](std::size_t row) { return codes[static_cast<std::ptrdiff_t>(row) * column.stride]; };
  // Codes are compared before anything is added to them, since the addition could overflow.
  if (column.translate) {
    const auto n_codes = static_cast<std::int64_t>(column.n_translate) - 1;
    for (std::size_t row = start; row < stop; ++row) {
      const std::int64_t code = at(row);
      const std::int32_t slot = code < -1 || code >= n_codes ? missing_slot : column.translate[code + 1];
      *out++ = slot < n_slots ? slot : unseen_slot;
    }
  } else {
    const std::int32_t n_codes = n_slots - first_slot;
    const auto slot_of = [n_codes](auto code) {
      const std::int32_t slot = code < n_codes ? static_cast<std::int32_t>(code) + first_slot : unseen_slot;
      return code < 0 ? missing_slot : slot;
    };
    if (column.stride == 1)
      std::transform(codes + start, codes + stop, out, slot_of);
    else
      for (std::size_t row = start; row < stop; ++row) *out++ = slot_of(at(row));
  }
}

}  // namespace

std::int32_t bin_of(double x, const std::vector<double>& cuts) {
  return static_cast<std::int32_t>(std::upper_bound(cuts.begin(), cuts.end(), x) - cuts.begin());
}

void read_slots(const Column& column, const std::vector<double>* cuts, std::size_t start, std::size_t stop,
                std::int32_t n_slots, std::int32_t* out) {
  switch (column.type) {
    case CellType::int8: return read_codes<std::int8_t>(column, start, stop, n_slots, out);
    case CellType::int16: return read_codes<std::int16_t>(column, start, stop, n_slots, out);
    case CellType::int32: return read_codes<std::int32_t>(column, start, stop, n_slots, out);
    case CellType::int64: return read_codes<std::int64_t>(column, start, stop, n_slots, out);
    case CellType::real: break;
  }
  for (std::size_t row = start; row < stop; ++row) {
    const double x = column.number(row);
    if (std::isnan(x)) {
      *out++ = missing_slot;
    } else if (cuts) {
      *out++ = std::min(first_slot + bin_of(x, *cuts), n_slots - 1);
    } else {
      // A rank or code that the model does not have counts as unseen, and so does -1.
      const bool within = x >= 0.0 && x < static_cast<double>(n_slots - first_slot);
      *out++ = within ? first_slot + static_cast<std::int32_t>(x) : unseen_slot;
    }
  }
}

// Counts of values in each class -------------------------------------------------------------------------------------

namespace {

constexpr std::size_t few_rows = 64;
constexpr std::size_t block_rows = 4096, block_values = std::size_t{1} << 23;
constexpr std::size_t values_per_thread = std::size_t{1} << 17;  // counted in the time that starting a thread takes
constexpr std::size_t values_per_cell = 8;  // minimum for a further thread, per cell that it has to set up
constexpr std::size_t most_copies = 4;
constexpr std::size_t small_table = 4096;  // larger tables have a single copy
constexpr std::size_t fetched_rows = 16;

std::size_t size_of(CellType type) {
  switch (type) {
    case CellType::int8: return 1;
    case CellType::int16: return 2;
    case CellType::int32: return 4;
    case CellType::int64:
    case CellType::real: break;
  }
  return 8;
}

const std::vector<double>* cuts_of(const CountedColumn& counted) { return counted.cut ? &counted.cuts : nullptr; }

// Totals of 2^63 and more wrap around, as in NumPy.
void add_to(std::int64_t& total, std::uint64_t count, std::int64_t sign) {
  total = static_cast<std::int64_t>(static_cast<std::uint64_t>(total) + static_cast<std::uint64_t>(sign) * count);
}

void count_few(const std::vector<CountedColumn>& columns, const Column& classes, std::size_t n_classes,
               std::size_t rows, std::int64_t sign, std::int64_t* totals) {
  std::array<std::int32_t, few_rows> slots, own;
  read_slots(classes, nullptr, 0, rows, static_cast<std::int32_t>(n_classes) + first_slot, own.data());
  for (const CountedColumn& counted : columns) {
    read_slots(counted.column, cuts_of(counted), 0, rows, static_cast<std::int32_t>(counted.n_slots), slots.data());
    for (std::size_t r = 0; r < rows; ++r)
      if (own[r] >= first_slot)
        add_to(totals[(counted.start + static_cast<std::size_t>(slots[r])) * n_classes +
                      static_cast<std::size_t>(own[r] - first_slot)],
               1, sign);
  }
}

// The counts of one thread. Consecutive rows are counted in different copies of a small table: incrementing the same
// cell twice in a row would stall until the first result is stored.
class Histogram {
 public:
  Histogram(const std::vector<CountedColumn>& columns, const Column& classes, std::size_t n_classes, std::size_t block)
      : columns_(columns), classes_(classes), n_classes_(n_classes), cells_(block), own_(block) {
    std::size_t size = 0;
    for (const CountedColumn& counted : columns) {
      // One extra class is for the rows whose class is missing.
      const std::size_t table = counted.n_slots * (n_classes + 1);
      places_.push_back({size, table, table <= small_table ? most_copies : 1});
      size += table * places_.back().copies;
    }
    counts_.resize(size);
  }

  void add(std::size_t start, std::size_t stop) {
    const std::size_t rows = stop - start;
    const auto last = static_cast<std::int32_t>(n_classes_);
    read_slots(classes_, nullptr, start, stop, last + first_slot, own_.data());
    for (std::size_t r = 0; r < rows; ++r) own_[r] = own_[r] >= first_slot ? own_[r] - first_slot : last;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      write_cells(columns_[c], start, stop);
      count(places_[c], rows, c + 1 < columns_.size() ? &columns_[c + 1].column : nullptr, start);
    }
  }

  void pour(std::int64_t sign, std::int64_t* totals) const noexcept {
    for (std::size_t c = 0; c < places_.size(); ++c) {
      const Place& place = places_[c];
      std::int64_t* into = totals + columns_[c].start * n_classes_;
      for (std::size_t copy = 0; copy < place.copies; ++copy)
        for (std::size_t slot = 0; slot < columns_[c].n_slots; ++slot)
          for (std::size_t k = 0; k < n_classes_; ++k)
            add_to(into[slot * n_classes_ + k],
                   counts_[place.at + copy * place.size + slot * (n_classes_ + 1) + k], sign);
    }
  }

 private:
  struct Place {
    std::size_t at, size, copies;
  };

  // Writes the cell of each row: slot * (n_classes + 1) + class. The binding checks that all cells are below 2^31.
  void write_cells(const CountedColumn& counted, std::size_t start, std::size_t stop) {
    const Column& column = counted.column;
    const auto n_slots = static_cast<std::int32_t>(counted.n_slots), n_codes = n_slots - first_slot;
    const auto width = static_cast<std::int32_t>(n_classes_) + 1;
    const auto by = [&](auto loop, auto* codes) {
      loop(codes + start, own_.data(), stop - start, n_codes, width, cells_.data());
    };
    if (column.stride == 1 && column.translate == nullptr) switch (column.type) {
        case CellType::int8: return by(cell_loops().int8, static_cast<const std::int8_t*>(column.data));
        case CellType::int16: return by(cell_loops().int16, static_cast<const std::int16_t*>(column.data));
        case CellType::int32: return by(cell_loops().int32, static_cast<const std::int32_t*>(column.data));
        case CellType::int64:
        case CellType::real: break;
      }
    read_slots(column, cuts_of(counted), start, stop, n_slots, cells_.data());
    for (std::size_t r = 0; r < stop - start; ++r) cells_[r] = cells_[r] * width + own_[r];
  }

  // Counts the cells, while prefetching the same rows of the next column: if another core has just decoded its codes,
  // they are not in the cache of this core.
  void count(const Place& place, std::size_t rows, const Column* next, std::size_t start) {
    std::uint32_t* table = counts_.data() + place.at;
    const auto cell = [&](std::size_t r) { return static_cast<std::size_t>(cells_[r]); };
    const bool ahead = next && next->stride == 1;
    const std::size_t size = ahead ? size_of(next->type) : 0;
    const char* codes = ahead ? static_cast<const char*>(next->data) + start * size : nullptr;
    const std::size_t copy = place.copies == most_copies ? place.size : 0;
    std::size_t r = 0;
    for (; r + fetched_rows <= rows; r += fetched_rows) {
      for (std::size_t byte = 0; byte < fetched_rows * size; byte += 64) base::prefetch(codes + r * size + byte);
      for (std::size_t i = r; i < r + fetched_rows; i += most_copies) {
        ++table[cell(i)];
        ++table[copy + cell(i + 1)];
        ++table[2 * copy + cell(i + 2)];
        ++table[3 * copy + cell(i + 3)];
      }
    }
    for (; r < rows; ++r) ++table[cell(r)];
  }

  const std::vector<CountedColumn>& columns_;
  const Column& classes_;
  std::size_t n_classes_;
  std::vector<std::int32_t> cells_, own_;
  std::vector<Place> places_;
  std::vector<std::uint32_t> counts_;
};

}  // namespace

void count_values(const std::vector<CountedColumn>& columns, const Column& classes, std::size_t n_classes,
                  std::size_t rows, std::int64_t sign, std::int64_t* totals, std::size_t threads) {
  if (columns.empty() || n_classes == 0) return;
  if (rows < few_rows) return count_few(columns, classes, n_classes, rows, sign, totals);
  // Each thread must set up counts of its own: use only as many threads as are worth that.
  std::size_t cells = 0;
  for (const CountedColumn& counted : columns) cells += counted.n_slots * n_classes;
  threads = std::clamp<std::size_t>(rows * columns.size() / (values_per_cell * cells), 1, threads);
  const std::size_t block = std::clamp(block_values / columns.size(), few_rows, block_rows);
  std::vector<std::unique_ptr<Histogram>> counted;  // added to the totals once nothing can fail any more
  std::mutex lock;
  base::for_blocks(rows, block, threads, [&] {
    auto own = std::make_unique<Histogram>(columns, classes, n_classes, block);
    Histogram& histogram = *own;
    const std::lock_guard<std::mutex> hold(lock);
    counted.push_back(std::move(own));
    return [&histogram](std::size_t start, std::size_t stop) { histogram.add(start, stop); };
  }, values_per_thread / columns.size());
  for (const auto& histogram : counted) histogram->pour(sign, totals);
}

// Moments of numbers in each class -----------------------------------------------------------------------------------

namespace {

constexpr std::size_t moment_step = std::size_t{1} << 22;    // added between two checks for Ctrl-C
constexpr std::size_t moments_per_thread = std::size_t{1} << 14;  // added in the time that starting a thread takes
constexpr int digit_bits = 32;
constexpr std::int64_t digit_mask = (std::int64_t{1} << digit_bits) - 1;

__extension__ using Wide = unsigned __int128;

// A number as mantissa * 2^exponent.
struct Parts {
  std::uint64_t mantissa;
  int exponent;
  bool negative;
};

Parts parts_of(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  const std::uint64_t mantissa = bits & ((std::uint64_t{1} << 52) - 1);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  const bool negative = bits >> 63 != 0;
  if (exponent == 0) return {mantissa, -1074, negative};
  return {mantissa | std::uint64_t{1} << 52, exponent - 1075, negative};
}

// Adds term * 2^exponent.
void add_term(std::int64_t* digits, const DigitWindow& window, Wide term, int exponent, std::int64_t sign) {
  const std::int64_t place = exponent - digit_bits * window.base;
  const int shift = static_cast<int>(place & (digit_bits - 1));
  std::int64_t* at = digits + (place >> 5);
  const Wide shifted = term << shift;
  for (int i = 0; i < 4; ++i)
    at[i] += sign * static_cast<std::int64_t>(static_cast<std::uint32_t>(shifted >> (digit_bits * i)));
  if (shift) at[4] += sign * static_cast<std::int64_t>(static_cast<std::uint64_t>(term >> (128 - shift)));
}

void carry(std::int64_t* digits, std::size_t width) {
  for (std::size_t i = 0; i + 1 < width; ++i) {
    digits[i + 1] += digits[i] >> digit_bits;
    digits[i] &= digit_mask;
  }
}

// Like add_term, for a mantissa and (below) its square, the most common terms: fewer shifts, no multiplication by the
// sign.
void add_mantissa(std::int64_t* digits, const DigitWindow& window, std::uint64_t term, int exponent, bool negative) {
  const std::int64_t place = exponent - digit_bits * window.base, flip = -static_cast<std::int64_t>(negative);
  const int shift = static_cast<int>(place & (digit_bits - 1));
  std::int64_t* const at = digits + (place >> 5);
  const std::uint64_t low = term << shift, high = term >> 1 >> (63 - shift);
  at[0] += (static_cast<std::int64_t>(low & digit_mask) ^ flip) - flip;
  at[1] += (static_cast<std::int64_t>(low >> digit_bits) ^ flip) - flip;
  at[2] += (static_cast<std::int64_t>(high) ^ flip) - flip;
}

template <bool Out>
void add_square(std::int64_t* digits, const DigitWindow& window, std::uint64_t mantissa, int exponent) {
  const std::int64_t place = 2 * exponent - digit_bits * window.base;
  const int shift = static_cast<int>(place & (digit_bits - 1));
  std::int64_t* const at = digits + (place >> 5);
  const Wide square = static_cast<Wide>(mantissa) * mantissa;
  const auto low = static_cast<std::uint64_t>(square), high = static_cast<std::uint64_t>(square >> 64);  // 42 bits
  const std::uint64_t first = low << shift, second = high << shift | low >> 1 >> (63 - shift);
  const auto add = [](std::int64_t& digit, std::uint64_t amount) {
    digit += Out ? -static_cast<std::int64_t>(amount) : static_cast<std::int64_t>(amount);
  };
  add(at[0], first & digit_mask);
  add(at[1], first >> digit_bits);
  add(at[2], second & digit_mask);
  add(at[3], second >> digit_bits);
  add(at[4], high >> 1 >> (63 - shift));
}

class MomentSums {
 public:
  MomentSums(std::int64_t* sums, const MomentWindows& windows, std::size_t n_classes)
      : sums_(sums), windows_(windows), n_classes_(n_classes) {}

  std::size_t width() const { return windows_[0].width + windows_[1].width + windows_[2].width; }

  void add_rows(const double* column, const std::int32_t* classes, const double* weights, std::size_t start,
                std::size_t stop, std::int64_t sign) {
    if (weights)
      add_weighted(column, classes, weights, start, stop, sign);
    else if (sign > 0)
      add_plain<false>(column, classes, start, stop);
    else
      add_plain<true>(column, classes, start, stop);
    const std::size_t width = this->width();
    for (std::size_t k = 0; k < n_classes_; ++k) {
      std::int64_t* digits = sums_ + k * width;
      for (const DigitWindow& window : windows_) {
        carry(digits, window.width);
        digits += window.width;
      }
    }
  }

 private:
  template <bool Out>
  void add_plain(const double* column, const std::int32_t* classes, std::size_t start, std::size_t stop) {
    const MomentWindows windows = windows_;
    const std::size_t width = this->width(), first = windows[0].width, second = first + windows[1].width;
    for (std::size_t row = start; row < stop; ++row) {
      const double x = column[row];
      if (classes[row] < 0 || x != x) continue;
      std::int64_t* const own = sums_ + static_cast<std::size_t>(classes[row]) * width;
      own[-windows[0].base] += Out ? -1 : 1;
      const Parts parts = parts_of(x);
      if (parts.mantissa == 0) continue;
      add_mantissa(own + first, windows[1], parts.mantissa, parts.exponent, parts.negative != Out);
      add_square<Out>(own + second, windows[2], parts.mantissa, parts.exponent);
    }
  }

  void add_weighted(const double* column, const std::int32_t* classes, const double* weights, std::size_t start,
                    std::size_t stop, std::int64_t sign) {
    for (std::size_t row = start; row < stop; ++row) {
      const double x = column[row];
      if (classes[row] < 0 || x != x || weights[row] == 0) continue;
      std::int64_t* const of_w = sums_ + static_cast<std::size_t>(classes[row]) * width();
      std::int64_t *const of_x = of_w + windows_[0].width, *const of_squares = of_x + windows_[1].width;
      const Parts parts = parts_of(x), w = parts_of(weights[row]);
      add_mantissa(of_w, windows_[0], w.mantissa, w.exponent, sign < 0);
      if (parts.mantissa == 0) continue;
      const Wide square = static_cast<Wide>(parts.mantissa) * parts.mantissa;
      const Wide low = static_cast<std::uint64_t>(square), high = square >> 64;
      const int exponent = 2 * parts.exponent + w.exponent;
      add_term(of_x, windows_[1], static_cast<Wide>(parts.mantissa) * w.mantissa, parts.exponent + w.exponent,
               parts.negative ? -sign : sign);
      add_term(of_squares, windows_[2], low * w.mantissa, exponent, sign);
      add_term(of_squares, windows_[2], high * w.mantissa, exponent + 64, sign);
    }
  }

  std::int64_t* sums_;
  const MomentWindows& windows_;
  std::size_t n_classes_;
};

}  // namespace

BitRange bit_range(const double* numbers, std::size_t n) {
  // Without the sign bit, the bit patterns of doubles have the order of their absolute values. Subtracting 1 wraps that
  // of 0 around to the largest, so that zeros are never the least. Patterns beyond infinity are NaN, treated as 0.
  constexpr std::uint64_t size_mask = ~(std::uint64_t{1} << 63), beyond = std::uint64_t{0x7ff} << 52;
  std::uint64_t least = size_mask, most = 0;
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t bits;
    std::memcpy(&bits, numbers + i, sizeof bits);
    bits &= size_mask;
    const std::uint64_t size = bits <= beyond ? bits : 0;
    most = size > most ? size : most;
    least = size - 1 < least ? size - 1 : least;
  }
  if (most == 0) return {0, 0};
  const auto exponent_of = [](std::uint64_t size) { return std::max(static_cast<int>(size >> 52), 1); };
  return {exponent_of(least + 1) - 1075, exponent_of(most) - 1022};
}

void add_moments(const std::vector<const double*>& columns, const std::int32_t* classes, const double* weights,
                 std::size_t rows, int sign, std::int64_t* sums, const MomentWindows& windows, std::size_t n_classes,
                 std::size_t threads) {
  if (rows == 0 || columns.empty()) return;
  const std::size_t block = n_classes * MomentSums(sums, windows, n_classes).width();
  const auto add_step = [&](std::size_t start, std::size_t stop) {
    std::atomic<std::size_t> next{0};
    const std::size_t worth = std::max<std::size_t>(1, (stop - start) * columns.size() / moments_per_thread);
    base::run_on_threads(std::min({threads, columns.size(), worth}), [&](const std::atomic<bool>&) {
      for (std::size_t c; (c = next++) < columns.size();)
        MomentSums(sums + c * block, windows, n_classes).add_rows(columns[c], classes, weights, start, stop, sign);
    });
  };
  const std::size_t step = std::max<std::size_t>(moment_step / columns.size(), 1);
  if (rows <= step) return add_step(0, rows);
  const std::vector<std::int64_t> before(sums, sums + columns.size() * block);
  try {
    for (std::size_t start = 0; start < rows; start += step) {
      base::check_interrupt();
      add_step(start, std::min(rows, start + step));
    }
  } catch (...) {
    std::copy(before.begin(), before.end(), sums);
    throw;
  }
}

// Whole numbers as codes -----------------------------------------------------------------------------------------------

WholeRange whole_range(const double* numbers, std::size_t rows, std::size_t most) {
  constexpr std::size_t block = 4096;
  const auto width = static_cast<double>(most);
  double low = base::infinity, high = -base::infinity;
  for (std::size_t start = 0; start < rows; start += block) {
    const std::size_t stop = std::min(rows, start + block);
    bool whole = true;
    for (std::size_t i = start; i < stop; ++i) {
      const double x = numbers[i];
      low = x < low ? x : low;
      high = x > high ? x : high;
      // Numbers outside +-1e9 pass here; the range tells in the end whether there were any.
      const double within = x > -1e9 && x < 1e9 ? x : 0.0;
      whole &= static_cast<double>(static_cast<std::int32_t>(within)) == within;
    }
    if (!whole || high - low >= width) return {low, 0};
  }
  if (low > high) return {std::numeric_limits<double>::quiet_NaN(), 0};
  if (low <= -1e9 || high >= 1e9) return {low, 0};
  return {low, static_cast<std::size_t>(high - low) + 1};
}

void write_ranks(const double* numbers, std::size_t rows, double low, std::int32_t* out) {
  for (std::size_t i = 0; i < rows; ++i) {
    const double rank = numbers[i] - low;
    out[i] = rank >= 0 ? static_cast<std::int32_t>(rank) : -1;
  }
}

// Codes of nominal values --------------------------------------------------------------------------------------------

namespace {

constexpr std::size_t step_rows = std::size_t{1} << 16, step_bytes = std::size_t{1} << 24;

// Calls work with a null pointer to the type of the codes.
template <class Work>
void with_type(CellType type, const Work& work) {
  switch (type) {
    case CellType::int8: return work(static_cast<std::int8_t*>(nullptr));
    case CellType::int16: return work(static_cast<std::int16_t*>(nullptr));
    case CellType::int32: return work(static_cast<std::int32_t*>(nullptr));
    case CellType::int64: return work(static_cast<std::int64_t*>(nullptr));
    case CellType::real: return;
  }
}

// Calls work(start, stop) for successive ranges of rows, checking for Ctrl-C before each.
template <class Work>
void in_steps(std::size_t rows, std::size_t step, const Work& work) {
  for (std::size_t start = 0; start < rows; start += step) {
    base::check_interrupt();
    work(start, std::min(rows, start + step));
  }
}

template <class Code, std::size_t Copies>
void count_codes(const Column& column, std::size_t start, std::size_t stop, std::size_t n, std::int64_t* counts) {
  const Code* codes = static_cast<const Code*>(column.data);
  const std::ptrdiff_t stride = column.stride;
  for (std::size_t row = start; row < stop; ++row) {
    const std::int64_t code = codes[static_cast<std::ptrdiff_t>(row) * stride];
    const bool within = code >= 0 && code < static_cast<std::int64_t>(n);
    ++counts[row % Copies * (n + 1) + (within ? static_cast<std::size_t>(code) : n)];
  }
}

template <class From, class To>
void recode_rows(const Column& column, std::size_t start, std::size_t stop, const std::int32_t* table, std::size_t n,
                 To* out) {
  const From* codes = static_cast<const From*>(column.data);
  const std::ptrdiff_t stride = column.stride;
  for (std::size_t row = start; row < stop; ++row) {
    const std::int64_t code = codes[static_cast<std::ptrdiff_t>(row) * stride];
    out[row] = static_cast<To>(code >= 0 && code < static_cast<std::int64_t>(n) ? table[code] : -1);
  }
}

}  // namespace

std::vector<std::int64_t> code_counts(const Column& codes, std::size_t rows, std::size_t n) {
  // If there are few counters, consecutive rows go to different copies of them, as in Histogram.
  const std::size_t copies = n <= small_table ? most_copies : 1, size = n + 1;
  std::vector<std::int64_t> counts(copies * size, 0);
  with_type(codes.type, [&]<class Code>(Code*) {
    in_steps(rows, step_rows, [&](std::size_t start, std::size_t stop) {
      if (copies == most_copies)
        count_codes<Code, most_copies>(codes, start, stop, n, counts.data());
      else
        count_codes<Code, 1>(codes, start, stop, n, counts.data());
    });
  });
  for (std::size_t copy = 1; copy < copies; ++copy)
    for (std::size_t c = 0; c < n; ++c) counts[c] += counts[copy * size + c];
  counts.resize(n);
  return counts;
}

void recode(const Column& codes, std::size_t rows, const std::int32_t* table, std::size_t n, CellType type, void* out) {
  with_type(codes.type, [&]<class From>(From*) {
    with_type(type, [&]<class To>(To*) {
      in_steps(rows, step_rows, [&](std::size_t start, std::size_t stop) {
        recode_rows<From>(codes, start, stop, table, n, static_cast<To*>(out));
      });
    });
  });
}

namespace {

// A hash table of the items numbered so far.
class ItemNumbers {
 public:
  ItemNumbers(const char* items, std::ptrdiff_t stride, std::size_t width)
      : items_(items),
        stride_(stride),
        width_(width),
        step_(std::clamp(step_bytes / (width + 1), std::size_t{1}, step_rows)) {}

  std::size_t step() const { return step_; }

  std::int32_t number(std::size_t row) {
    std::int32_t& slot = table_[place(item(row))];
    if (slot >= 0) return slot;
    const auto fresh = static_cast<std::int32_t>(first_.size());
    slot = fresh;
    first_.push_back(static_cast<std::int64_t>(row));
    if (2 * first_.size() > table_.size()) grow();
    return fresh;
  }

  std::vector<std::int64_t> take_first() { return std::move(first_); }

 private:
  const char* item(std::size_t row) const { return items_ + static_cast<std::ptrdiff_t>(row) * stride_; }
  const char* item_of(std::int32_t number) const {
    return item(static_cast<std::size_t>(first_[static_cast<std::size_t>(number)]));
  }

  std::size_t place(const char* item) const {
    std::uint64_t hash = 14695981039346656037ull, word;
    std::size_t i = 0;
    for (; i + sizeof word <= width_; i += sizeof word) {
      std::memcpy(&word, item + i, sizeof word);
      hash = (hash ^ word) * 0x9E3779B97F4A7C15ull;
      hash ^= hash >> 32;
    }
    for (; i < width_; ++i) hash = (hash ^ static_cast<unsigned char>(item[i])) * 1099511628211ull;
    hash ^= hash >> 29;
    std::size_t slot = hash & (table_.size() - 1);
    while (table_[slot] >= 0 && std::memcmp(item_of(table_[slot]), item, width_) != 0)
      slot = (slot + 1) & (table_.size() - 1);
    return slot;
  }

  void grow() {
    table_.assign(table_.size() * 4, -1);
    in_steps(first_.size(), step_, [&](std::size_t start, std::size_t stop) {
      for (std::size_t number = start; number < stop; ++number)
        table_[place(item_of(static_cast<std::int32_t>(number)))] = static_cast<std::int32_t>(number);
    });
  }

  const char* items_;
  std::ptrdiff_t stride_;
  std::size_t width_, step_;
  std::vector<std::int32_t> table_ = std::vector<std::int32_t>(64, -1);
  std::vector<std::int64_t> first_;
};

}  // namespace

Factors factorise(const char* items, std::ptrdiff_t stride, std::size_t width, std::size_t rows) {
  Factors found;
  found.codes.resize(rows);
  ItemNumbers numbers(items, stride, width);
  in_steps(rows, numbers.step(), [&](std::size_t start, std::size_t stop) {
    for (std::size_t row = start; row < stop; ++row) found.codes[row] = numbers.number(row);
  });
  found.first = numbers.take_first();
  return found;
}

}  // namespace priorcase::bayes
