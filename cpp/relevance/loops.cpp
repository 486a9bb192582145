// Compiled once for each instruction set, whose name is PRIORCASE_PATH.
#include "relevance/loops.hpp"

#include <cstring>

namespace priorcase::relevance::PRIORCASE_PATH {

namespace {

constexpr std::size_t lanes = 8;
typedef double Lanes __attribute__((vector_size(lanes * sizeof(double))));

// The last items of a loop, fewer than eight. They are padded with `rest`, the query's number or the factor 0, so that
// the padding adds nothing.
struct Tail {
  Tail(const double* from, std::size_t count, double rest) {
    for (std::size_t i = 0; i < lanes; ++i) values[i] = i < count ? from[i] : rest;
  }
  double values[lanes];
};

template <bool square>
PRIORCASE_INLINE void difference_of(const double* from, const LinearColumn& column, Lanes& f) {
  Lanes x;
  std::memcpy(&x, from, sizeof x);
  Lanes t = (x - column.query) * column.unit;
  if constexpr (square)
    t = t * t;
  else
    t = t < 0.0 ? -t : t;
  const Lanes most = Lanes{} + largest_difference, gap = Lanes{} + column.gap;
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

void add(const LinearColumn& column, double weight, double* costs) {
  column.square ? add_all<true>(column, weight, costs) : add_all<false>(column, weight, costs);
}

double sum(const LinearColumn& column, const double* factors) {
  return column.square ? sum_all<true>(column, factors) : sum_all<false>(column, factors);
}

}  // namespace

const StretchKernels stretch_kernels{add, sum};

}  // namespace priorcase::relevance::PRIORCASE_PATH
