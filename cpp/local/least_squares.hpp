// Weighted least squares on centred columns: coefficients b that minimise sum w (y - c'b)^2 + penalty |b|^2.
#pragma once

#include <cmath>
#include <vector>

#include "local/least_squares_svd.hpp"
#include "local/sums.hpp"

namespace priorcase::local {

// By Cholesky's factor of the normal equations C'WC + penalty. Where a pivot says that a column is nearly a sum of
// those before it, these would lose half of the digits, and the singular values of the columns are taken.
class LeastSquares {
 public:
  // A pivot below this share of its diagonal (1 - R^2 of the column, given those before) is near enough to 0. The rest
  // solves to about 1e-16 / least_pivot.
  static constexpr double least_pivot = 1e-5;
  // Singular values this many times above the cut are told apart from those below it by their pivots.
  static constexpr double clear_of_cut = 1e3;

  // Singular values of the weighted columns up to rcond times the largest count as 0: the shortest solution is taken.
  void factorise(const Columns& columns, const double* weights, double penalty, double rcond) {
    columns_ = &columns;
    weights_ = weights;
    const std::size_t p = columns.count();
    const std::size_t n = columns.length();
    weighted_.reshape(n, 1);
    products_.resize(p);
    lower_.resize(p * p);
    for (std::size_t k = 0; k < p; ++k) {
      sums_->multiply(weights, columns[k], weighted_[0], n);
      sums_->dots(weighted_[0], columns[k], p - k, n, products_.data());
      for (std::size_t j = k; j < p; ++j) lower_[j * p + k] = products_[j - k];
      lower_[k * p + k] += penalty;
    }
    careful_ = !cholesky(rcond);
    if (careful_) svd_.factorise(columns, weights, penalty, rcond);
    rank_ = careful_ ? svd_.rank() : p;
  }

  // How many directions of the columns are fitted.
  std::size_t rank() const { return rank_; }

  // The coefficients of a target, centred like the columns.
  void solve(const double* target, double* coefficients) {
    const std::size_t p = columns_->count(), n = columns_->length();
    weighted_.reshape(n, 1);
    sums_->multiply(weights_, target, weighted_[0], n);
    if (careful_) return svd_.solve(weighted_[0], coefficients);
    sums_->dots(weighted_[0], (*columns_)[0], p, n, coefficients);
    forward(coefficients);
    for (std::size_t j = p; j-- > 0;) {
      for (std::size_t k = j + 1; k < p; ++k) coefficients[j] -= lower_[k * p + j] * coefficients[k];
      coefficients[j] /= lower_[j * p + j];
    }
  }

  // Columns T with the same rows as C, such that TT' = C (C'WC + penalty)^-1 C': sums of their squares are leverages.
  const Columns& whitened() {
    if (careful_) return svd_.whitened();
    const std::size_t p = columns_->count(), n = columns_->length();
    white_.reshape(n, p);
    for (std::size_t j = 0; j < p; ++j) {
      std::copy_n((*columns_)[j], n, white_[j]);
      for (std::size_t k = 0; k < j; ++k) sums_->add_multiple(-lower_[j * p + k], white_[k], white_[j], n);
      sums_->scale(1.0 / lower_[j * p + j], white_[j], n);
    }
    return white_;
  }

  // A row of C as a row of T.
  void whiten(const double* row, std::vector<double>& white) {
    if (careful_) return svd_.whiten(row, white);
    white.assign(row, row + columns_->count());
    forward(white.data());
  }

 private:
  bool cholesky(double rcond) {
    const std::size_t p = columns_->count();
    double trace = 0.0;
    for (std::size_t j = 0; j < p; ++j) trace += lower_[j * p + j];
    const double cut = rcond * clear_of_cut, least = cut * cut * trace;
    for (std::size_t j = 0; j < p; ++j) {
      double* row = lower_.data() + j * p;
      const double diagonal = row[j];
      for (std::size_t k = 0; k < j; ++k) {
        for (std::size_t l = 0; l < k; ++l) row[k] -= row[l] * lower_[k * p + l];
        row[k] /= lower_[k * p + k];
        row[j] -= row[k] * row[k];
      }
      // Written so that what is no number fails too.
      if (!(row[j] > least_pivot * diagonal && row[j] > least)) return false;
      row[j] = std::sqrt(row[j]);
    }
    return true;
  }

  void forward(double* x) const {
    const std::size_t p = columns_->count();
    for (std::size_t j = 0; j < p; ++j) {
      for (std::size_t k = 0; k < j; ++k) x[j] -= lower_[j * p + k] * x[k];
      x[j] /= lower_[j * p + j];
    }
  }

  const Columns* columns_ = nullptr;
  const double* weights_ = nullptr;
  const ColumnSums* sums_ = &column_sums();
  Columns weighted_, white_;
  std::vector<double> lower_, products_;
  SingularSquares svd_;
  bool careful_ = false;
  std::size_t rank_ = 0;
};

}  // namespace priorcase::local
