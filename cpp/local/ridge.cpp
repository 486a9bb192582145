#include "local/ridge.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "local/columns.hpp"
#include "local/least_squares.hpp"

namespace priorcase::local {

namespace {

// Whether a sum of squares can be multiplied by another one without leaving the range of double.
bool is_safe_square(double square) { return square > 1e-140 && square < 1e140; }

// The triangular factor R of a QR decomposition, in row-major order. Rows are added by Householder reflections, in
// blocks that fit into the cache. Entries below the diagonal are 0 and remain 0.
class RidgeTriangle {
 public:
  RidgeTriangle(double* rows, std::size_t width) : rows_(rows), width_(width), products_(width) {}

  void add(const double* block, std::size_t n) {
    for (std::size_t start = 0; start < n; start += at_once) {
      const std::size_t count = std::min(at_once, n - start);
      columns_.reshape(count, width_);
      for (std::size_t j = 0; j < width_; ++j) {
        double* column = columns_[j];
        std::fill(column + count, column + columns_.length(), 0.0);
        for (std::size_t i = 0; i < count; ++i) column[i] = block[(start + i) * width_ + j];
      }
      for (std::size_t j = 0; j < width_; ++j) {
        check_interrupt(columns_.length() * (width_ - j));
        reflect(j);
      }
    }
  }

 private:
  static constexpr std::size_t at_once = 128;

  void reflect(std::size_t j) {
    const std::size_t n = columns_.length(), rest = width_ - j - 1;
    double* mirror = columns_[j];
    double* row = rows_ + j * width_;
    double square = sums_->dot(mirror, mirror, n), scale = 1.0;
    if (square == 0.0) return;
    if (!is_safe_square(square)) {  // squares and their products would leave the range of double
      scale = std::abs(row[j]);
      for (std::size_t i = 0; i < n; ++i) scale = std::max(scale, std::abs(mirror[i]));
      for (std::size_t i = 0; i < n; ++i) mirror[i] /= scale;
      square = sums_->dot(mirror, mirror, n);
    }
    const double pivot = row[j] / scale, length = std::sqrt(pivot * pivot + square);
    const double corner = pivot > 0.0 ? -length : length, top = pivot - corner, factor = 1.0 / (corner * top);
    row[j] = corner * scale;
    if (rest > 0) sums_->dots(mirror, columns_[j + 1], rest, n, products_.data());
    for (std::size_t k = 0; k < rest; ++k) {
      double& entry = row[j + 1 + k];
      const double along = factor * (top * entry + products_[k]);
      entry += along * top;
      sums_->add_multiple(along, mirror, columns_[j + 1 + k], n);
    }
  }

  const ColumnSums* sums_ = &column_sums();
  double* rows_;
  std::size_t width_;
  Columns columns_;
  std::vector<double> products_;
};

// The singular value decomposition R = U S V'. The rows of R are rotated in pairs until all are orthogonal, the longest
// first (one-sided Jacobi: Golub & Van Loan 2013, section 8.6.3). They are then S V'; the same rotations change targets
// Y to U'Y.
class RidgeSpectrum {
 public:
  RidgeSpectrum(const double* rows, std::size_t count, double* targets, std::size_t n_targets)
      : count_(count), targets_(targets), n_targets_(n_targets), squares_(count) {
    rows_.reshape(count, count);
    double largest = 0.0;
    for (std::size_t k = 0; k < count; ++k) {
      double* row = rows_[k];
      std::fill(std::copy_n(rows + k * count, count, row), row + rows_.length(), 0.0);
      for (std::size_t j = 0; j < count; ++j) largest = std::max(largest, std::abs(row[j]));
    }
    if (largest > 0.0 && !is_safe_square(largest * largest)) {
      scale_ = largest;
      for (std::size_t k = 0; k < count; ++k)
        for (std::size_t j = 0; j < count; ++j) rows_[k][j] /= scale_;
    }
    orthogonalise();
  }

  // Writes the singular values in descending order, and V' with one row for each; a row is 0 if its singular value is.
  void write(double* singular, double* right) const {
    for (std::size_t k = 0; k < count_; ++k) {
      const double length = std::sqrt(sums_->dot(rows_[k], rows_[k], rows_.length()));
      singular[k] = length * scale_;
      for (std::size_t j = 0; j < count_; ++j) right[k * count_ + j] = length > 0.0 ? rows_[k][j] / length : 0.0;
    }
  }

