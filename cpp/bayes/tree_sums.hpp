// Sums over all spanning trees of the product of their edges' weights, by star-mesh elimination.
//
// Taking out node p with s = sum_j w_pj adds w_pi * w_pj / s to every other edge and divides the sum over all trees by s.
// Nothing is ever subtracted, so each result is right to a few units in the last place whatever the weights' range is.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

#include "bayes/wide.hpp"

namespace priorcase::bayes {

// Room for one row; kept between calls.
struct EliminationRoom {
  std::vector<double> m, e;
};

// Takes out the last node: what is left are the rows before it. The sum of the node's weights comes back.
inline Wide eliminate_last(Triangle& weights, std::size_t p, EliminationRoom& room) {
  const std::size_t start = Triangle::size(p);
  room.m.resize(p);
  room.e.resize(p);
  double* share_m = room.m.data();
  double* share_e = room.e.data();
  double* row_m = weights.m.data() + start;
  double* row_e = weights.e.data() + start;
  const double top = *std::max_element(row_e, row_e + p);
  double total = 0.0;
  for (std::size_t j = 0; j < p; ++j) total += row_m[j] * two_to(row_e[j] - top);
  for (std::size_t j = 0; j < p; ++j) {
    const Wide share = widened(row_m[j] / total, row_e[j] - top);
    share_m[j] = share.m;
    share_e[j] = share.e;
  }
  for (std::size_t i = 1; i < p; ++i) {
    const double from_m = row_m[i], from_e = row_e[i];
    double* to_m = weights.m.data() + Triangle::size(i);
    double* to_e = weights.e.data() + Triangle::size(i);
    for (std::size_t j = 0; j < i; ++j) {
      const Wide sum = Wide{to_m[j], to_e[j]} + Wide{from_m * share_m[j], from_e + share_e[j]};
      to_m[j] = sum.m;
      to_e[j] = sum.e;
    }
  }
  return widened(total, top);
}

// The sum over all trees; uses the weights up.
inline WideLog tree_sum(Triangle& weights, EliminationRoom& room) {
  WideLog sum;
  for (std::size_t p = weights.nodes(); p-- > 1;) sum.multiply(eliminate_last(weights, p, room));
  return sum;
}

// For every edge the share of the sum that the trees with it have: w_uv / c_uv, where c_uv is the weight between u and v
// once all other nodes have been taken out. It is never below w_uv, so no share exceeds 1.
class EdgeShares {
 public:
  explicit EdgeShares(const Triangle& weights) : shares_(weights.m.size()), weights_(weights) {
    std::vector<std::size_t> nodes(weights.nodes());
    std::iota(nodes.begin(), nodes.end(), std::size_t{0});
    if (nodes.size() > 1) divide(weights, nodes);
  }

  const std::vector<double>& shares() const { return shares_; }

 private:
  // A pair of nodes lies in at most two thirds, so it stays when the other one is taken out. Taking out each third in
  // turn costs 3 * (2/3)^3 < 1 times as much one level down: all pairs together cost O(n^3).
  void divide(const Triangle& weights, const std::vector<std::size_t>& nodes) {
    const std::size_t n = nodes.size();
    if (n == 2) {
      const std::size_t at = Triangle::at(nodes[0], nodes[1]);
      const Wide share = weights_.get(at) / weights.get(0);
      shares_[at] = share.m * two_to(share.e);
      return;
    }
    for (std::size_t third = 0; third < 3; ++third) {
      const std::size_t begin = third * n / 3, end = (third + 1) * n / 3;
      std::vector<std::size_t> order;
      for (std::size_t i = 0; i < n; ++i)
        if (i < begin || i >= end) order.push_back(i);
      const std::size_t kept = order.size();
      for (std::size_t i = begin; i < end; ++i) order.push_back(i);
      Triangle left = rearranged(weights, order);
      for (std::size_t p = n; p-- > kept;) eliminate_last(left, p, room_);
      left.resize(kept);
      std::vector<std::size_t> names(kept);
      for (std::size_t i = 0; i < kept; ++i) names[i] = nodes[order[i]];
      divide(left, names);
    }
  }

  static Triangle rearranged(const Triangle& weights, const std::vector<std::size_t>& order) {
    Triangle result(order.size());
    for (std::size_t i = 1; i < order.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) result.set(Triangle::at(i, j), weights.get(Triangle::at(order[i], order[j])));
    return result;
  }

  std::vector<double> shares_;
  const Triangle& weights_;
  EliminationRoom room_;
};

// The tree of the largest weight, as the parent of each node (0 has none: -1). Logarithms that agree to 2^-30 are
// tied, and the pair that comes first in the order (0,1), (0,2), ... wins: rounding noise must not choose the tree.
inline void best_tree(const double* logs, std::size_t nodes, std::vector<std::ptrdiff_t>& parents) {
  struct Link {
    double weight = -std::numeric_limits<double>::infinity();
    std::size_t low = 0, high = 0;

    bool better(const Link& than) const {
      if (weight != than.weight) return weight > than.weight;
      return low != than.low ? low < than.low : high < than.high;
    }
  };
  parents.assign(nodes, -1);
  std::vector<Link> links(nodes);
  std::vector<bool> reached(nodes, false);
  for (std::size_t node = 0, step = 0; step + 1 < nodes; ++step) {
    reached[node] = true;
    std::size_t next = nodes;
    for (std::size_t v = 0; v < nodes; ++v) {
      if (reached[v]) continue;
      const Link link{std::nearbyint(logs[Triangle::at(node, v)] * 0x1p30), std::min(node, v), std::max(node, v)};
      if (parents[v] < 0 || link.better(links[v])) {
        links[v] = link;
        parents[v] = static_cast<std::ptrdiff_t>(node);
      }
      if (next == nodes || links[v].better(links[next])) next = v;
    }
    node = next;
  }
}

}  // namespace priorcase::bayes
