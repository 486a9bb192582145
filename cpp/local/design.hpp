// Local regression for each query: its voters, the design columns, the fit with its value and slopes, and statistics
// of the fit.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "local/columns.hpp"
#include "local/least_squares.hpp"

namespace priorcase::local {

// Concatenated lists of rows, the voters of each query: those of query q are at [indptr[q], indptr[q + 1]). The
// pointers are views.
struct VoterLists {
  const std::int64_t* indptr;
  const std::int64_t* rows;
  const double* weights;      // kernel weights times repetitions
  const double* repetitions;  // number of rows that each voter stands for; null: 1 each
};

// The voters of one query, without those whose weight is negligible beside the largest: their contribution to a fit
// could not be distinguished from rounding errors. Weights are divided by a power of two near the largest, so that the
// fit of a query far from all rows does not underflow; this does not change their digits.
class Voters {
 public:
  void take(const VoterLists& lists, std::size_t query);

  std::size_t size() const { return size_; }
  std::size_t length() const { return columns_.length(); }
  std::int64_t row(std::size_t i) const { return rows_[places_[i]]; }
  // The position of voter i in the concatenated lists.
  std::int64_t place(std::size_t i) const { return places_[i]; }
  const double* weights() const { return columns_[0]; }
  double total() const { return total_; }
  // 1 / repetitions of each voter.
  const double* shares() const { return columns_[1]; }
  // `restore` converts a sum of weights to the scale of the given weights, `reduce` converts it back.
  double restore(double weight) const { return std::ldexp(weight, exponent_); }
  double reduce(double weight) const { return std::ldexp(weight, -exponent_); }

 private:
  const ColumnSums* sums_ = &column_sums();
  const std::int64_t* rows_ = nullptr;
  std::vector<std::int64_t> places_;
  std::size_t size_ = 0;
  Columns columns_;
  double total_ = 0.0;
  int exponent_ = 0;
};

// The stored rows, with the kind and the scale of each column. The pointers are views.
struct LocalTable {
  enum Kind : std::uint8_t { numeric, ordinal, nominal };

  const double* cells;
  std::size_t n_rows, n_attributes;
  const std::uint8_t* kinds;
  const double* scales;  // the spread of each column, above 0: its unit in fits
  const double* targets;
  std::size_t n_targets;
};

// One column of a design: the deviation of an attribute, the product of two deviations, or the indicator of a nominal
// value.
struct DesignTerm {
  static constexpr std::int64_t none = -1;

  std::size_t attribute;
  std::int64_t other;  // the second attribute of a product
  std::int64_t value;  // the value of an indicator
  double unit;         // coefficient / unit is in the units of the table
};

// The columns of a local model: deviations from the query, so that the intercept is the prediction. A numeric or
// ordinal attribute has the column x - q; for degree 2, squares and products of these columns are added. A nominal
// attribute has an indicator for each value among the voters except the query's. A missing value of a row counts as
// the query's value. An attribute is left out if the query's value is missing, or if it is nominal and no voter has the
// query's value: then the data do not show the effect of that value. Columns are divided by the scales of their
// attributes. Degree 0 has no columns.
class LocalDesign {
 public:
  void build(const LocalTable& table, const double* query, const Voters& voters, int degree);

  const std::vector<DesignTerm>& terms() const { return terms_; }
  Columns& columns() { return columns_; }
  const Columns& columns() const { return columns_; }

  // `move` overwrites an earlier column, which is dropped, by another one; `keep` keeps only the first columns.
  void move(std::size_t from, std::size_t to);
  void keep(std::size_t count);

 private:
  void choose(const LocalTable& table, const double* query, const Voters& voters, int degree);
  void choose_values(const LocalTable& table, const double* query, const Voters& voters, std::size_t a);
  void fill_numbers(const LocalTable& table, const double* query, const Voters& voters);
  void fill_indicator(const LocalTable& table, const Voters& voters, std::size_t j);
  std::size_t place_of(std::size_t attribute) const;

  const ColumnSums* sums_ = &column_sums();
  std::vector<DesignTerm> terms_;
  Columns columns_;
  std::vector<std::size_t> numbers_;
  std::vector<std::int64_t> values_;
};

struct LocalRules {
  int degree;     // 0, 1 or 2
  double ridge;   // lambda: lambda^2 is added to the sum of squares of every scaled column except the intercept
  double rcond;   // singular values up to this share of the largest count as 0
};

// Minimises sum K (y - b0 - x'b)^2 + lambda^2 |b|^2 over the voters (Atkeson, Moore & Schaal 1997). Columns and targets
// are centred by their weighted means first, so that the intercept is not penalized and never cut by rcond.
class LocalFit {
 public:
  LocalFit(const LocalTable& table, const LocalRules& rules) : table_(table), rules_(rules) {}

