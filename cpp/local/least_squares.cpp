#include "local/least_squares.hpp"

#include <algorithm>
#include <cmath>

namespace priorcase::local {

// Cholesky --------------------------------------------------------------------------------------------------------

double* Cholesky::reshape(std::size_t size) {
  size_ = size;
  lower_.resize(size * size);
  return lower_.data();
}

bool Cholesky::factorise(double share, double least) {
  for (std::size_t j = 0; j < size_; ++j) {
    check_interrupt(j * j);
    double* row = lower_.data() + j * size_;
    const double diagonal = row[j];
    for (std::size_t k = 0; k < j; ++k) {
      const double* other = lower_.data() + k * size_;
      for (std::size_t l = 0; l < k; ++l) row[k] -= row[l] * other[l];
      row[k] /= other[k];
      row[j] -= row[k] * row[k];
    }
    if (!(row[j] > share * diagonal && row[j] > least)) return false;
    row[j] = std::sqrt(row[j]);
  }
  return true;
}

void Cholesky::forward(double* x) const {
  for (std::size_t j = 0; j < size_; ++j) {
    const double* row = lower_.data() + j * size_;
    for (std::size_t k = 0; k < j; ++k) x[j] -= row[k] * x[k];
    x[j] /= row[j];
  }
}

void Cholesky::backward(double* x) const {
  for (std::size_t j = size_; j-- > 0;) {
    for (std::size_t k = j + 1; k < size_; ++k) x[j] -= lower_[k * size_ + j] * x[k];
    x[j] /= lower_[j * size_ + j];
  }
}

void Cholesky::backward_by_rows(double* x) const {
  for (std::size_t j = size_; j-- > 0;) {
    const double* row = lower_.data() + j * size_;
    x[j] /= row[j];
    for (std::size_t k = 0; k < j; ++k) x[k] -= row[k] * x[j];
  }
}

// Singular values -------------------------------------------------------------------------------------------------

Rotation::Rotation(double a, double b, double c) {
  const double zeta = (b - a) / (2.0 * c);
  tangent = 1.0 / (std::abs(zeta) + std::sqrt(1.0 + zeta * zeta));
  if (zeta < 0.0) tangent = -tangent;
  cosine = 1.0 / std::sqrt(1.0 + tangent * tangent);
  sine = cosine * tangent;
}

void SingularSquares::factorise(const Columns& columns, const double* weights, double penalty, double rcond) {
  columns_ = &columns;
  weights_ = weights;
  copy_weighted();
  reflect();
  transpose();
  orthogonalise();
  cut(penalty, rcond);
  whiten_all();
}

void SingularSquares::solve(const double* weighted_target, double* coefficients) const {
  const std::size_t p = columns_->count();
  std::fill(coefficients, coefficients + p, 0.0);
  for (std::size_t k = 0; k < rank(); ++k) {
    const double along = sums_->dot(white_[k], weighted_target, white_.length());
    for (std::size_t j = 0; j < p; ++j) coefficients[j] += along * basis_[k][j];
  }
}

void SingularSquares::whiten(const double* row, std::vector<double>& white) const {
  white.assign(rank(), 0.0);
  for (std::size_t k = 0; k < rank(); ++k)
    for (std::size_t j = 0; j < columns_->count(); ++j) white[k] += row[j] * basis_[k][j];
}

void SingularSquares::copy_weighted() {
  const std::size_t p = columns_->count(), n = columns_->length();
  triangle_.reshape(n, p);
  for (std::size_t i = 0; i < n; ++i) {
    const double root = std::sqrt(weights_[i]);
    for (std::size_t j = 0; j < p; ++j) triangle_[j][i] = root * (*columns_)[j][i];
  }
}

// Applies one Householder reflection per column. Rows after the last voter are 0 and remain 0.
void SingularSquares::reflect() {
  const std::size_t p = triangle_.count(), n = triangle_.length();
  height_ = std::min(n, p);
  mirrors_.reshape(n, height_);
  factors_.assign(height_, 0.0);
  for (std::size_t j = 0; j < height_; ++j) {
    check_interrupt(n * p);
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

void SingularSquares::reflect_at(std::size_t j, double* column) const {
  const std::size_t n = mirrors_.length();
  sums_->add_multiple(factors_[j] * sums_->dot(mirrors_[j], column, n), mirrors_[j], column, n);
}

void SingularSquares::transpose() {
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

void SingularSquares::orthogonalise() {
  for (int sweep = 0; sweep < most_jacobi_sweeps; ++sweep) {
    double largest = 0.0;
    for (std::size_t k = 0; k < height_; ++k)
      largest = std::max(largest, sums_->dot(basis_[k], basis_[k], basis_.length()));
    bool turned = false;
    for (std::size_t k = 0; k < height_; ++k) {
      check_interrupt(height_ * basis_.length());
      for (std::size_t l = k + 1; l < height_; ++l) turned |= turn(k, l, largest);
    }
    if (!turned) return;
  }
}

// Makes two columns orthogonal by a rotation, with the longer one first. Columns are not rotated if
// their length or their inner product is a rounding error. Returns whether the columns were changed.
bool SingularSquares::turn(std::size_t k, std::size_t l, double largest) {
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
  const double near = jacobi_rounding * std::sqrt(static_cast<double>(n));
  if (b <= jacobi_rounding * jacobi_rounding * largest || std::abs(c) <= near * std::sqrt(a * b)) return swapped;
  const Rotation rotation(a, b, c);
  sums_->rotate(one, other, n, rotation.cosine, rotation.sine);
  sums_->rotate(turns_[k], turns_[l], turns_.length(), rotation.cosine, rotation.sine);
  return true;
}

// Changes the columns from V S to V / sqrt(S^2 + penalty), and drops those whose S is a rounding error or whose root is
// at most rcond times the largest S. The rotations are multiplied by the remaining factor, S / sqrt(S^2 + penalty).
void SingularSquares::cut(double penalty, double rcond) {
  double largest = 0.0;
  std::size_t kept = 0;
  lengths_.resize(height_);
  for (std::size_t k = 0; k < height_; ++k) {
    lengths_[k] = std::sqrt(sums_->dot(basis_[k], basis_[k], basis_.length()));
    largest = std::max(largest, lengths_[k]);
  }
  for (std::size_t k = 0; k < height_; ++k) {
    const double root = std::sqrt(lengths_[k] * lengths_[k] + penalty);
    if (lengths_[k] <= jacobi_rounding * largest || root <= rcond * largest) continue;
    for (std::size_t j = 0; j < basis_.length(); ++j) basis_[kept][j] = basis_[k][j] / lengths_[k] / root;
    for (std::size_t j = 0; j < turns_.length(); ++j) turns_[kept][j] = turns_[k][j] * (lengths_[k] / root);
    ++kept;
  }
  basis_.keep(kept);
}

void SingularSquares::whiten_all() {
  const std::size_t n = columns_->length();
  white_.reshape(n, rank());
  for (std::size_t k = 0; k < rank(); ++k) {
    check_interrupt(n * height_);
    double* white = white_[k];
    std::fill(std::copy_n(turns_[k], height_, white), white + n, 0.0);
    for (std::size_t j = height_; j-- > 0;) reflect_at(j, white);
    for (std::size_t i = 0; i < n; ++i) white[i] = weights_[i] > 0.0 ? white[i] / std::sqrt(weights_[i]) : 0.0;
  }
}

// Normal equations ------------------------------------------------------------------------------------------------

namespace {

// A pivot below this share of its diagonal entry counts as 0; the share is 1 - R^2 of the column given the earlier
// columns. With larger pivots, the relative error of a solution is about 1e-16 / least_pivot.
constexpr double least_pivot = 1e-5;
// Pivots are only rough estimates of squared singular values, so their roots must exceed the cut by this factor.
constexpr double clear_of_cut = 1e3;

}  // namespace

void LeastSquares::factorise(const Columns& columns, const double* weights, double penalty, double rcond) {
  columns_ = &columns;
  weights_ = weights;
  const std::size_t p = columns.count(), n = columns.length();
  weighted_.reshape(n, 1);
  products_.resize(p);
  double* matrix = cholesky_.reshape(p);
  for (std::size_t k = 0; k < p; ++k) {
    check_interrupt(n * (p - k));
    sums_->multiply(weights, columns[k], weighted_[0], n);
    sums_->dots(weighted_[0], columns[k], p - k, n, products_.data());
    for (std::size_t j = k; j < p; ++j) matrix[j * p + k] = products_[j - k];
    matrix[k * p + k] += penalty;
  }
  double trace = 0.0;
  for (std::size_t j = 0; j < p; ++j) trace += matrix[j * p + j];
  const double cut = rcond * clear_of_cut;
  careful_ = !cholesky_.factorise(least_pivot, cut * cut * trace);
  if (careful_) svd_.factorise(columns, weights, penalty, rcond);
  rank_ = careful_ ? svd_.rank() : p;
}

void LeastSquares::solve(const double* target, double* coefficients) {
  const std::size_t p = columns_->count(), n = columns_->length();
  weighted_.reshape(n, 1);
  sums_->multiply(weights_, target, weighted_[0], n);
  if (careful_) return svd_.solve(weighted_[0], coefficients);
  sums_->dots(weighted_[0], (*columns_)[0], p, n, coefficients);
  cholesky_.forward(coefficients);
  cholesky_.backward(coefficients);
}

const Columns& LeastSquares::whitened() {
  if (careful_) return svd_.whitened();
  const std::size_t p = columns_->count(), n = columns_->length();
  white_.reshape(n, p);
  for (std::size_t j = 0; j < p; ++j) {
    check_interrupt(n * j);
    std::copy_n((*columns_)[j], n, white_[j]);
    for (std::size_t k = 0; k < j; ++k) sums_->add_multiple(-cholesky_(j, k), white_[k], white_[j], n);
    sums_->scale(1.0 / cholesky_(j, j), white_[j], n);
  }
  return white_;
}

void LeastSquares::whiten(const double* row, std::vector<double>& white) {
  if (careful_) return svd_.whiten(row, white);
  white.assign(row, row + columns_->count());
  cholesky_.forward(white.data());
}

}  // namespace priorcase::local
