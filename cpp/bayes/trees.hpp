// Sums over all spanning trees of the product of their edge weights, by star-mesh elimination, and the best tree.
//
// Let s = sum_j w_pj. Eliminating node p adds w_pi * w_pj / s to the weight of every other edge (i, j) and divides the
// sum over all trees by s. Nothing is ever subtracted, so each result is accurate to a few units in the last place
// whatever the range of the weights. Weights have an extended exponent, since doubles would overflow or underflow.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace priorcase::bayes {

// Positive numbers of any size -----------------------------------------------------

// m * 2^e with m in [1, 2) and an integer e, which is stored as a double so that both parts use the same kind of
// registers.
struct Extended {
  double m = 1.0;
  double e = 0.0;
};

// A natural logarithm in two parts, of_m + e ln 2, so that powers of two cancel exactly before the parts are added.
struct SplitLog {
  double of_m = 0.0;
  double e = 0.0;

  void multiply(const Extended& factor) {
    of_m += std::log(factor.m);
    e += factor.e;
  }

  double value() const { return of_m + e * ln2; }
  SplitLog operator-(const SplitLog& other) const { return {of_m - other.of_m, e - other.e}; }

  static constexpr double ln2 = 0x1.62e42fefa39efp-1;
};

// Returns 2^d for an integer d <= 0; 0 for d <= -1023, where 2^d is negligible next to a number that is at least 1.
inline double two_to(double d) {
  constexpr double shift = 0x1p52 + 1023.0;  // puts d + 1023 into the lowest bits
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(std::max(d, -1023.0) + shift) << 52);
}

// Returns the number m * 2^e for any positive m that is not subnormal.
inline Extended extended(double m, double e) {
  constexpr std::uint64_t fraction = (std::uint64_t{1} << 52) - 1;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(m);
  const double exponent = std::bit_cast<double>((bits >> 52) | std::bit_cast<std::uint64_t>(0x1p52)) - 0x1p52;
  return {std::bit_cast<double>((bits & fraction) | std::bit_cast<std::uint64_t>(1.0)), e + (exponent - 1023.0)};
}

inline Extended operator/(const Extended& a, const Extended& b) { return extended(a.m / b.m, a.e - b.e); }

inline Extended operator+(const Extended& a, const Extended& b) {
  const double e = std::max(a.e, b.e);
  return extended(a.m * two_to(a.e - e) + b.m * two_to(b.e - e), e);
}

// Returns exp(log) for logarithms up to about 1e15: larger doubles are too coarse.
Extended exp_extended(double log);

// Weights of edges ---------------------------------------------------------------------------------------------------

// The edges between n nodes are in the order (1,0), (2,0), (2,1), (3,0) and so on.
inline std::size_t edge_count(std::size_t nodes) { return nodes < 2 ? 0 : nodes * (nodes - 1) / 2; }
inline std::size_t edge_at(std::size_t i, std::size_t j) { return i > j ? edge_count(i) + j : edge_count(j) + i; }

// One positive weight for each edge.
class EdgeWeights {
 public:
  EdgeWeights() = default;
  explicit EdgeWeights(std::size_t nodes) { resize(nodes); }
  static EdgeWeights exp(const double* logs, std::size_t nodes);

  void resize(std::size_t nodes) {
    nodes_ = nodes;
    m.resize(edge_count(nodes));
    e.resize(edge_count(nodes));
  }

  std::size_t nodes() const { return nodes_; }
  Extended get(std::size_t at) const { return {m[at], e[at]}; }
  void set(std::size_t at, const Extended& value) {
    m[at] = value.m;
    e[at] = value.e;
  }

  std::vector<double> m, e;

 private:
  std::size_t nodes_ = 0;
};

// Sums and trees -----------------------------------------------------------------------------------------------------

// Space for the edges of one node, reused between calls.
struct EliminationScratch {
  std::vector<double> m, e;
};

// Returns the sum over all trees. Overwrites the weights.
SplitLog tree_sum(EdgeWeights& weights, EliminationScratch& scratch);

// Returns, for every edge, the fraction of the sum that comes from trees with this edge.
std::vector<double> edge_shares(const EdgeWeights& weights);

// Finds the tree with the largest weight and writes the parent of each node (-1 for the root, node 0). Logarithms that
// are equal when rounded to multiples of 2^-30 are tied, and the edge that comes first in the order (0,1), (0,2), ...
// wins, so that rounding errors do not determine the tree.
void best_tree(const double* logs, std::size_t nodes, std::vector<std::int64_t>& parents);

}  // namespace priorcase::bayes
