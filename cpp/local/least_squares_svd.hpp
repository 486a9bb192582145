// Least squares for columns that depend on each other, by the singular values of the weighted columns.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "local/sums.hpp"

namespace priorcase::local {

// With W^(1/2) C = U S V': columns are reduced to a triangle R by reflections, and the columns of R' are turned against
// each other until all are orthogonal (one-sided Jacobi: Golub & Van Loan 2013, section 8.6.3). They are then S V, and
// the turns, reflected back, are U. To divide C V by S instead would lose the digits of S twice.
class SingularSquares {
 public:
  void factorise(const Columns& columns, const double* weights, double penalty, double rcond) {
    columns_ = &columns;
    weights_ = weights;
    copy_weighted();
    reflect();
    transpose();
    orthogonalise();
    cut(penalty, rcond);
    whiten_all();
  }

  std::size_t rank() const { return basis_.count(); }

  // The weights are already in the target.
  void solve(const double* weighted_target, double* coefficients) const {
    const std::size_t p = columns_->count();
    std::fill(coefficients, coefficients + p, 0.0);
    for (std::size_t k = 0; k < rank(); ++k) {
      const double along = sums_->dot(white_[k], weighted_target, white_.length());
      for (std::size_t j = 0; j < p; ++j) coefficients[j] += along * basis_[k][j];
    }
  }

  const Columns& whitened() const { return white_; }

  void whiten(const double* row, std::vector<double>& white) const {
    white.assign(rank(), 0.0);
    for (std::size_t k = 0; k < rank(); ++k)
      for (std::size_t j = 0; j < columns_->count(); ++j) white[k] += row[j] * basis_[k][j];
  }

 private:
  static constexpr double rounding = 1e-15;
  static constexpr int most_sweeps = 60;

  void copy_weighted() {
    const std::size_t p = columns_->count(), n = columns_->length();
    triangle_.reshape(n, p);
    for (std::size_t i = 0; i < n; ++i) {
      const double root = std::sqrt(weights_[i]);
      for (std::size_t j = 0; j < p; ++j) triangle_[j][i] = root * (*columns_)[j][i];
    }
  }

  // Householder's reflections, one for each column; a row beyond the last voter is 0 and stays so.
  void reflect() {
    const std::size_t p = triangle_.count(), n = triangle_.length();
    height_ = std::min(n, p);
    mirrors_.reshape(n, height_);
    factors_.assign(height_, 0.0);
    for (std::size_t j = 0; j < height_; ++j) {
      double* mirror = mirrors_[j];
      std::fill(mirror, mirror + j, 0.0);
      std::copy(triangle_[j] + j, triangle_[j] + n, mirror + j);
      const double square = sums_->dot(mirror, mirror, n);
      if (square == 0.0) continue;
      const double corner = mirror[j] > 0.0 ? -std::sqrt(square) : std::sqrt(square);
      mirror[j] -= corner;
      factors_[j] = 1.0 / (corner * mirror[j]);
      for (std::size_t k = j + 1; k < p; ++k) reflect_at(j, triangle_[k]);
      triangle_[j][j] = corner;
    }
  }

  void reflect_at(std::size_t j, double* column) const {
    const std::size_t n = mirrors_.length();
    sums_->add_multiple(factors_[j] * sums_->dot(mirrors_[j], column, n), mirrors_[j], column, n);
  }

  void transpose() {
    const std::size_t p = triangle_.count();
    basis_.reshape(p, height_);
    turns_.reshape(height_, height_);
    for (std::size_t k = 0; k < height_; ++k) {
      std::fill(basis_[k], basis_[k] + basis_.length(), 0.0);
      std::fill(turns_[k], turns_[k] + turns_.length(), 0.0);
      turns_[k][k] = 1.0;
      for (std::size_t j = k; j < p; ++j) basis_[k][j] = triangle_[j][k];
    }
  }

  void orthogonalise() {
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
      double largest = 0.0;
      for (std::size_t k = 0; k < height_; ++k)
        largest = std::max(largest, sums_->dot(basis_[k], basis_[k], basis_.length()));
      bool turned = false;
      for (std::size_t k = 0; k < height_; ++k)
        for (std::size_t l = k + 1; l < height_; ++l) turned |= turn(k, l, largest);
      if (!turned) return;
    }
  }

  // Turns two columns until they are orthogonal; the longer one comes first. Dust of rounding is left alone.
  bool turn(std::size_t k, std::size_t l, double largest) {
    const std::size_t n = basis_.length();
    double *one = basis_[k], *other = basis_[l];
    double a = sums_->dot(one, one, n), b = sums_->dot(other, other, n);
    const double c = sums_->dot(one, other, n);
    const bool swapped = b > a;
    if (swapped) {
      std::swap_ranges(one, one + n, other);
      std::swap_ranges(turns_[k], turns_[k] + turns_.length(), turns_[l]);
      std::swap(a, b);
    }
    const double near = rounding * std::sqrt(static_cast<double>(n));
    if (b <= rounding * rounding * largest || std::abs(c) <= near * std::sqrt(a * b)) return swapped;
    const double zeta = (b - a) / (2.0 * c);
    double tangent = 1.0 / (std::abs(zeta) + std::sqrt(1.0 + zeta * zeta));
    if (zeta < 0.0) tangent = -tangent;
    const double cosine = 1.0 / std::sqrt(1.0 + tangent * tangent), sine = cosine * tangent;
    sums_->rotate(one, other, n, cosine, sine);
    sums_->rotate(turns_[k], turns_[l], turns_.length(), cosine, sine);
    return true;
  }

  // From columns S V to V / sqrt(S^2 + penalty), without those whose root is up to rcond times the largest S; turns take
  // on what is left, S / sqrt(S^2 + penalty).
  void cut(double penalty, double rcond) {
    double largest = 0.0;
    std::size_t kept = 0;
    lengths_.resize(height_);
    for (std::size_t k = 0; k < height_; ++k) {
      lengths_[k] = std::sqrt(sums_->dot(basis_[k], basis_[k], basis_.length()));
      largest = std::max(largest, lengths_[k]);
    }
    for (std::size_t k = 0; k < height_; ++k) {
      const double root = std::sqrt(lengths_[k] * lengths_[k] + penalty);
      if (lengths_[k] <= rounding * largest || root <= rcond * largest) continue;
      for (std::size_t j = 0; j < basis_.length(); ++j) basis_[kept][j] = basis_[k][j] / lengths_[k] / root;
      for (std::size_t j = 0; j < turns_.length(); ++j) turns_[kept][j] = turns_[k][j] * (lengths_[k] / root);
      ++kept;
    }
    basis_.keep(kept);
  }

  void whiten_all() {
    const std::size_t n = columns_->length();
    white_.reshape(n, rank());
    for (std::size_t k = 0; k < rank(); ++k) {
      double* white = white_[k];
      std::fill(std::copy_n(turns_[k], height_, white), white + n, 0.0);
      for (std::size_t j = height_; j-- > 0;) reflect_at(j, white);
      for (std::size_t i = 0; i < n; ++i) white[i] = weights_[i] > 0.0 ? white[i] / std::sqrt(weights_[i]) : 0.0;
    }
  }

  const ColumnSums* sums_ = &column_sums();
  const Columns* columns_ = nullptr;
  const double* weights_ = nullptr;
  Columns triangle_, mirrors_, basis_, turns_, white_;
  std::vector<double> factors_, lengths_;
  std::size_t height_ = 0;
};

}  // namespace priorcase::local
