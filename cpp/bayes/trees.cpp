#include "bayes/trees.hpp"

#include <numeric>
#include <utility>

#include "base/numbers.hpp"
#include "base/threads.hpp"

namespace priorcase::bayes {

namespace {

// Eliminating a node with fewer neighbors is too short to check for Ctrl-C.
constexpr std::size_t many_nodes = 64;

// Eliminates node p, the last one, and updates the edges between the nodes before it. Returns the sum of the weights of
// the edges of p.
Extended eliminate_last(EdgeWeights& weights, std::size_t p, EliminationScratch& scratch) {
  if (p >= many_nodes) base::check_interrupt();
  const std::size_t start = edge_count(p);
  scratch.m.resize(p);
  scratch.e.resize(p);
  double* share_m = scratch.m.data();
  double* share_e = scratch.e.data();
  double* row_m = weights.m.data() + start;
  double* row_e = weights.e.data() + start;
  const double top = *std::max_element(row_e, row_e + p);
  double total = 0.0;
  for (std::size_t j = 0; j < p; ++j) total += row_m[j] * two_to(row_e[j] - top);
  for (std::size_t j = 0; j < p; ++j) {
    const Extended share = extended(row_m[j] / total, row_e[j] - top);
    share_m[j] = share.m;
    share_e[j] = share.e;
  }
  for (std::size_t i = 1; i < p; ++i) {
    const double from_m = row_m[i], from_e = row_e[i];
    double* to_m = weights.m.data() + edge_count(i);
    double* to_e = weights.e.data() + edge_count(i);
    for (std::size_t j = 0; j < i; ++j) {
      const Extended sum = Extended{to_m[j], to_e[j]} + Extended{from_m * share_m[j], from_e + share_e[j]};
      to_m[j] = sum.m;
      to_e[j] = sum.e;
    }
  }
  return extended(total, top);
}

// The share of an edge is w_uv / c_uv, where c_uv is the weight between u and v once all other nodes have been
// eliminated. Since c_uv is never below w_uv, no share exceeds 1.
class EdgeShares {
 public:
  explicit EdgeShares(const EdgeWeights& weights) : shares_(weights.m.size()), weights_(weights) {
    std::vector<std::size_t> nodes(weights.nodes());
    std::iota(nodes.begin(), nodes.end(), std::size_t{0});
    if (nodes.size() > 1) divide(weights, nodes);
  }

  std::vector<double> take() { return std::move(shares_); }

 private:
  // Splits the nodes into thirds and eliminates each third in turn. A pair of nodes lies in at most two of the thirds,
  // so it is kept when another third is eliminated. Each level of the recursion costs 3 * (2/3)^3 < 1 times as much as
  // the one above: all pairs together cost O(n^3).
  void divide(const EdgeWeights& weights, const std::vector<std::size_t>& nodes) {
    const std::size_t n = nodes.size();
    if (n == 2) {
      const std::size_t at = edge_at(nodes[0], nodes[1]);
      const Extended share = weights_.get(at) / weights.get(0);
      shares_[at] = share.m * two_to(share.e);
      return;
    }
    if (n >= many_nodes / 4) base::check_interrupt();
    for (std::size_t third = 0; third < 3; ++third) {
      const std::size_t begin = third * n / 3, end = (third + 1) * n / 3;
      std::vector<std::size_t> order;
      for (std::size_t i = 0; i < n; ++i)
        if (i < begin || i >= end) order.push_back(i);
      const std::size_t kept = order.size();
      for (std::size_t i = begin; i < end; ++i) order.push_back(i);
      EdgeWeights left = rearranged(weights, order);
      for (std::size_t p = n; p-- > kept;) eliminate_last(left, p, scratch_);
      left.resize(kept);
      std::vector<std::size_t> names(kept);
      for (std::size_t i = 0; i < kept; ++i) names[i] = nodes[order[i]];
      divide(left, names);
    }
  }

  static EdgeWeights rearranged(const EdgeWeights& weights, const std::vector<std::size_t>& order) {
    EdgeWeights result(order.size());
    for (std::size_t i = 1; i < order.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) result.set(edge_at(i, j), weights.get(edge_at(order[i], order[j])));
    return result;
  }

  std::vector<double> shares_;
  const EdgeWeights& weights_;
  EliminationScratch scratch_;
};

}  // namespace

// ln 2 is split into two parts: the first has trailing zero bits, so that its products with e are exact.
Extended exp_extended(double log) {
  constexpr double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
  const double e = std::floor(log / SplitLog::ln2);
  return extended(std::exp((log - e * ln2_high) - e * ln2_low), e);
}

EdgeWeights EdgeWeights::exp(const double* logs, std::size_t nodes) {
  EdgeWeights result(nodes);
  for (std::size_t v = 1, at = 0; v < nodes; ++v) {
    if (v >= many_nodes) base::check_interrupt();
    for (std::size_t u = 0; u < v; ++u, ++at) result.set(at, exp_extended(logs[at]));
  }
  return result;
}

SplitLog tree_sum(EdgeWeights& weights, EliminationScratch& scratch) {
  SplitLog sum;
  for (std::size_t p = weights.nodes(); p-- > 1;) sum.multiply(eliminate_last(weights, p, scratch));
  return sum;
}

std::vector<double> edge_shares(const EdgeWeights& weights) { return EdgeShares(weights).take(); }

void best_tree(const double* logs, std::size_t nodes, std::vector<std::int64_t>& parents) {
  struct Link {
    double weight = -base::infinity;
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
    if (nodes >= many_nodes) base::check_interrupt();
    reached[node] = true;
    std::size_t next = nodes;
    for (std::size_t v = 0; v < nodes; ++v) {
      if (reached[v]) continue;
      const Link link{std::nearbyint(logs[edge_at(node, v)] * 0x1p30), std::min(node, v), std::max(node, v)};
      if (parents[v] < 0 || link.better(links[v])) {
        links[v] = link;
        parents[v] = static_cast<std::int64_t>(node);
      }
      if (next == nodes || links[v].better(links[next])) next = v;
    }
    node = next;
  }
}

}  // namespace priorcase::bayes
