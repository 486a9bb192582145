// A regression fitted around one query: its value there, its slopes, and what the rows had to do with it.
#pragma once

#include <limits>
#include <vector>

#include "local/least_squares.hpp"
#include "local/design.hpp"

namespace priorcase::local {

struct LocalRules {
  int degree;     // 0, 1 or 2
  double ridge;   // lambda: lambda^2 is added to the squares of every column but the intercept, in scaled units
  double rcond;   // singular values up to this share of the largest count as 0
};

// Minimises sum K (y - b0 - x'b)^2 + lambda^2 |b|^2 over the voters (Atkeson, Moore & Schaal 1997). Columns and targets
// are centred by their weighted means first, so that the intercept bears no penalty and is never cut by rcond.
class LocalFit {
 public:
  LocalFit(const LocalTable& table, const LocalRules& rules) : table_(table), rules_(rules) {}

  // False where no voter has weight: there is no fit then.
  bool fit(const VoterLists& lists, const double* query, std::size_t number) {
    voters_.take(lists, number);
    if (voters_.size() == 0) return false;
    total_ = voters_.total();
    design_.build(table_, query, voters_, rules_.degree);
    centre_columns();
    take_targets();
    squares_.factorise(design_.columns(), voters_.weights(), voters_.reduce(rules_.ridge * rules_.ridge), rules_.rcond);
    const std::size_t p = design_.terms().size();
    coefficients_.resize(p * table_.n_targets);
    for (std::size_t t = 0; t < table_.n_targets; ++t) squares_.solve(targets_[t], coefficients_.data() + t * p);
    return true;
  }

  const Voters& voters() const { return voters_; }
  const std::vector<Term>& terms() const { return design_.terms(); }
  const Columns& columns() const { return design_.columns(); }
  // Weighted means of the columns.
  const std::vector<double>& centre() const { return means_; }
  // Targets less their weighted means.
  const Columns& targets() const { return targets_; }
  double target_mean(std::size_t t) const { return target_means_[t]; }
  double total() const { return total_; }
  LeastSquares& squares() { return squares_; }
  std::size_t rank() const { return squares_.rank() + 1; }
  const double* coefficients(std::size_t t) const { return coefficients_.data() + t * terms().size(); }

  // The value at the query, where all columns are 0.
  double value(std::size_t t) const {
    double value = target_means_[t];
    for (std::size_t j = 0; j < means_.size(); ++j) value -= means_[j] * coefficients(t)[j];
    return value;
  }

 private:
  // A column that differs from its mean by no more than this share of it is constant but for rounding.
  static constexpr double dust = 1e-13;

  // Constant columns are dropped: the intercept speaks for them.
  void centre_columns() {
    Columns& columns = design_.columns();
    means_.clear();
    for (std::size_t j = 0; j < design_.terms().size(); ++j) {
      double mean;
      const double squares = sums_->centre(voters_.weights(), total_, columns[j], columns.length(), mean);
      if (squares <= dust * dust * mean * mean * total_) continue;
      design_.move(j, means_.size());
      means_.push_back(mean);
    }
    design_.keep(means_.size());
  }

  void take_targets() {
    const std::size_t n_targets = table_.n_targets;
    targets_.reshape(voters_.size(), n_targets);
    target_means_.resize(n_targets);
    for (std::size_t i = 0; i < targets_.length(); ++i)
      for (std::size_t t = 0; t < n_targets; ++t)
        targets_[t][i] = i < voters_.size() ? table_.targets[voters_.row(i) * n_targets + t] : 0.0;
    for (std::size_t t = 0; t < n_targets; ++t)
      sums_->centre(voters_.weights(), total_, targets_[t], targets_.length(), target_means_[t]);
  }

  const ColumnSums* sums_ = &column_sums();
  const LocalTable table_;
  const LocalRules rules_;
  Voters voters_;
  LocalDesign design_;
  LeastSquares squares_;
  Columns targets_;
  std::vector<double> means_, target_means_, coefficients_;
  double total_ = 0.0;
};

}  // namespace priorcase::local
