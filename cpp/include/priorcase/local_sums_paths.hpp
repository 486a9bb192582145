// The loops over columns, compiled for each CPU path of the search; all give the same bits.
#pragma once

#include <array>
#include <cstring>

#include "priorcase/kernels.hpp"
#include "priorcase/local_sums.hpp"

namespace priorcase {

struct ColumnSums {
  const char* path;
  double (*sum)(const double* x, std::size_t n);
  void (*dots)(const double* x, const double* first, std::size_t count, std::size_t n, double* out);
  double (*centre)(const double* weights, double weight, double* x, std::size_t n, double& mean);
  void (*add_multiple)(double a, const double* x, double* y, std::size_t n);
  void (*multiply)(const double* x, const double* y, double* out, std::size_t n);
  void (*scale)(double a, double* x, std::size_t n);
  void (*rotate)(double* x, double* y, std::size_t n, double cosine, double sine);

  double dot(const double* x, const double* y, std::size_t n) const {
    double sum;
    dots(x, y, 1, n, &sum);
    return sum;
  }
};

#define PRIORCASE_COLUMN_SUMS(target, width)                                                                          \
  target inline double sum(const double* x, std::size_t n) { return ColumnLoops<width>::sum(x, n); }                  \
  target inline void dots(const double* x, const double* first, std::size_t count, std::size_t n, double* out) {      \
    ColumnLoops<width>::dots(x, first, count, n, out);                                                                \
  }                                                                                                                   \
  target inline double centre(const double* weights, double weight, double* x, std::size_t n, double& mean) {         \
    return ColumnLoops<width>::centre(weights, weight, x, n, mean);                                                   \
  }                                                                                                                   \
  target inline void add_multiple(double a, const double* x, double* y, std::size_t n) {                              \
    ColumnLoops<width>::add_multiple(a, x, y, n);                                                                     \
  }                                                                                                                   \
  target inline void multiply(const double* x, const double* y, double* out, std::size_t n) {                         \
    ColumnLoops<width>::multiply(x, y, out, n);                                                                       \
  }                                                                                                                   \
  target inline void scale(double a, double* x, std::size_t n) { ColumnLoops<width>::scale(a, x, n); }                \
  target inline void rotate(double* x, double* y, std::size_t n, double cosine, double sine) {                        \
    ColumnLoops<width>::rotate(x, y, n, cosine, sine);                                                                \
  }                                                                                                                   \
  inline ColumnSums column_sums(const char* path) {                                                                   \
    return {path, sum, dots, centre, add_multiple, multiply, scale, rotate};                                          \
  }

namespace scalar {
PRIORCASE_COLUMN_SUMS(, 2)
}

#if defined(__x86_64__)
namespace avx2 {
PRIORCASE_COLUMN_SUMS(PRIORCASE_AVX2, 4)
}
namespace avx512 {
PRIORCASE_COLUMN_SUMS(PRIORCASE_AVX512, 8)
}
#endif

#undef PRIORCASE_COLUMN_SUMS

// Those of the path in use.
inline const ColumnSums& column_sums() {
  static const std::array paths{
      scalar::column_sums("scalar"),
#if defined(__x86_64__)
      avx2::column_sums("avx2"),
      avx512::column_sums("avx512"),
#endif
  };
  for (const ColumnSums& path : paths)
    if (std::strcmp(path.path, kernels().name) == 0) return path;
  return paths.front();
}

inline double sum(const double* x, std::size_t n) { return column_sums().sum(x, n); }
inline double dot(const double* x, const double* y, std::size_t n) { return column_sums().dot(x, y, n); }

inline void add_multiple(double a, const double* x, double* y, std::size_t n) {
  column_sums().add_multiple(a, x, y, n);
}

inline void multiply(const double* x, const double* y, double* out, std::size_t n) {
  column_sums().multiply(x, y, out, n);
}

}  // namespace priorcase
