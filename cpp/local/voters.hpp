// The rows that speak for one query, with their weights.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "local/sums.hpp"

namespace priorcase::local {

// Lists of rows, one after the other: those of query q are at indptr[q] up to indptr[q + 1]. Views.
struct VoterLists {
  const std::int64_t* indptr;
  const std::int64_t* rows;
  const double* weights;      // kernel weights times repetitions
  const double* repetitions;  // how many rows each stands for; null: one
};

// The voters of one query that have weight: not those, beside the heaviest, of so little that their part in a fit could
// not be told from rounding. Weights are divided by a power of two near the largest, so that the fit of
// a query that is far from everything does not run out of exponents; all else keeps its bits.
class Voters {
 public:
  void take(const VoterLists& lists, std::size_t query) {
    const std::int64_t start = lists.indptr[query], stop = lists.indptr[query + 1];
    const std::size_t listed = static_cast<std::size_t>(stop - start);
    const double* given = lists.weights + start;
    if (places_.size() < listed) places_.resize(listed);
    size_ = 0;
    double largest = 0.0, heaviest = 0.0;  // with its repetitions, and without
    for (std::size_t i = 0; i < listed; ++i) {
      largest = std::max(largest, given[i]);
      heaviest = std::max(heaviest, lists.repetitions ? given[i] / lists.repetitions[start + i] : given[i]);
    }
    const double least = negligible * heaviest;
    for (std::size_t i = 0; i < listed; ++i) {
      places_[size_] = start + static_cast<std::int64_t>(i);
      size_ += given[i] > (lists.repetitions ? least * lists.repetitions[start + i] : least);
    }
    exponent_ = largest > 0.0 ? std::clamp(std::ilogb(largest), -most, most) : 0;
    columns_.reshape(size_, 2);
    rows_ = lists.rows;
    const double factor = std::ldexp(1.0, -exponent_);
    for (std::size_t i = 0; i < size_; ++i) {
      columns_[0][i] = factor * lists.weights[places_[i]];
      columns_[1][i] = lists.repetitions ? 1.0 / lists.repetitions[places_[i]] : 1.0;
    }
    for (std::size_t i = size_; i < length(); ++i) columns_[0][i] = columns_[1][i] = 0.0;
    total_ = sums_->sum(columns_[0], length());
  }

  std::size_t size() const { return size_; }
  std::size_t length() const { return columns_.length(); }
  std::int64_t row(std::size_t i) const { return rows_[places_[i]]; }
  // Where the voter stands in the lists.
  std::int64_t place(std::size_t i) const { return places_[i]; }
  const double* weights() const { return columns_[0]; }
  double total() const { return total_; }
  // One over the number of repetitions.
  const double* shares() const { return columns_[1]; }
  // A sum of weights as it was given.
  double restore(double weight) const { return std::ldexp(weight, exponent_); }
  double reduce(double weight) const { return std::ldexp(weight, -exponent_); }

 private:
  static constexpr int most = 1000;
  static constexpr double negligible = 0x1p-34;

  const ColumnSums* sums_ = &column_sums();
  const std::int64_t* rows_ = nullptr;
  std::vector<std::int64_t> places_;
  std::size_t size_ = 0;
  Columns columns_;
  double total_ = 0.0;
  int exponent_ = 0;
};

}  // namespace priorcase::local
