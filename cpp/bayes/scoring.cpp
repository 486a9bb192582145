#include "bayes/scoring.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/numbers.hpp"
#include "base/threads.hpp"

namespace priorcase::bayes {

namespace {

constexpr std::size_t block_rows = 256;
// In units of one addition: the most work for a block, and the work done in the time that starting a thread takes. An
// exponential costs as much as some additions, a density as much as many.
constexpr std::size_t block_work = std::size_t{1} << 25, thread_work = std::size_t{1} << 17;
constexpr std::size_t exp_work = 8, density_work = 32;

std::size_t rows_for(std::size_t work, std::size_t of_row) { return std::max<std::size_t>(1, work / of_row); }

}  // namespace

double Density::student(double x) const {
  if (q == 0.0) return c;  // flat, even where d * d overflows
  const double d = x - location, square = d * d * q;
  // Where the square overflows, 1 is negligible next to it.
  if (std::isinf(square)) return c - e * (2.0 * std::log(std::fabs(d)) + std::log(q));
  return c - e * std::log1p(square);
}

double Density::normal(double x) const {
  const double d = x - location;
  return q == 0.0 ? c : c - d * d * q;
}

double DensityTerm::at(double x, std::size_t k) const {
  if (shape == Shape::normal) return classes[k].normal(x);
  const double own = classes[k].student(x);
  if (shape == Shape::student) return own;
  const double in = log_in + own, out = log_out + pooled.student(x), high = std::max(in, out);
  if (high == -base::infinity) return high;
  return high + std::log(std::exp(in - high) + std::exp(out - high));
}

void normalise(const double* joint, std::size_t n, Scale scale, double* out) {
  if (scale == Scale::joint) {
    std::copy_n(joint, n, out);
    return;
  }
  double high = joint[0];
  for (std::size_t k = 1; k < n; ++k) high = std::max(high, joint[k]);
  if (high == -base::infinity) {
    const double each = 1.0 / static_cast<double>(n);
    for (std::size_t k = 0; k < n; ++k) out[k] = scale == Scale::probability ? each : -std::log(static_cast<double>(n));
    return;
  }
  double sum = 0.0;
  if (scale == Scale::probability) {
    for (std::size_t k = 0; k < n; ++k) sum += out[k] = std::exp(joint[k] - high);
    for (std::size_t k = 0; k < n; ++k) out[k] /= sum;
  } else {
    for (std::size_t k = 0; k < n; ++k) sum += std::exp(joint[k] - high);
    const double log_sum = high + std::log(sum);
    for (std::size_t k = 0; k < n; ++k) out[k] = joint[k] - log_sum;
  }
}

void normalise_rows(const double* joint, std::size_t rows, std::size_t n, Scale scale, double* out,
                    std::size_t threads) {
  const std::size_t work = n * exp_work, block = std::min(rows_for(block_work, work), block_rows);
  base::for_blocks(rows, block, threads, [&] {
    return [&](std::size_t start, std::size_t stop) {
      for (std::size_t r = start; r < stop; ++r) normalise(joint + r * n, n, scale, out + r * n);
    };
  }, rows_for(thread_work, work));
}

// Scores one block of rows at a time.
class Scorer::Worker {
 public:
  Worker(const Scorer& scorer, const std::vector<Column>& columns, const Column* own, std::size_t block)
      : scorer_(scorer),
        columns_(columns),
        own_(own),
        block_(block),
        slots_(scorer.tables_.size() * block),
        classes_(own ? block : 0),
        sums_(block * scorer.padded_) {}

  void score(std::size_t start, std::size_t stop, Scale scale, double* out) {
    const std::size_t n = stop - start, n_classes = scorer_.n_classes_;
    for (std::size_t t = 0; t < scorer_.tables_.size(); ++t) {
      const TableTerm& term = scorer_.tables_[t];
      read_slots(columns_[term.column], term.cut ? &term.cuts : nullptr, start, stop,
                 static_cast<std::int32_t>(term.n_slots), &slots_[t * block_]);
    }
    look_up(n);
    if (own_) {
      read_slots(*own_, nullptr, start, stop, static_cast<std::int32_t>(n_classes) + first_slot, classes_.data());
      leave_out(n);
    }
    for (const DensityTerm& term : scorer_.densities_) add_density(term, start, n);
    for (std::size_t r = 0; r < n; ++r)
      normalise(&sums_[r * scorer_.padded_], n_classes, scale, out + (start + r) * n_classes);
  }

