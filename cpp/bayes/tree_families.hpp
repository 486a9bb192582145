// Families of structures over the same attributes, and what each makes of a query: the logarithm of the factor by which
// the pairs of attributes change the joint probability that naive Bayes gives.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "bayes/tree_queries.hpp"
#include "bayes/tree_sums.hpp"

namespace priorcase::bayes {

inline double log_sum(const std::vector<double>& logs) {
  const double top = *std::max_element(logs.begin(), logs.end());
  double sum = 0.0;
  for (const double log : logs) sum += std::exp(log - top);
  return top + std::log(sum);
}

inline Triangle exp_triangle(const double* logs, std::size_t nodes) {
  Triangle result(nodes);
  for (std::size_t at = 0; at < result.m.size(); ++at) result.set(at, exp_wide(logs[at]));
  return result;
}

// The average over all spanning trees: T(W o rho_k) / T(W).
class AllTrees {
 public:
  AllTrees(const double* log_weights, std::size_t nodes) : weights_(exp_triangle(log_weights, nodes)), sum_(sum(weights_)) {}

  void factors(const QueryFactors& query, double* out) {
    if (query.leaves_out()) lower(query);
    const Triangle& weights = query.leaves_out() ? lowered_ : weights_;
    const WideLog before = query.leaves_out() ? sum(lowered_) : sum_;
    for (std::size_t k = 0; k < query.n_classes(); ++k) {
      // The row that was left out, with its own class, is the sum over all rows again.
      const bool whole = query.leaves_out() && query.leaves_one() && k == query.own();
      out[k] = ((whole ? sum_ : raised(weights, query.ratios(k))) - before).value();
    }
  }

 private:
  WideLog sum(const Triangle& weights) {
    scratch_ = weights;
    return tree_sum(scratch_, room_);
  }

  WideLog raised(const Triangle& weights, const double* ratios) {
    scratch_.resize(weights.nodes());
    for (std::size_t at = 0; at < weights.m.size(); ++at)
      scratch_.set(at, widened(weights.m[at] * ratios[at], weights.e[at]));
    return tree_sum(scratch_, room_);
  }

  void lower(const QueryFactors& query) {
    lowered_ = weights_;
    if (query.leaves_one()) {
      const double* ratios = query.ratios(query.own());
      for (std::size_t at = 0; at < lowered_.m.size(); ++at)
        lowered_.set(at, widened(weights_.m[at] / ratios[at], weights_.e[at]));
      return;
    }
    rises_.resize(query.n_edges());
    query.log_rises(rises_.data());
    for (std::size_t at = 0; at < lowered_.m.size(); ++at) lowered_.set(at, weights_.get(at) / exp_wide(rises_[at]));
  }

  EliminationRoom room_;
  Triangle scratch_, weights_, lowered_;
  WideLog sum_;
  std::vector<double> rises_;
};

// The one tree with the largest marginal likelihood, chosen afresh when a row is left out.
class BestTree {
 public:
  BestTree(const double* log_weights, std::size_t nodes) : logs_(log_weights, log_weights + Triangle::size(nodes)) {
    best_tree(logs_.data(), nodes, parents_);
  }

  void factors(const QueryFactors& query, double* out) {
    if (query.leaves_out()) {
      lowered_.resize(logs_.size());
      query.log_rises(lowered_.data());
      for (std::size_t at = 0; at < logs_.size(); ++at) lowered_[at] = logs_[at] - lowered_[at];
      best_tree(lowered_.data(), query.n_attributes(), parents_);
    }
    for (std::size_t k = 0; k < query.n_classes(); ++k) {
      out[k] = 0.0;
      for (std::size_t v = 1; v < parents_.size(); ++v)
        out[k] += std::log(query.ratios(k)[Triangle::at(v, static_cast<std::size_t>(parents_[v]))]);
    }
  }

 private:
  std::vector<double> logs_, lowered_;
  std::vector<std::ptrdiff_t> parents_;
};

// For each attribute the sum over all others of a pair's logarithm: the factor of its super-parent structure.
inline void star_sums(const double* logs, std::size_t nodes, std::vector<double>& sums) {
  sums.assign(nodes, 0.0);
  for (std::size_t v = 1, at = 0; v < nodes; ++v)
    for (std::size_t u = 0; u < v; ++u, ++at) {
      sums[u] += logs[at];
      sums[v] += logs[at];
    }
}

inline void log_ratios(const QueryFactors& query, std::size_t k, std::vector<double>& logs) {
  logs.resize(query.n_edges());
  for (std::size_t at = 0; at < logs.size(); ++at) logs[at] = std::log(query.ratios(k)[at]);
}

// The average over naive Bayes and one structure for each super-parent, weighted by their marginal likelihoods.
class SuperParents {
 public:
  SuperParents(const double* log_weights, std::size_t nodes) { star_sums(log_weights, nodes, stars_); }

  void factors(const QueryFactors& query, double* out) {
    const std::size_t n = query.n_attributes();
    models_ = stars_;
    if (query.leaves_out()) {
      logs_.resize(query.n_edges());
      query.log_rises(logs_.data());
      star_sums(logs_.data(), n, sums_);
      for (std::size_t p = 0; p < n; ++p) models_[p] -= sums_[p];
    }
    models_.push_back(0.0);  // naive Bayes has no edge
    const double before = log_sum(models_);
    for (std::size_t k = 0; k < query.n_classes(); ++k) {
      log_ratios(query, k, logs_);
      star_sums(logs_.data(), n, sums_);
      sums_.push_back(0.0);
      for (std::size_t p = 0; p <= n; ++p) sums_[p] += models_[p];
      out[k] = log_sum(sums_) - before;
    }
  }

 private:
  std::vector<double> stars_, models_, sums_, logs_;
};

// The plain mean over the super-parents whose value enough rows have; naive Bayes if there is none.
class PlainSuperParents {
 public:
  explicit PlainSuperParents(double least) : least_(least) {}

  void factors(const QueryFactors& query, double* out) {
    for (std::size_t k = 0; k < query.n_classes(); ++k) {
      log_ratios(query, k, logs_);
      star_sums(logs_.data(), query.n_attributes(), sums_);
      able_.clear();
      for (std::size_t p = 0; p < sums_.size(); ++p)
        if (query.seen(p) >= least_) able_.push_back(sums_[p]);
      out[k] = able_.empty() ? 0.0 : log_sum(able_) - std::log(static_cast<double>(able_.size()));
    }
  }

 private:
  double least_;
  std::vector<double> logs_, sums_, able_;
};

// ln P(class, query | rows) for the queries of one range.
template <class Family>
void joint_logs(QueryFactors& query, Family& family, const PairQueries& queries, std::size_t begin, std::size_t end,
                double* out) {
  const std::size_t n_classes = query.n_classes();
  for (std::size_t q = begin; q < end; ++q) {
    query.load(queries, q);
    double* row = out + q * n_classes;
    family.factors(query, row);
    for (std::size_t k = 0; k < n_classes; ++k) row[k] += query.base(k);
  }
}

}  // namespace priorcase::bayes
