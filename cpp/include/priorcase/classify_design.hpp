// The design of a local fit: numbers as deviations from the query, values as indicators, columns centred.
#pragma once

#include <algorithm>

#include "priorcase/classify_task.hpp"

namespace priorcase {

// One line for each voter and a last one for the query, each with a leading 1. The other columns are deviations from the
// query in units of their spread (0 for a gap; the column is absent where the query has a gap), and one indicator for
// each value other than the query's that a voter has, in the order of the voters' list. They are centred by their weighted
// means, which changes no fit with a free intercept, and those that are then 0 are left out.
class LocalDesign {
 public:
  explicit LocalDesign(const ClassTask& task) : task_(task) {}

  void build(std::size_t q, const LocalVoters& voters) {
    n_ = voters.size();
    columns_.clear();
    for (std::size_t a = 0; a < task_.attributes; ++a) {
      const double asked = task_.query(q, a);
      const bool nominal = task_.kind(a) == ColumnKind::nominal;
      if (std::isnan(asked) || (asked < 0 && task_.kind(a) == ColumnKind::ordinal)) continue;
      if (nominal) add_indicators(a, asked, voters);
      else add_deviations(a, asked, voters);
    }
    width_ = columns_.size() / (n_ + 1) + 1;
    lay_out();
    if (width_ > n_) reduce();
  }

  std::size_t width() const { return width_; }
  const double* line(std::size_t i) const { return &lines_[i * width_]; }  // of voter i; of the query for i = n

 private:
  void add_deviations(std::size_t a, double asked, const LocalVoters& voters) {
    column_.assign(n_ + 1, 0.0);
    for (std::size_t i = 0; i < n_; ++i) {
      const double z = (voters.cell(i, a) - asked) / task_.scales[a];
      if (!std::isnan(z)) column_[i] = z;
    }
    add_centred(voters);
  }

  void add_indicators(std::size_t a, double asked, const LocalVoters& voters) {
    values_.clear();
    for (std::size_t i = 0; i < n_; ++i) {
      const double cell = voters.cell(i, a);
      if (std::isnan(cell) || cell == asked || std::find(values_.begin(), values_.end(), cell) != values_.end()) continue;
      values_.push_back(cell);
    }
    for (const double value : values_) {
      column_.assign(n_ + 1, 0.0);
      for (std::size_t i = 0; i < n_; ++i) column_[i] = voters.cell(i, a) == value ? 1.0 : 0.0;
      add_centred(voters);
    }
  }

  void add_centred(const LocalVoters& voters) {
    const auto [low, high] = std::minmax_element(column_.begin(), column_.begin() + static_cast<std::ptrdiff_t>(n_));
    if (!(*low < *high)) return;
    double sum = 0, total = 0;
    for (std::size_t i = 0; i < n_; ++i) sum += voters.weights[i] * column_[i], total += voters.weights[i];
    const double mean = sum / total;
    if (!std::isfinite(mean)) return;
    for (double& x : column_) x -= mean;
    columns_.insert(columns_.end(), column_.begin(), column_.end());
  }

  void lay_out() {
    lines_.assign((n_ + 1) * width_, 1.0);
    for (std::size_t j = 1; j < width_; ++j)
      for (std::size_t i = 0; i <= n_; ++i) lines_[i * width_ + j] = columns_[(j - 1) * (n_ + 1) + i];
  }

  // More columns than voters: the slopes of a fit with a ridge lie in the span of the voters' lines, so that coordinates
  // in an orthonormal basis of it (Gram-Schmidt, twice for its rounding) give the same fit.
  void reduce() {
    const std::size_t p = width_ - 1;
    basis_.clear();
    std::size_t rank = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      column_.assign(line(i) + 1, line(i) + width_);
      const double before = norm(column_);
      for (int pass = 0; pass < 2; ++pass)
        for (std::size_t r = 0; r < rank; ++r) {
          const double along = dot(&basis_[r * p], column_.data(), p);
          for (std::size_t j = 0; j < p; ++j) column_[j] -= along * basis_[r * p + j];
        }
      const double left = norm(column_);
      if (!(left > 1e-12 * before)) continue;
      for (double& x : column_) x /= left;
      basis_.insert(basis_.end(), column_.begin(), column_.end());
      ++rank;
    }
    reduced_.assign((n_ + 1) * (rank + 1), 1.0);
    for (std::size_t i = 0; i <= n_; ++i)
      for (std::size_t r = 0; r < rank; ++r) reduced_[i * (rank + 1) + r + 1] = dot(&basis_[r * p], line(i) + 1, p);
    lines_.swap(reduced_);
    width_ = rank + 1;
  }

  static double dot(const double* x, const double* y, std::size_t n) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += x[j] * y[j];
    return sum;
  }
  static double norm(const std::vector<double>& x) { return std::sqrt(dot(x.data(), x.data(), x.size())); }

  const ClassTask& task_;
  std::size_t n_ = 0, width_ = 1;
  std::vector<double> columns_, column_, values_, lines_, basis_, reduced_;
};

}  // namespace priorcase