 private:
  void look_up(std::size_t n) {
    switch (scorer_.padded_) {
      case 2: return look_up_few<2>(n);
      case 4: return look_up_few<4>(n);
      case 6: return look_up_few<6>(n);
      case 8: return look_up_few<8>(n);
      default: break;
    }
    const std::size_t width = scorer_.padded_;
    for (std::size_t r = 0; r < n; ++r) {
      double* sum = &sums_[r * width];
      std::copy_n(scorer_.prior_.data(), width, sum);
      for (std::size_t t = 0; t < scorer_.tables_.size(); ++t) {
        const double* term = scorer_.table_.data() + cell(t, r) * width;
        for (std::size_t k = 0; k < width; ++k) sum[k] += term[k];
      }
    }
  }

  // With a fixed width, the sums of a row stay in registers.
  template <std::size_t Width>
  void look_up_few(std::size_t n) {
    for (std::size_t r = 0; r < n; ++r) {
      double sum[Width];
      std::copy_n(scorer_.prior_.data(), Width, sum);
      for (std::size_t t = 0; t < scorer_.tables_.size(); ++t) {
        const double* term = scorer_.table_.data() + cell(t, r) * Width;
        for (std::size_t k = 0; k < Width; ++k) sum[k] += term[k];
      }
      std::copy_n(sum, Width, &sums_[r * Width]);
    }
  }

  void leave_out(std::size_t n) {
    for (std::size_t r = 0; r < n; ++r) {
      if (classes_[r] < first_slot) continue;
      const std::size_t k = static_cast<std::size_t>(classes_[r] - first_slot);
      double sum = scorer_.own_prior_[k];
      for (std::size_t t = 0; t < scorer_.tables_.size(); ++t)
        sum += scorer_.own_table_[cell(t, r) * scorer_.padded_ + k];
      sums_[r * scorer_.padded_ + k] = sum;
    }
  }

  void add_density(const DensityTerm& term, std::size_t start, std::size_t n) {
    for (std::size_t r = 0; r < n; ++r) {
      const double x = columns_[term.column].number(start + r);
      if (std::isnan(x)) continue;
      for (std::size_t k = 0; k < scorer_.n_classes_; ++k) sums_[r * scorer_.padded_ + k] += term.at(x, k);
    }
  }

  std::size_t cell(std::size_t t, std::size_t r) const {
    return scorer_.tables_[t].start + static_cast<std::size_t>(slots_[t * block_ + r]);
  }

  const Scorer& scorer_;
  const std::vector<Column>& columns_;
  const Column* own_;
  std::size_t block_;
  std::vector<std::int32_t> slots_, classes_;
  std::vector<double> sums_;
};

Scorer::Scorer(const double* prior, std::size_t n_classes, const double* table, std::size_t n_cells)
    : n_classes_(n_classes),
      padded_((n_classes + 1) / 2 * 2),
      prior_(padded(prior, 1)),
      table_(padded(table, n_cells)) {}

void Scorer::leave_out(const double* prior, const double* table) {
  std::vector<double> own_prior(prior, prior + n_classes_), own_table = padded(table, n_cells());
  own_prior_.swap(own_prior);
  own_table_.swap(own_table);
}

void Scorer::add(TableTerm term) { tables_.push_back(std::move(term)); }
void Scorer::add(DensityTerm term) { densities_.push_back(std::move(term)); }

void Scorer::check_columns(const std::vector<Column>& columns) const {
  const auto check = [&](std::size_t column, bool numbers) {
    if (column >= columns.size()) throw std::invalid_argument("a term has no column");
    if (numbers && columns[column].type != CellType::real) throw std::invalid_argument("a term needs numbers");
  };
  for (const TableTerm& term : tables_) check(term.column, term.cut);
  for (const DensityTerm& term : densities_) check(term.column, true);
}

void Scorer::score(const std::vector<Column>& columns, std::size_t rows, const Column* own, Scale scale, double* out,
                   std::size_t threads) const {
  const std::size_t work = (tables_.size() + densities_.size() * density_work + exp_work) * padded_;
  const std::size_t block = std::min({rows_for(block_work, work), block_rows, std::max<std::size_t>(rows, 1)});
  base::for_blocks(rows, block, threads, [&] {
    return [&, worker = Worker(*this, columns, own, block)](std::size_t start, std::size_t stop) mutable {
      worker.score(start, stop, scale, out);
    };
  }, rows_for(thread_work, work));
}

std::vector<double> Scorer::padded(const double* values, std::size_t rows) const {
  std::vector<double> lines(rows * padded_, 0.0);
  for (std::size_t r = 0; r < rows; ++r) {
    if (r % 4096 == 0) base::check_interrupt();
    std::copy_n(values + r * n_classes_, n_classes_, &lines[r * padded_]);
  }
  return lines;
}

}  // namespace priorcase::bayes
