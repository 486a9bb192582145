// Triangular factors to which rows are added, their singular values, and fitted values and leverages of rows.
#include "check.hpp"
#include "local/ridge.hpp"

using namespace priorcase;

namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-10 * (1.0 + std::abs(b)); }

// R'R = X'X for the rows X, the rows of V' are orthonormal, and U'Y = S V' for the targets Y = R.
void test_decomposition(std::mt19937_64& random, std::size_t n, std::size_t width) {
  std::vector<double> block(n * width), triangle(width * width, 0.0);
  for (double& x : block) x = static_cast<double>(random() % 2001) / 1000.0 - 1.0;
  local::ridge_rows(triangle.data(), width, block.data(), n / 3);
  local::ridge_rows(triangle.data(), width, block.data() + n / 3 * width, n - n / 3);
  std::vector<double> singular(width), right(width * width), targets = triangle;
  local::ridge_spectrum(triangle.data(), width, targets.data(), width, singular.data(), right.data());
  testing::digest.add(singular);
  testing::digest.add(right);
  for (std::size_t j = 0; j < width; ++j)
    for (std::size_t k = 0; k < width; ++k) {
      double given = 0.0, found = 0.0, product = 0.0;
      for (std::size_t i = 0; i < n; ++i) given += block[i * width + j] * block[i * width + k];
      for (std::size_t i = 0; i < width; ++i) found += triangle[i * width + j] * triangle[i * width + k];
      for (std::size_t i = 0; i < width; ++i) product += right[j * width + i] * right[k * width + i];
      CHECK(near(found, given));
      CHECK(k >= j || triangle[j * width + k] == 0.0);
      if (n >= width) CHECK(near(product, j == k ? 1.0 : 0.0));
      CHECK(near(targets[j * width + k], singular[j] * right[j * width + k]));
    }
}

// Singular values are proportional to the numbers even if the squares of the numbers overflow or underflow.
void test_extreme(std::mt19937_64& random, double scale) {
  const std::size_t n = 30, width = 5;
  std::vector<double> block(n * width), small(n * width), unused(width * width);
  for (std::size_t i = 0; i < n * width; ++i) {
    block[i] = static_cast<double>(random() % 2001) / 1000.0 - 1.0;
    small[i] = block[i] * scale;
  }
  std::vector<double> one(width * width, 0.0), other = one, singular(width), scaled(width), targets(width, 0.0);
  local::ridge_rows(one.data(), width, block.data(), n);
  local::ridge_rows(other.data(), width, small.data(), n);
  local::ridge_spectrum(one.data(), width, targets.data(), 1, singular.data(), unused.data());
  local::ridge_spectrum(other.data(), width, targets.data(), 1, scaled.data(), unused.data());
  for (std::size_t k = 0; k < width; ++k) CHECK(near(scaled[k] / scale, singular[k]));
}

// Fitted values and leverages equal sums computed by plain loops.
void test_directions(std::mt19937_64& random, std::size_t n, std::size_t width) {
  const auto numbers = [&](std::size_t count) {
    std::vector<double> found(count);
    for (double& x : found) x = static_cast<double>(random() % 2001) / 1000.0 - 1.0;
    return found;
  };
  const auto rows = numbers(n * width), means = numbers(width), right = numbers(width * width);
  const auto weights = numbers(3 * width), inverses = numbers(2 * width);
  std::vector<double> fitted(n * 3), leverages(n * 2);
  const local::RidgeFits fits{means.data(), right.data(), width, weights.data(), 3, inverses.data(), 2};
  local::ridge_left_out(fits, rows.data(), n, fitted.data(), leverages.data());
  for (std::size_t i = 0; i < n; ++i) {
    double value[3] = {}, leverage[2] = {};
    for (std::size_t k = 0; k < width; ++k) {
      double z = 0.0;
      for (std::size_t j = 0; j < width; ++j) z += (rows[i * width + j] - means[j]) * right[k * width + j];
      for (std::size_t t = 0; t < 3; ++t) value[t] += z * weights[t * width + k];
      for (std::size_t t = 0; t < 2; ++t) leverage[t] += z * z * inverses[t * width + k];
    }
    for (std::size_t t = 0; t < 3; ++t) CHECK(near(fitted[i * 3 + t], value[t]));
    for (std::size_t t = 0; t < 2; ++t) CHECK(near(leverages[i * 2 + t], leverage[t]));
  }
}

}  // namespace

const testing::Test registered("test_ridge", [] {
  std::mt19937_64 random(7);
  for (const std::size_t n : {1, 2, 9, 40, 300})
    for (const std::size_t width : {1, 3, 8, 17}) test_decomposition(random, n, width);
  for (const std::size_t n : {1, 15, 40})
    for (const std::size_t width : {1, 8, 37}) test_directions(random, n, width);
  for (const double scale : {1e-150, 1e-80, 1e120}) test_extreme(random, scale);
});
