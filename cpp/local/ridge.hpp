// Ridge least squares on many rows, on one thread: a triangle that takes rows in, its singular values, and the values
// and leverages of rows in their directions. Matrices are given row by row.
#pragma once

#include <cstddef>

namespace priorcase::local {

// Adds rows to the factor R of a matrix Q R, of shape (width, width), by Householder's reflections. What lies below the
// diagonal is 0 and stays so.
void ridge_rows(double* triangle, std::size_t width, const double* rows, std::size_t n);

// With R = U S V' of shape (count, count): the singular values, descending, and V', a row for each; a row of 0 where
// there is no direction. Targets Y of shape (count, n_targets) become U'Y.
void ridge_spectrum(const double* triangle, std::size_t count, double* targets, std::size_t n_targets,
                    double* singular, double* right);

// Rows, less their means and in the directions V, are z: sums of z times each of some weights, which are values of
// fits, and of z^2 times each of some inverses, which are leverages.
struct RidgeFits {
  const double* means;
  const double* right;     // V'
  std::size_t count;       // of columns and of directions
  const double* weights;   // shape (n_weights, count)
  std::size_t n_weights;
  const double* inverses;  // shape (n_inverses, count)
  std::size_t n_inverses;
};

// For n rows: values of shape (n, n_weights) and leverages of shape (n, n_inverses).
void ridge_left_out(const RidgeFits& fits, const double* rows, std::size_t n, double* values, double* leverages);

}  // namespace priorcase::local
