// The columns of a local design made ready for a fit with a ridge: centred, and no more of them than voters.
#pragma once

#include "local/classify_task.hpp"

namespace priorcase::local {

// Column 0 is 1; the others are those of the local design less their weighted means, which changes no fit whose intercept
// is free. Constant ones are left out.
class CentredColumns {
 public:
  void build(const ClassTask& task, std::size_t q, const ClassVoters& voters) {
    n_ = voters.size();
    design_.build(task.table, task.query(q), voters.voters(), 1);
    centre(voters.voters());
    if (columns_.count() > n_) reduce();
  }

  std::size_t count() const { return columns_.count(); }
  std::size_t length() const { return columns_.length(); }
  // Beyond the voters columns are 0.
  const double* operator[](std::size_t j) const { return columns_[j]; }
  // The line of the query, whose deviations are 0.
  const std::vector<double>& query() const { return query_; }

 private:
  void centre(const Voters& voters) {
    const Columns& found = design_.columns();
    const std::size_t n = found.length();
    const double total = sums_->sum(voters.weights(), n);
    columns_.reshape(n_, found.count() + 1);
    fill_ones(columns_[0]);
    query_.assign(1, 1.0);
    for (std::size_t j = 0; j < found.count(); ++j) {
      const auto [low, high] = std::minmax_element(found[j], found[j] + n_);
      const double mean = sums_->dot(voters.weights(), found[j], n) / total;
      if (!(*low < *high) || !std::isfinite(mean)) continue;
      double* column = columns_[query_.size()];
      for (std::size_t i = 0; i < n; ++i) column[i] = i < n_ ? found[j][i] - mean : 0.0;
      query_.push_back(-mean);
    }
    columns_.keep(query_.size());
  }

  void fill_ones(double* column) const {
    for (std::size_t i = 0; i < columns_.length(); ++i) column[i] = i < n_ ? 1.0 : 0.0;
  }

  // The slopes of a fit with a ridge lie in the span of the voters' lines: coordinates in an orthonormal basis of it, by
  // Gram and Schmidt (twice, for the rounding), give the same fit.
  void reduce() {
    const std::size_t p = columns_.count() - 1;
    basis_.clear();
    for (std::size_t i = 0; i < n_; ++i) {
      line_.resize(p);
      for (std::size_t j = 0; j < p; ++j) line_[j] = columns_[j + 1][i];
      const double before = norm(line_);
      for (int pass = 0; pass < 2; ++pass)
        for (std::size_t r = 0; r < basis_.size(); r += p) {
          const double along = inner(&basis_[r], line_.data(), p);
          for (std::size_t j = 0; j < p; ++j) line_[j] -= along * basis_[r + j];
        }
      const double left = norm(line_);
      if (!(left > 1e-12 * before)) continue;
      for (const double x : line_) basis_.push_back(x / left);
    }
    rotate(p, basis_.size() / p);
  }

  void rotate(std::size_t p, std::size_t rank) {
    rotated_.reshape(n_, rank + 1);
    fill_ones(rotated_[0]);
    line_.assign(rank + 1, 1.0);
    for (std::size_t r = 0; r < rank; ++r) {
      double* column = rotated_[r + 1];
      std::fill(column, column + rotated_.length(), 0.0);
      for (std::size_t j = 0; j < p; ++j) sums_->add_multiple(basis_[r * p + j], columns_[j + 1], column, rotated_.length());
      line_[r + 1] = inner(&basis_[r * p], query_.data() + 1, p);
    }
    std::swap(columns_, rotated_);
    query_ = line_;
  }

  static double inner(const double* x, const double* y, std::size_t n) {
    double sum = 0.0;
    for (std::size_t j = 0; j < n; ++j) sum += x[j] * y[j];
    return sum;
  }
  static double norm(const std::vector<double>& x) { return std::sqrt(inner(x.data(), x.data(), x.size())); }

  const ColumnSums* sums_ = &column_sums();
  std::size_t n_ = 0;
  LocalDesign design_;
  Columns columns_, rotated_;
  std::vector<double> query_, line_, basis_;
};

}  // namespace priorcase::local
