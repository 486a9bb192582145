// Triangles that take rows in, and their singular values.
#include "check.hpp"
#include "priorcase/ridge.hpp"

using namespace priorcase;

namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-10 * (1.0 + std::abs(b)); }

// R'R is what the rows give, rows of V' are orthonormal, and S V' are the rows of R after turns.
void test_decomposition(std::mt19937_64& random, std::size_t n, std::size_t width) {
  std::vector<double> block(n * width), triangle(width * width, 0.0);
  for (double& x : block) x = static_cast<double>(random() % 2001) / 1000.0 - 1.0;
  RidgeTriangle rows(triangle.data(), width);
  rows.add(block.data(), n / 3);
  rows.add(block.data() + n / 3 * width, n - n / 3);
  std::vector<double> singular(width), right(width * width), targets = triangle;
  RidgeSpectrum(triangle.data(), width, targets.data(), width).write(singular.data(), right.data());
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

// Numbers whose squares are beyond the range of double have singular values in proportion.
void test_extreme(std::mt19937_64& random, double scale) {
  const std::size_t n = 30, width = 5;
  std::vector<double> block(n * width), small(n * width), unused(width * width);
  for (std::size_t i = 0; i < n * width; ++i) {
    block[i] = static_cast<double>(random() % 2001) / 1000.0 - 1.0;
    small[i] = block[i] * scale;
  }
  std::vector<double> one(width * width, 0.0), other = one, singular(width), scaled(width), targets(width, 0.0);
  RidgeTriangle(one.data(), width).add(block.data(), n);
  RidgeTriangle(other.data(), width).add(small.data(), n);
  RidgeSpectrum(one.data(), width, targets.data(), 1).write(singular.data(), unused.data());
  RidgeSpectrum(other.data(), width, targets.data(), 1).write(scaled.data(), unused.data());
  for (std::size_t k = 0; k < width; ++k) CHECK(near(scaled[k] / scale, singular[k]));
}

}  // namespace

int main() {
  std::mt19937_64 random(7);
  for (const std::size_t n : {1, 2, 9, 40, 300})
    for (const std::size_t width : {1, 3, 8, 17}) test_decomposition(random, n, width);
  for (const double scale : {1e-150, 1e-80, 1e120}) test_extreme(random, scale);
}
