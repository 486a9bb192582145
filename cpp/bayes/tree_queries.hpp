// What a query's values say under each class, as counts alone give it: one factor for each attribute and one for each
// pair of attributes, from which every family of structures makes its joint probability.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayes/pairs.hpp"

namespace priorcase::bayes {

// Counts, and the equivalent sample that is spread evenly over all cells.
struct PairTables {
  const PairLayout* layout = nullptr;
  const double* classes = nullptr;
  const double* singles = nullptr;
  const double* pairs = nullptr;
  const std::int64_t* widths = nullptr;  // values of each attribute, one never seen included where the query has it
  double ess = 1.0;
};

// Queries, each perhaps a stored row that is to be left out of the counts.
struct PairQueries {
  const std::int32_t* codes = nullptr;  // -1: a value never seen
  const std::int32_t* own = nullptr;    // class of the row to leave out; none: nothing is left out
  const double* leave = nullptr;        // how many rows it counts as
  std::size_t n_queries = 0;
};

// A count without some of it. A sum of fractions may come out a little below one of them.
inline double lowered(double count, double amount) { return std::max(count - amount, 0.0); }

// By what the last rows of a cell, `amount` of them, raised its share of the marginal likelihood:
// ln(Gamma(count + prior) / Gamma(count - amount + prior)).
inline double log_rise(double count, double prior, double amount) {
  int sign;  // lgamma itself would write to a global
  return lgamma_r(count + prior, &sign) - lgamma_r(lowered(count, amount) + prior, &sign);
}

// One query at a time.
class QueryFactors {
 public:
  explicit QueryFactors(const PairTables& tables)
      : tables_(tables),
        n_(tables.layout->n_attributes()),
        n_classes_(tables.layout->n_classes()),
        base_(n_classes_),
        ratios_(n_classes_ * Triangle::size(n_)),
        alone_(n_ * n_classes_),
        seen_(n_) {
    const double a = tables.ess / static_cast<double>(n_classes_);
    for (std::size_t k = 0; k < n_classes_; ++k) total_ += tables.classes[k];
    for (std::size_t v = 0; v < n_; ++v) {
      const double width = static_cast<double>(tables.widths[v]);
      single_prior_.push_back(a / width);
      for (std::size_t u = 0; u < v; ++u) pair_prior_.push_back(a / (width * static_cast<double>(tables.widths[u])));
    }
  }

  std::size_t n_attributes() const { return n_; }
  std::size_t n_classes() const { return n_classes_; }
  std::size_t n_edges() const { return Triangle::size(n_); }

  void load(const PairQueries& queries, std::size_t q) {
    codes_ = queries.codes + q * n_;
    own_ = queries.own ? queries.own[q] : -1;
    leave_ = queries.own ? queries.leave[q] : 0.0;
    const double prior = tables_.ess / static_cast<double>(n_classes_);
    for (std::size_t k = 0; k < n_classes_; ++k) {
      in_class_ = left(tables_.classes[k], k) + prior;
      base_[k] = std::log(in_class_ / (lowered(total_, leave_) + tables_.ess));
      load_class(k);
    }
    for (std::size_t v = 0; v < n_; ++v) count_value(v);
  }

  bool leaves_out() const { return own_ >= 0; }
  std::size_t own() const { return static_cast<std::size_t>(own_); }
  bool leaves_one() const { return leave_ == 1.0; }

  // ln of a_k * prod_v theta_kv.
  double base(std::size_t k) const { return base_[k]; }
  // theta_kuv / (theta_ku theta_kv) for every pair of attributes, in the order of a Triangle.
  const double* ratios(std::size_t k) const { return ratios_.data() + k * n_edges(); }
  // How many rows, of any class, have the query's value of an attribute.
  double seen(std::size_t v) const { return seen_[v]; }

  // ln of the factor by which the row to leave out raised the weight of each edge.
  void log_rises(double* out) const {
    const std::size_t k = own();
    if (leaves_one()) {
      for (std::size_t at = 0; at < n_edges(); ++at) out[at] = std::log(ratios(k)[at]);
      return;
    }
    const double prior = tables_.ess / static_cast<double>(n_classes_);
    const double in_class = log_rise(tables_.classes[k], prior, leave_);
    for (std::size_t v = 0, at = 0; v < n_; ++v) {
      const double alone = single_rise(v);
      for (std::size_t u = 0; u < v; ++u, ++at)
        out[at] = log_rise(pair_count(u, v, k), pair_prior_[at], leave_) + in_class - alone - single_rise(u);
    }
  }

 private:
  double left(double count, std::size_t k) const {
    return static_cast<std::int64_t>(k) == own_ ? lowered(count, leave_) : count;
  }

  double single_count(std::size_t v, std::size_t k) const {
    return codes_[v] < 0 ? 0.0 : tables_.singles[tables_.layout->single(v, static_cast<std::size_t>(codes_[v])) + k];
  }

  double pair_count(std::size_t u, std::size_t v, std::size_t k) const {
    if (codes_[u] < 0 || codes_[v] < 0) return 0.0;
    const auto value_u = static_cast<std::size_t>(codes_[u]), value_v = static_cast<std::size_t>(codes_[v]);
    return tables_.pairs[tables_.layout->pair(u, v, value_u, value_v) + k];
  }

  double single_rise(std::size_t v) const { return log_rise(single_count(v, own()), single_prior_[v], leave_); }

  void load_class(std::size_t k) {
    double* alone = alone_.data() + k * n_;
    double* ratio = ratios_.data() + k * n_edges();
    for (std::size_t v = 0, at = 0; v < n_; ++v) {
      alone[v] = left(single_count(v, k), k) + single_prior_[v];
      base_[k] += std::log(alone[v] / in_class_);
      for (std::size_t u = 0; u < v; ++u, ++at) {
        const double together = left(pair_count(u, v, k), k) + pair_prior_[at];
        // Only weights of rows near the ends of float64's range come near these bounds.
        ratio[at] = std::clamp(together / alone[u] * (in_class_ / alone[v]), 1e-300, 1e300);
      }
    }
  }

  void count_value(std::size_t v) {
    seen_[v] = 0.0;
    for (std::size_t k = 0; k < n_classes_; ++k) seen_[v] += left(single_count(v, k), k);
  }

  PairTables tables_;
  std::size_t n_, n_classes_;
  std::vector<double> base_, ratios_, alone_, seen_, single_prior_, pair_prior_;
  double total_ = 0.0, in_class_ = 0.0, leave_ = 0.0;
  const std::int32_t* codes_ = nullptr;
  std::int32_t own_ = -1;
};

}  // namespace priorcase::bayes
