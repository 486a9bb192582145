// The two inner loops of stretching over a column of numbers, compiled for each CPU path. All give the same bits: eight
// sums side by side, in the same order everywhere.
#pragma once

#include <cstddef>
#include <cstring>

#include "priorcase/kernels.hpp"

namespace priorcase {

// One attribute of one row against a column: f = |x - q|^p / scale^p with p = 1 or 2, and `gap` where x is missing.
struct LinearColumn {
  const double* x;
  std::size_t n;
  double query, unit, gap;  // unit: 1 / scale
  bool square;
};

struct StretchKernels {
  // Adds weight times f to each cost.
  void (*add)(const LinearColumn& column, double weight, double* costs);
  // The sum of factor times f.
  double (*sum)(const LinearColumn& column, const double* factors);
};

namespace stretch_detail {

inline constexpr std::size_t lanes = 8;
typedef double Lanes __attribute__((vector_size(lanes * sizeof(double))));

inline constexpr double largest = 1e100;  // of a difference that overflowed, so that sums stay defined

// The last lines of the loops, shorter than eight: filled up with the query itself, which adds nothing.
struct Tail {
  Tail(const double* from, std::size_t count, double rest) {
    for (std::size_t i = 0; i < lanes; ++i) values[i] = i < count ? from[i] : rest;
  }
  double values[lanes];
};

#define PRIORCASE_INLINE inline __attribute__((always_inline))

template <bool square>
PRIORCASE_INLINE void difference_of(const double* from, const LinearColumn& column, Lanes& f) {
  Lanes x;
  std::memcpy(&x, from, sizeof x);
  Lanes t = (x - column.query) * column.unit;
  if constexpr (square)
    t = t * t;
  else
    t = t < 0.0 ? -t : t;
  const Lanes most = Lanes{} + largest, gap = Lanes{} + column.gap;
  t = t < most ? t : most;
  f = x == x ? t : gap;
}

template <bool square>
PRIORCASE_INLINE void add_all(const LinearColumn& column, double weight, double* costs) {
  std::size_t j = 0;
  for (; j + lanes <= column.n; j += lanes) {
    Lanes f, cost;
    difference_of<square>(column.x + j, column, f);
    std::memcpy(&cost, costs + j, sizeof cost);
    cost += weight * f;
    std::memcpy(costs + j, &cost, sizeof cost);
  }
  const Tail tail(column.x + j, column.n - j, column.query);
  Lanes f;
  difference_of<square>(tail.values, column, f);
  for (std::size_t i = 0; j + i < column.n; ++i) costs[j + i] += weight * f[i];
}

template <bool square>
PRIORCASE_INLINE double sum_all(const LinearColumn& column, const double* factors) {
  Lanes sums = {}, f, factor;
  std::size_t j = 0;
  for (; j + lanes <= column.n; j += lanes) {
    difference_of<square>(column.x + j, column, f);
    std::memcpy(&factor, factors + j, sizeof factor);
    sums += factor * f;
  }
  const Tail tail(column.x + j, column.n - j, column.query), last(factors + j, column.n - j, 0.0);
  difference_of<square>(tail.values, column, f);
  std::memcpy(&factor, last.values, sizeof factor);
  sums += factor * f;
  double total = 0.0;
  for (std::size_t i = 0; i < lanes; ++i) total += sums[i];
  return total;
}

#define PRIORCASE_STRETCH_PATH(name, attribute)                                                     \
  attribute inline void add_##name(const LinearColumn& column, double weight, double* costs) {      \
    column.square ? add_all<true>(column, weight, costs) : add_all<false>(column, weight, costs);   \
  }                                                                                                 \
  attribute inline double sum_##name(const LinearColumn& column, const double* factors) {           \
    return column.square ? sum_all<true>(column, factors) : sum_all<false>(column, factors);        \
  }

PRIORCASE_STRETCH_PATH(scalar, )
#if defined(__x86_64__)
PRIORCASE_STRETCH_PATH(avx2, __attribute__((target("avx2"))))
PRIORCASE_STRETCH_PATH(avx512, __attribute__((target("avx512f,avx512dq,avx512vl"))))
#endif

#undef PRIORCASE_STRETCH_PATH
#undef PRIORCASE_INLINE

}  // namespace stretch_detail

// The loops of the CPU path in use.
inline StretchKernels stretch_kernels() {
#if defined(__x86_64__)
  if (std::strcmp(kernels().name, "avx512") == 0) return {stretch_detail::add_avx512, stretch_detail::sum_avx512};
  if (std::strcmp(kernels().name, "avx2") == 0) return {stretch_detail::add_avx2, stretch_detail::sum_avx2};
#endif
  return {stretch_detail::add_scalar, stretch_detail::sum_scalar};
}

}  // namespace priorcase
