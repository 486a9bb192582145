// Ridge regression on many rows, on one thread: a triangular factor to which rows are added, its singular value
// decomposition, and the fitted values and leverages of rows. Matrices are in row-major order.
#pragma once

#include <cstddef>

namespace priorcase::local {

// Adds rows to the triangular factor R of a QR decomposition, of shape (width, width), by Householder reflections.
// Entries below the diagonal are 0 and remain 0.
void ridge_rows(double* triangle, std::size_t width, const double* rows, std::size_t n);

// Decomposes R = U S V', of shape (count, count). Writes the singular values in descending order, and V' with one row
// for each; a row is 0 if its singular value is. Replaces targets Y of shape (count, n_targets) by U'Y.
void ridge_spectrum(const double* triangle, std::size_t count, double* targets, std::size_t n_targets,
                    double* singular, double* right);

// With z = V'(row - means), the fitted values of a row are the inner products of z and each row of `weights`, and its
// leverages are those of z^2 and each row of `inverses`, both without the intercept.
struct RidgeFits {
  const double* means;
  const double* right;     // V'
  std::size_t count;       // number of columns, and of directions
  const double* weights;   // shape (n_weights, count)
  std::size_t n_weights;
  const double* inverses;  // shape (n_inverses, count)
  std::size_t n_inverses;
};

// Computes, for n rows, fitted values of shape (n, n_weights) and leverages of shape (n, n_inverses).
void ridge_left_out(const RidgeFits& fits, const double* rows, std::size_t n, double* values, double* leverages);

}  // namespace priorcase::local
