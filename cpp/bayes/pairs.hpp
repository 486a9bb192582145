// How often two attributes' values come together in each class, and what families of structures that join pairs of
// attributes make of a query.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayes/trees.hpp"

namespace priorcase::bayes {

// Counts -------------------------------------------------------------------------------------------------------------

// Where counts stand: attribute a has values 0 .. sizes[a] - 1; for each value, and for each pair of values of two
// attributes, one count for each class, side by side. An attribute has fewer than 2^32 cells.
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

// Rows to count: columns lie one after the other, n_rows values each.
struct PairRows {
  const std::int32_t* columns = nullptr;
  const std::int32_t* classes = nullptr;
  const double* weights = nullptr;  // none: each row counts once
  std::size_t n_rows = 0;
  double sign = 1.0;  // -1 takes rows out
};

// Adds rows to the counts of classes, values and pairs of values. Every cell is summed in row order by one thread, so
// the number of threads changes no bit; whole numbers are exact up to 2^53. All rows are counted, or none.
void count_pairs(const PairLayout& layout, const PairRows& rows, double* classes, double* singles, double* pairs,
                 std::size_t threads);

// Queries ------------------------------------------------------------------------------------------------------------

// Counts, and Dirichlet weights. In class k the weights of every attribute's values add up to totals[k], a value never
// seen included where a query has it; two values have the product of their weights, divided by that, for their pair.
struct PairTables {
  const PairLayout* layout = nullptr;
  const double* classes = nullptr;
  const double* singles = nullptr;
  const double* pairs = nullptr;
  const double* class_weights = nullptr;
  const double* totals = nullptr;
  const double* weights = nullptr;  // of the values, laid out as their counts
  const double* unseen = nullptr;   // of a value never seen, attributes by classes
};

// Queries, each perhaps a stored row that is to be left out of the counts.
struct PairQueries {
  const std::int32_t* codes = nullptr;  // -1: a value never seen
  const std::int32_t* own = nullptr;    // class of the row to leave out; none: nothing is left out
  const double* leave = nullptr;        // how many rows it counts as
  std::size_t n_queries = 0;
};

// all_trees: every tree over the attributes, by marginal likelihood. best_tree: the one with the largest, chosen afresh
// when a row is left out. super_parents: naive Bayes and one structure for each super-parent, by marginal likelihood.
// plain_super_parents: the plain mean over the super-parents whose value at least `least` rows have; naive Bayes if
// there is none.
enum class Family : std::uint8_t { all_trees, best_tree, super_parents, plain_super_parents };

// ln P(class, query | rows), queries by classes. log_weights are those of the edges; plain_super_parents needs none.
void joint_logs(Family family, const PairTables& tables, const double* log_weights, double least,
                const PairQueries& queries, double* out, std::size_t threads);

}  // namespace priorcase::bayes
