// Weighted least squares on centred columns: coefficients b that minimise sum w (y - c'b)^2 + penalty |b|^2.
#pragma once

#include <cstddef>
#include <vector>

#include "local/columns.hpp"

namespace priorcase::local {

// The factor L of a symmetric matrix L L'.
class Cholesky {
 public:
  // The matrix, row by row, for the caller to fill in: only its lower triangle is read.
  double* reshape(std::size_t size);

  // Turns the matrix into its factor. False, and no factor, unless every pivot is a number above `share` of its
  // diagonal entry and above `least`.
  bool factorise(double share, double least);

  double operator()(std::size_t j, std::size_t k) const { return lower_[j * size_ + k]; }

  // x = L^-1 x
  void forward(double* x) const;
  // x = L'^-1 x; by columns of L' or by its rows, which differ in the order of the subtractions and so in rounding.
  void backward(double* x) const;
  void backward_by_rows(double* x) const;

 private:
  std::size_t size_ = 0;
  std::vector<double> lower_;
};

// Jacobi's rotation that makes two vectors orthogonal, by their squares a >= b and their product c (not 0).
struct Rotation {
  Rotation(double a, double b, double c);

  double tangent, cosine, sine;
};

// Squares below this share of the largest, and products below it, are rounding.
inline constexpr double jacobi_rounding = 1e-15;
inline constexpr int most_jacobi_sweeps = 60;

// Least squares for columns that depend on each other, by the singular values of the weighted columns. With
// W^(1/2) C = U S V': columns are reduced to a triangle R by reflections, and the columns of R' are turned against
// each other until all are orthogonal (one-sided Jacobi: Golub & Van Loan 2013, section 8.6.3). They are then S V, and
// the turns, reflected back, are U. To divide C V by S instead would lose the digits of S twice.
class SingularSquares {
 public:
  // Columns and weights must outlive it.
  void factorise(const Columns& columns, const double* weights, double penalty, double rcond);

  std::size_t rank() const { return basis_.count(); }

  // The weights are already in the target.
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

// By Cholesky's factor of the normal equations C'WC + penalty. Where a pivot says that a column is nearly a sum of
// those before it, these would lose half of the digits, and the singular values of the columns are taken.
class LeastSquares {
 public:
  // Singular values of the weighted columns up to rcond times the largest count as 0: the shortest solution is taken.
  // Columns and weights must outlive it.
  void factorise(const Columns& columns, const double* weights, double penalty, double rcond);

  // How many directions of the columns are fitted.
  std::size_t rank() const { return rank_; }

  // The coefficients of a target, centred like the columns.
  void solve(const double* target, double* coefficients);

  // Columns T with the same rows as C, such that TT' = C (C'WC + penalty)^-1 C': sums of their squares are leverages.
  const Columns& whitened();

  // A row of C as a row of T.
  void whiten(const double* row, std::vector<double>& white);

 private:
  const Columns* columns_ = nullptr;
  const double* weights_ = nullptr;
  const ColumnSums* sums_ = &column_sums();
  Columns weighted_, white_;
  std::vector<double> products_;
  Cholesky cholesky_;
  SingularSquares svd_;
  bool careful_ = false;  // by singular values
  std::size_t rank_ = 0;
};

}  // namespace priorcase::local