  // Returns false if no voter has weight; then there is no fit.
  bool fit(const VoterLists& lists, const double* query, std::size_t number);

  const Voters& voters() const { return voters_; }
  const std::vector<DesignTerm>& terms() const { return design_.terms(); }
  const Columns& columns() const { return design_.columns(); }
  // Weighted means of the columns.
  const std::vector<double>& centre() const { return means_; }
  // Targets minus their weighted means.
  const Columns& targets() const { return targets_; }
  double total() const { return total_; }
  LeastSquares& squares() { return squares_; }
  std::size_t rank() const { return squares_.rank() + 1; }
  const double* coefficients(std::size_t t) const { return coefficients_.data() + t * terms().size(); }

  // Returns the fitted value at the query, where all columns are 0 before they are centred.
  double value(std::size_t t) const;

 private:
  void centre_columns();
  void take_targets();

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

// Sums over the rows of a fit. Sums of weights are on the scale of the given weights.
struct LocalSummary {
  double weight = 0.0;      // n_LWR = sum K
  double squares = 0.0;     // sum K^2: weight^2 / squares is the effective number of neighbors
  double parameters = 0.0;  // p_LWR = sum K^2 x'Cx, so that sum K e^2 / (weight - parameters) is unbiased (no ridge)
  double trace = 0.0;       // sum K x'Cx: the rank if there is no ridge, less otherwise
  double variance = 0.0;    // s's: the variance of the fitted value divided by that of a target
};

// The influence of each row on a local fit (after Atkeson, Moore & Schaal 1997). In formulas, x is 1 followed by the
// columns, C = (sum K x x' + ridge)^-1, and e are the residuals. A row with repetitions counts as that many separate
// rows.
class LocalStatistics {
 public:
  void take(LocalFit& fit);

  // s: the fitted value at the query is the sum of s times the targets.
  const double* hat() const { return rows_[0]; }
  // K x'Cx: the derivative of the fitted value of a row with respect to its own target.
  const double* leverage() const { return rows_[1]; }

  LocalSummary summary(const LocalFit& fit) const;

 private:
  const ColumnSums* sums_ = &column_sums();
  Columns rows_;
  std::vector<double> centre_;
};

// Residuals of one target, and sums of their squares.
class LocalResiduals {
 public:
  void take(const LocalFit& fit, std::size_t target);

  // sum K e^2
  double squares(const LocalFit& fit) const;

  // Returns sum K (e / (1 - leverage))^2 / sum K: the mean squared leave-one-out residual, if one repetition of a row
  // is left out. If there is no fit without the row (1 - leverage is 0), the mean of the other rows is the prediction;
  // infinite if there are no other rows.
  double left_out(const LocalFit& fit, const LocalStatistics& statistics, std::size_t target) const;

 private:
  const ColumnSums* sums_ = &column_sums();
  Columns residuals_;
};

// The number of queries in a block of work, and the minimum number of queries for each additional thread.
struct QueryBlocks {
  QueryBlocks(std::size_t n_queries, std::size_t n_voters, std::size_t n_attributes);

  std::size_t block, least;
};

// Fits around many queries ----------------------------------------------------------------------------------------

struct LocalQuestions {
  // Flags of optional results; predictions are always returned.
  enum Wanted : unsigned { statistics = 2, coefficients = 4, hat_rows = 8, left_out = 16 };

  LocalTable table;
  LocalRules rules;
  VoterLists lists;
  const double* queries;
  std::size_t n_queries;
  unsigned wanted;
  const std::int64_t* own;         // for each query, the row whose s is wanted (see LocalStatistics); null: none
  std::vector<std::size_t> slots;  // where the coefficients of each attribute start, and their total number
};

// Results that are not wanted are empty. If no voter of a query has weight, the query's weight, squares,
// parameters, trace, rank and hat are 0, and its other results are NaN.
struct LocalAnswers {
  std::vector<double> predictions, weight, squares, parameters, trace, variance, rank, own, residuals, slopes, hat, loo;
};

// Throws std::invalid_argument if a row, a weight, a number of repetitions or a nominal value is invalid.
LocalAnswers fit_queries(const LocalQuestions& questions, std::size_t threads);

}  // namespace priorcase::local
