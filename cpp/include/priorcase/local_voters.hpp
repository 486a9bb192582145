// The rows that speak for one query, with their weights.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "priorcase/local_sums.hpp"

namespace priorcase {

// Lists of rows, one after the other: those of query q are at indptr[q] up to indptr[q + 1]. Views.
struct VoterLists {
  const std::int64_t* indptr;
  const std::int64_t* rows;
  const double* weights;      // kernel weights times repetitions
  const double* repetitions;  // how many rows each stands for; null: one
};

// The voters of one query that have weight. Weights are divided by a power of two near the largest, so that the fit of
// a query that is far from everything does not run out of exponents; all else keeps its bits.
class Voters {
 public:
  void take(const VoterLists& lists, std::size_t query) {
    const std::int64_t start = lists.indptr[query], stop = lists.indptr[query + 1];
    rows_.clear();
    places_.clear();
    double largest = 0.0;
    for (std::int64_t at = start; at < stop; ++at)
      if (lists.weights[at] > 0.0) {
        rows_.push_back(lists.rows[at]);
        places_.push_back(at - start);
        largest = std::max(largest, lists.weights[at]);
      }
    exponent_ = largest > 0.0 ? std::ilogb(largest) : 0;
    columns_.reshape(rows_.size(), 2);
    for (std::size_t i = 0; i < columns_.length(); ++i) {
      const bool there = i < rows_.size();
      const std::int64_t at = there ? start + places_[i] : 0;
      columns_[0][i] = there ? std::ldexp(lists.weights[at], -exponent_) : 0.0;
      columns_[1][i] = there && lists.repetitions ? 1.0 / lists.repetitions[at] : 1.0;
    }
  }

  std::size_t size() const { return rows_.size(); }
  std::size_t length() const { return columns_.length(); }
  std::int64_t row(std::size_t i) const { return rows_[i]; }
  // Where the voter stands in the query's list.
  std::int64_t place(std::size_t i) const { return places_[i]; }
  const double* weights() const { return columns_[0]; }
  // One over the number of repetitions.
  const double* shares() const { return columns_[1]; }
  // A sum of weights as it was given.
  double restore(double weight) const { return std::ldexp(weight, exponent_); }
  double reduce(double weight) const { return std::ldexp(weight, -exponent_); }

 private:
  std::vector<std::int64_t> rows_, places_;
  Columns columns_;
  int exponent_ = 0;
};

}  // namespace priorcase