 private:
  void orthogonalise() {
    for (int sweep = 0; sweep < most_jacobi_sweeps; ++sweep) {
      for (std::size_t k = 0; k < count_; ++k) squares_[k] = sums_->dot(rows_[k], rows_[k], rows_.length());
      const double largest = count_ ? *std::max_element(squares_.begin(), squares_.end()) : 0.0;
      bool turned = false;
      for (std::size_t k = 0; k < count_; ++k) {
        check_interrupt(count_ * rows_.length());
        for (std::size_t l = k + 1; l < count_; ++l) turned |= turn(k, l, largest);
      }
      if (!turned) return;
    }
  }

  // Makes two rows orthogonal by a rotation, with the longer one first. Rows are not rotated if their
  // length or their inner product is a rounding error. Returns whether the rows were changed.
  bool turn(std::size_t k, std::size_t l, double largest) {
    const std::size_t n = rows_.length();
    double *one = rows_[k], *other = rows_[l], *y = targets_ + k * n_targets_, *z = targets_ + l * n_targets_;
    const bool swapped = squares_[l] > squares_[k];
    if (swapped) {
      std::swap_ranges(one, one + n, other);
      std::swap_ranges(y, y + n_targets_, z);
      std::swap(squares_[k], squares_[l]);
    }
    const double a = squares_[k], b = squares_[l];
    if (b <= jacobi_rounding * jacobi_rounding * largest) return swapped;
    const double c = sums_->dot(one, other, n), near = jacobi_rounding * std::sqrt(static_cast<double>(n));
    if (std::abs(c) <= near * std::sqrt(a * b)) return swapped;
    const Rotation by(a, b, c);
    sums_->rotate(one, other, n, by.cosine, by.sine);
    for (std::size_t t = 0; t < n_targets_; ++t) {
      const double first = y[t], second = z[t];
      y[t] = by.cosine * first - by.sine * second;
      z[t] = by.sine * first + by.cosine * second;
    }
    squares_[k] = a - by.tangent * c;  // accurate enough until the next sweep
    squares_[l] = std::max(b + by.tangent * c, 0.0);
    return true;
  }

  const ColumnSums* sums_ = &column_sums();
  std::size_t count_;
  double* targets_;
  std::size_t n_targets_;
  std::vector<double> squares_;
  Columns rows_;
  double scale_ = 1.0;
};

class RidgeDirections {
 public:
  explicit RidgeDirections(const RidgeFits& fits) : count_(fits.count), means_(fits.means) {
    fill(right_, fits.right, count_);
    fill(weights_, fits.weights, fits.n_weights);
    fill(inverses_, fits.inverses, fits.n_inverses);
    z_.reshape(count_, at_once);
    std::fill_n(z_[0], z_.length() * at_once, 0.0);
  }

  void write(const double* rows, std::size_t n, double* fitted, double* leverages) {
    const std::size_t length = z_.length();
    for (std::size_t start = 0; start < n; start += at_once) {
      const std::size_t some = std::min(at_once, n - start);
      check_interrupt(some * count_ * length);
      fill(centred_, rows + start * count_, some);
      for (std::size_t i = 0; i < some; ++i)
        for (std::size_t j = 0; j < count_; ++j) centred_[i][j] -= means_[j];
      for (std::size_t k = 0; k < count_; k += at_once)  // directions that stay in the cache for this block of rows
        for (std::size_t i = 0; i < some; ++i)
          sums_->dots(centred_[i], right_[k], std::min(at_once, count_ - k), length, z_[i] + k);
      for (std::size_t i = 0; i < some; ++i, fitted += weights_.count(), leverages += inverses_.count()) {
        sums_->dots(z_[i], weights_[0], weights_.count(), length, fitted);
        sums_->multiply(z_[i], z_[i], z_[i], length);
        sums_->dots(z_[i], inverses_[0], inverses_.count(), length, leverages);
      }
    }
  }

 private:
  static constexpr std::size_t at_once = 16;

  void fill(Columns& into, const double* rows, std::size_t n) const {
    into.reshape(count_, n);
    for (std::size_t i = 0; i < n; ++i)
      std::fill(std::copy_n(rows + i * count_, count_, into[i]), into[i] + into.length(), 0.0);
  }

  const ColumnSums* sums_ = &column_sums();
  std::size_t count_;
  const double* means_;
  Columns right_, weights_, inverses_, centred_, z_;
};

}  // namespace

void ridge_rows(double* triangle, std::size_t width, const double* rows, std::size_t n) {
  RidgeTriangle(triangle, width).add(rows, n);
}

void ridge_spectrum(const double* triangle, std::size_t count, double* targets, std::size_t n_targets,
                    double* singular, double* right) {
  RidgeSpectrum(triangle, count, targets, n_targets).write(singular, right);
}

void ridge_left_out(const RidgeFits& fits, const double* rows, std::size_t n, double* values, double* leverages) {
  RidgeDirections(fits).write(rows, n, values, leverages);
}

}  // namespace priorcase::local
