// Counts of pairs of values of two attributes in each class, and the joint probabilities of queries under families of
// structures with edges between attributes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayes/trees.hpp"

namespace priorcase::bayes {

// Counts -------------------------------------------------------------------------------------------------------------

// Layout of the counts: attribute a has values 0 to sizes[a] - 1. Every value, and every pair of values of two
// attributes, has n_classes contiguous counts. An attribute has fewer than 2^32 cells.
class PairLayout {
 public:
  PairLayout(std::vector<std::size_t> sizes, std::size_t n_classes);

  std::size_t n_attributes() const { return sizes_.size(); }
  std::size_t n_classes() const { return n_classes_; }
  std::size_t n_singles() const { return n_singles_; }
  std::size_t n_pairs() const { return n_pairs_; }
  std::size_t size(std::size_t a) const { return sizes_[a]; }

  std::size_t single(std::size_t a, std::size_t value) const { return single_at_[a] + value * n_classes_; }
  // For u < v.
  std::size_t pair(std::size_t u, std::size_t v, std::size_t value_u, std::size_t value_v) const {
    return pair_at_[edge_at(v, u)] + (value_u * sizes_[v] + value_v) * n_classes_;
  }

 private:
  std::vector<std::size_t> sizes_, single_at_, pair_at_;
  std::size_t n_classes_, n_singles_ = 0, n_pairs_ = 0;
};

// Rows to count: the columns are contiguous, with n_rows values each.
struct PairRows {
  const std::int32_t* columns = nullptr;
  const std::int32_t* classes = nullptr;
  const double* weights = nullptr;  // null: each row counts once
  std::size_t n_rows = 0;
  double sign = 1.0;  // -1 to subtract the rows
};

// Adds rows to the counts of classes, values and pairs of values. Every cell is summed in row order by one thread, so
// that the result is bit-identical for any number of threads; integer counts are exact up to 2^53. After an interrupt
// the counts are unchanged.
void count_pairs(const PairLayout& layout, const PairRows& rows, double* classes, double* singles, double* pairs,
                 std::size_t threads);

// Queries ------------------------------------------------------------------------------------------------------------

// Counts, and the weights of their Dirichlet priors. In class k, the prior weights of the values of an attribute sum to
// totals[k], including the weight of an unseen value where a query has one. The prior weight of a pair of values is the
// product of their weights divided by totals[k].
struct PairTables {
  const PairLayout* layout = nullptr;
  const double* classes = nullptr;
  const double* singles = nullptr;
  const double* pairs = nullptr;
  const double* class_weights = nullptr;
  const double* totals = nullptr;
  const double* weights = nullptr;  // prior weights of the values, with the layout of `singles`
  const double* unseen = nullptr;   // prior weight of an unseen value, attributes by classes
};

// Queries; each may be a stored row, which is then left out of the counts.
struct PairQueries {
  const std::int32_t* codes = nullptr;  // -1: an unseen value
  const std::int32_t* own = nullptr;    // class of the row to leave out; null: nothing is left out
  const double* leave = nullptr;        // weight of the row to leave out
  std::size_t n_queries = 0;
};

// all_trees: the average over every tree over the attributes, weighted by marginal likelihood. best_tree: the tree with
// the largest marginal likelihood, chosen anew whenever a row is left out. super_parents: the average over naive Bayes
// and one structure for each super-parent, weighted by marginal likelihood. plain_super_parents: the unweighted mean
// over the super-parents whose value occurs in at least `least` rows; naive Bayes if there are none.
enum class Family : std::uint8_t { all_trees, best_tree, super_parents, plain_super_parents };

// Writes ln P(class, query | rows), queries by classes. log_weights: log-weight of each edge, not used by
// plain_super_parents.
void joint_logs(Family family, const PairTables& tables, const double* log_weights, double least,
                const PairQueries& queries, double* out, std::size_t threads);

}  // namespace priorcase::bayes
