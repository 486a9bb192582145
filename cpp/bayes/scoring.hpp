// Log-probabilities of classes as sums of terms, one for each attribute: a look-up by value, or a density.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "bayes/slots.hpp"
#include "base/threads.hpp"

namespace priorcase::bayes {

struct TableTerm {
  std::size_t column = 0;
  std::size_t start = 0;    // its first row in the table
  std::size_t n_slots = 0;  // its rows
  std::vector<double> cuts;
  bool cut = false;
};

// log p = c - e log1p((x - location)^2 q), or c - (x - location)^2 q where it is normal.
struct Density {
  double c, location, q, e;

  double student(double x) const {
    if (q == 0.0) return c;  // it says nothing, however far away x is
    const double d = x - location, square = d * d * q;
    // So far away that the square is beyond a double, 1 beside it is nothing.
    if (std::isinf(square)) return c - e * (2.0 * std::log(std::fabs(d)) + std::log(q));
    return c - e * std::log1p(square);
  }
  double normal(double x) const {
    const double d = x - location;
    return q == 0.0 ? c : c - d * d * q;
  }
};

enum class Shape : std::uint8_t { student, normal, mixed };

struct DensityTerm {
  std::size_t column = 0;
  Shape shape = Shape::student;
  std::vector<Density> classes;
  // Mixed: log(exp(log_in) p(x | class) + exp(log_out) p(x)).
  Density pooled{};
  double log_in = 0.0, log_out = 0.0;

  double at(double x, std::size_t k) const {
    if (shape == Shape::normal) return classes[k].normal(x);
    const double own = classes[k].student(x);
    if (shape == Shape::student) return own;
    const double in = log_in + own, out = log_out + pooled.student(x), high = std::max(in, out);
    if (high == -std::numeric_limits<double>::infinity()) return high;
    return high + std::log(std::exp(in - high) + std::exp(out - high));
  }
};

enum class Scale : std::uint8_t { joint, log_probability, probability };

// Joint logs of one row to (log-)probabilities; a row in which every class is impossible says nothing: all are alike.
inline void normalise(double* row, std::size_t n, Scale scale) {
  if (scale == Scale::joint) return;
  double high = row[0];
  for (std::size_t k = 1; k < n; ++k) high = std::max(high, row[k]);
  if (high == -std::numeric_limits<double>::infinity()) {
    const double each = 1.0 / static_cast<double>(n);
    for (std::size_t k = 0; k < n; ++k) row[k] = scale == Scale::probability ? each : -std::log(static_cast<double>(n));
    return;
  }
  double sum = 0.0;
  if (scale == Scale::probability) {
    for (std::size_t k = 0; k < n; ++k) sum += row[k] = std::exp(row[k] - high);
    for (std::size_t k = 0; k < n; ++k) row[k] /= sum;
  } else {
    for (std::size_t k = 0; k < n; ++k) sum += std::exp(row[k] - high);
    const double log_sum = high + std::log(sum);
    for (std::size_t k = 0; k < n; ++k) row[k] -= log_sum;
  }
}

class Scorer {
 public:
  // prior: the log-share of each class; table: cells by classes, the terms' slots one after another.
  Scorer(const double* prior, std::size_t n_classes, const double* table, std::size_t n_cells)
      : n_classes_(n_classes), wide_((n_classes + 1) / 2 * 2), prior_(padded(prior, 1)), table_(padded(table, n_cells)) {}

  // What a row's own class has when the row itself is left out.
  void leave_out(const double* prior, const double* table) {
    own_prior_.assign(prior, prior + n_classes_);
    own_table_ = padded(table, table_.size() / wide_);
  }

  void add(TableTerm term) { tables_.push_back(std::move(term)); }
  void add(DensityTerm term) { densities_.push_back(std::move(term)); }

  // Every term must find its column, and densities and cuts numbers in it.
  void check_columns(const std::vector<Column>& columns) const {
    const auto check = [&](std::size_t column, bool numbers) {
      if (column >= columns.size()) throw std::invalid_argument("a term has no column");
      if (numbers && columns[column].type != CellType::real) throw std::invalid_argument("a term needs numbers");
    };
    for (const TableTerm& term : tables_) check(term.column, term.cut);
    for (const DensityTerm& term : densities_) check(term.column, true);
  }

  std::size_t n_classes() const { return n_classes_; }
  std::size_t n_cells() const { return table_.size() / wide_; }
  bool leaves_out() const { return !own_table_.empty() || !own_prior_.empty(); }
  bool has_densities() const { return !densities_.empty(); }

