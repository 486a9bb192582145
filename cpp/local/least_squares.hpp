// Weighted least squares on centred columns: coefficients b that minimise sum w (y - c'b)^2 + penalty |b|^2.
#pragma once

#include <cstddef>
#include <vector>

#include "local/columns.hpp"

namespace priorcase::local {

// The Cholesky factor L of a symmetric matrix L L'.
class Cholesky {
 public:
  // Returns the storage of the matrix, in row-major order, for the caller to fill. Only the lower triangle is read.
  double* reshape(std::size_t size);

  // Replaces the matrix by its factor. Returns false, without a usable factor, unless every pivot is above `least` and
  // above `share` times its diagonal entry.
  bool factorise(double share, double least);

  double operator()(std::size_t j, std::size_t k) const { return lower_[j * size_ + k]; }

  // x = L^-1 x
  void forward(double* x) const;
  // x = L'^-1 x, by the columns or by the rows of L. The two functions subtract in different orders, so their results
  // differ in rounding.
  void backward(double* x) const;
  void backward_by_rows(double* x) const;

 private:
  std::size_t size_ = 0;
  std::vector<double> lower_;
};

// The Jacobi rotation that makes two vectors orthogonal, given their squared lengths a >= b and their inner product c,
// which is not 0.
struct Rotation {
  Rotation(double a, double b, double c);

  double tangent, cosine, sine;
};

// Lengths below this share of the largest length are rounding errors, and so are cosines below about this.
inline constexpr double jacobi_rounding = 1e-15;
inline constexpr int most_jacobi_sweeps = 60;

// Least squares for linearly dependent columns, by the singular value decomposition W^(1/2) C = U S V' of the weighted
// columns. Reflections reduce the columns to a triangle R; then the columns of R' are rotated in pairs until all are
// orthogonal (one-sided Jacobi: Golub & Van Loan 2013, section 8.6.3). They are then V S, and the product of the
// rotations, reflected back, is U. Computing U by dividing C V by S instead would amplify rounding errors by 1 / S once
// more.
class SingularSquares {
 public:
  // Columns and weights must outlive this object.
  void factorise(const Columns& columns, const double* weights, double penalty, double rcond);

  std::size_t rank() const { return basis_.count(); }

  // Computes the coefficients for a target that is already multiplied by the weights.
  void solve(const double* weighted_target, double* coefficients) const;

  const Columns& whitened() const { return white_; }
  void whiten(const double* row, std::vector<double>& white) const;

 private:
  void copy_weighted();
  void reflect();
  void reflect_at(std::size_t j, double* column) const;
  void transpose();
  void orthogonalise();
  bool turn(std::size_t k, std::size_t l, double largest);
  void cut(double penalty, double rcond);
  void whiten_all();

  const ColumnSums* sums_ = &column_sums();
  const Columns* columns_ = nullptr;
  const double* weights_ = nullptr;
  Columns triangle_, mirrors_, basis_, turns_, white_;
  std::vector<double> factors_, lengths_;
  std::size_t height_ = 0;
};

// Least squares by the Cholesky factor of the normal equations C'WC + penalty. If a pivot shows that a column is nearly
// a linear combination of earlier columns, the normal equations would lose half of the digits, and the singular values
// of the columns are used instead.
class LeastSquares {
 public:
  // Singular values of the weighted columns up to rcond times the largest count as 0, which gives the shortest
  // solution. Columns and weights must outlive this object.
  void factorise(const Columns& columns, const double* weights, double penalty, double rcond);

  // The number of directions of the columns that are fitted.
  std::size_t rank() const { return rank_; }

  // Computes the coefficients for a target, which must be centred like the columns.
  void solve(const double* target, double* coefficients);

  // Returns columns T, with the same rows as C, such that TT' = C (C'WC + penalty)^-1 C'. The weight of a row times the
  // sum of squares of its row of T is its leverage, without the intercept.
  const Columns& whitened();

  // Computes the row of T that belongs to a row of C.
  void whiten(const double* row, std::vector<double>& white);

 private:
  const Columns* columns_ = nullptr;
  const double* weights_ = nullptr;
  const ColumnSums* sums_ = &column_sums();
  Columns weighted_, white_;
  std::vector<double> products_;
  Cholesky cholesky_;
  SingularSquares svd_;
  bool careful_ = false;  // whether singular values are used
  std::size_t rank_ = 0;
};

}  // namespace priorcase::local