  // Rows by classes; with own, the class of each row, every row is left out of the counts of its own class.
  void score(const std::vector<Column>& columns, std::size_t rows, const Column* own, Scale scale, double* out,
             std::size_t threads) const {
    base::for_blocks(rows, block_rows, threads, [&] {
      return [&, slots = std::vector<std::int32_t>(tables_.size() * block_rows), sums = std::vector<double>(block_rows * wide_),
              classes = std::vector<std::int32_t>(block_rows)](std::size_t start, std::size_t stop) mutable {
        const std::size_t n = stop - start;
        for (std::size_t t = 0; t < tables_.size(); ++t)
          read_slots(columns[tables_[t].column], tables_[t].cut ? &tables_[t].cuts : nullptr, start, stop,
                     static_cast<std::int32_t>(tables_[t].n_slots), &slots[t * block_rows]);
        look_up(n, slots.data(), sums.data());
        if (own) {
          read_slots(*own, nullptr, start, stop, static_cast<std::int32_t>(n_classes_) + first_slot, classes.data());
          leave_out_rows(n, slots.data(), classes.data(), sums.data());
        }
        for (const DensityTerm& term : densities_) add_density(term, columns[term.column], start, n, sums.data());
        for (std::size_t r = 0; r < n; ++r) {
          double* row = out + (start + r) * n_classes_;
          std::copy_n(&sums[r * wide_], n_classes_, row);
          normalise(row, n_classes_, scale);
        }
      };
    });
  }

 private:
  static constexpr std::size_t block_rows = 256;

  std::vector<double> padded(const double* values, std::size_t rows) const {
    std::vector<double> wide(rows * wide_, 0.0);
    for (std::size_t r = 0; r < rows; ++r) std::copy_n(values + r * n_classes_, n_classes_, &wide[r * wide_]);
    return wide;
  }

  void look_up(std::size_t n, const std::int32_t* slots, double* sums) const {
    switch (wide_) {
      case 2: return look_up_narrow<2>(n, slots, sums);
      case 4: return look_up_narrow<4>(n, slots, sums);
      case 6: return look_up_narrow<6>(n, slots, sums);
      case 8: return look_up_narrow<8>(n, slots, sums);
      default: break;
    }
    for (std::size_t r = 0; r < n; ++r) {
      double* sum = sums + r * wide_;
      std::copy_n(prior_.data(), wide_, sum);
      for (std::size_t t = 0; t < tables_.size(); ++t) {
        const double* term = row_of(t, slots[t * block_rows + r]);
        for (std::size_t k = 0; k < wide_; ++k) sum[k] += term[k];
      }
    }
  }

  // The sums of a row stay in registers.
  template <std::size_t Wide>
  void look_up_narrow(std::size_t n, const std::int32_t* slots, double* sums) const {
    for (std::size_t r = 0; r < n; ++r) {
      double sum[Wide];
      std::copy_n(prior_.data(), Wide, sum);
      for (std::size_t t = 0; t < tables_.size(); ++t) {
        const double* term = row_of(t, slots[t * block_rows + r]);
        for (std::size_t k = 0; k < Wide; ++k) sum[k] += term[k];
      }
      std::copy_n(sum, Wide, sums + r * Wide);
    }
  }

  const double* row_of(std::size_t t, std::int32_t slot) const {
    return &table_[(tables_[t].start + static_cast<std::size_t>(slot)) * wide_];
  }

  void leave_out_rows(std::size_t n, const std::int32_t* slots, const std::int32_t* classes, double* sums) const {
    for (std::size_t r = 0; r < n; ++r) {
      if (classes[r] < first_slot) continue;
      const std::size_t k = static_cast<std::size_t>(classes[r] - first_slot);
      double sum = own_prior_[k];
      for (std::size_t t = 0; t < tables_.size(); ++t)
        sum += own_table_[(tables_[t].start + static_cast<std::size_t>(slots[t * block_rows + r])) * wide_ + k];
      sums[r * wide_ + k] = sum;
    }
  }

  void add_density(const DensityTerm& term, const Column& column, std::size_t start, std::size_t n, double* sums) const {
    for (std::size_t r = 0; r < n; ++r) {
      const double x = column.number(start + r);
      if (std::isnan(x)) continue;
      for (std::size_t k = 0; k < n_classes_; ++k) sums[r * wide_ + k] += term.at(x, k);
    }
  }

  std::size_t n_classes_, wide_;
  std::vector<double> prior_, table_, own_prior_, own_table_;
  std::vector<TableTerm> tables_;
  std::vector<DensityTerm> densities_;
};

}  // namespace priorcase::bayes
