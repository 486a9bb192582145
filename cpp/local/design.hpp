// A regression fitted around each query: the rows that speak for it, the columns it is fitted on, its value, its
// slopes, and how far it can be trusted.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "local/columns.hpp"
#include "local/least_squares.hpp"

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
  void take(const VoterLists& lists, std::size_t query);

  std::size_t size() const { return size_; }
  std::size_t length() const { return columns_.length(); }
  std::int64_t row(std::size_t i) const { return rows_[places_[i]]; }
  // Where the voter stands in the lists.
  std::int64_t place(std::size_t i) const { return places_[i]; }
  const double* weights() const { return columns_[0]; }
  double total() const { return total_; }
  // One over the number of repetitions.
  const double* shares() const { return columns_[1]; }
  // A sum of weights as it was given, and back.
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

// The stored rows and what their columns mean. Views.
struct LocalTable {
  enum Kind : std::uint8_t { numeric, ordinal, nominal };

  const double* cells;
  std::size_t n_rows, n_attributes;
  const std::uint8_t* kinds;
  const double* scales;  // the spread of each column, above 0; fits are made in units of it
  const double* targets;
  std::size_t n_targets;
};

// One column of a design: the deviation of an attribute, the product of two, or the indicator of a value.
struct DesignTerm {
  static constexpr std::int64_t none = -1;

  std::size_t attribute;
  std::int64_t other;  // the second attribute of a product
  std::int64_t value;  // the value of an indicator
  double unit;         // a coefficient over the unit is in the units of the table
};

// The columns that a local model is fitted on: deviations from the query, so that the intercept is the prediction.
// For numeric and ordinal attributes x - q; of degree 2 also their squares and products; for nominal ones an indicator
// for each value but the query's among the voters. A gap of a row counts as the query's own value. A gap of the query
// leaves the attribute out, and so does a value that no voter holds: nothing tells what a row with it would be like.
// All divided by the scales of the attributes. Degree 0 has no columns.
class LocalDesign {
 public:
  void build(const LocalTable& table, const double* query, const Voters& voters, int degree);

  const std::vector<DesignTerm>& terms() const { return terms_; }
  Columns& columns() { return columns_; }
  const Columns& columns() const { return columns_; }

  // Moves a column to an earlier place, over one that is dropped; keeps the first columns only.
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
  double ridge;   // lambda: lambda^2 is added to the squares of every column but the intercept, in scaled units
  double rcond;   // singular values up to this share of the largest count as 0
};

// Minimises sum K (y - b0 - x'b)^2 + lambda^2 |b|^2 over the voters (Atkeson, Moore & Schaal 1997). Columns and targets
// are centred by their weighted means first, so that the intercept bears no penalty and is never cut by rcond.
class LocalFit {
 public:
  LocalFit(const LocalTable& table, const LocalRules& rules) : table_(table), rules_(rules) {}

  // False where no voter has weight: there is no fit then.
  bool fit(const VoterLists& lists, const double* query, std::size_t number);

  const Voters& voters() const { return voters_; }
  const std::vector<DesignTerm>& terms() const { return design_.terms(); }
  const Columns& columns() const { return design_.columns(); }
  // Weighted means of the columns.
  const std::vector<double>& centre() const { return means_; }
  // Targets less their weighted means.
  const Columns& targets() const { return targets_; }
  double total() const { return total_; }
  LeastSquares& squares() { return squares_; }
  std::size_t rank() const { return squares_.rank() + 1; }
  const double* coefficients(std::size_t t) const { return coefficients_.data() + t * terms().size(); }

  // The value at the query, where all columns are 0.
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

// Sums over the rows of a fit. Sums of weights are as the weights were given.
struct LocalSummary {
  double weight = 0.0;      // n_LWR = sum K
  double squares = 0.0;     // sum K^2: weight^2 / squares is the effective number of neighbours
  double parameters = 0.0;  // p_LWR = sum K^2 x'Cx, so that sum K e^2 / (weight - parameters) is unbiased (no ridge)
  double trace = 0.0;       // sum K x'Cx: the rank, less what the ridge takes
  double variance = 0.0;    // s's: the variance of the value in units of that of a target
};

// What one local fit owes to each of its rows (after Atkeson, Moore & Schaal 1997), with x the columns and a leading 1,
// C = (sum K x x' + ridge)^-1 and e the residuals. A row with repetitions counts as that many rows of its own.
class LocalStatistics {
 public:
  void take(LocalFit& fit);

  // s: the value at the query is the sum of s times the targets.
  const double* hat() const { return rows_[0]; }
  // K x'Cx: what a row of this weight contributes to its own fitted value.
  const double* leverage() const { return rows_[1]; }

  LocalSummary summary(const LocalFit& fit) const;

 private:
  const ColumnSums* sums_ = &column_sums();
  Columns rows_;
  std::vector<double> centre_;
};

// Residuals of one target, and their sums.
class LocalResiduals {
 public:
  void take(const LocalFit& fit, std::size_t target);

  // sum K e^2
  double squares(const LocalFit& fit) const;

  // sum K (e / (1 - leverage))^2 / sum K: the mean square of residuals from fits without the row, one repetition of it.
  // Where the fit hangs on the row alone (1 - leverage is 0) the mean of the others answers; infinite without any.
  double left_out(const LocalFit& fit, const LocalStatistics& statistics, std::size_t target) const;

 private:
  const ColumnSums* sums_ = &column_sums();
  Columns residuals_;
};

// How many queries make a block of work, and for how many another thread is worth starting, by the lists' length.
struct QueryBlocks {
  QueryBlocks(std::size_t n_queries, std::size_t n_voters, std::size_t n_attributes);

  std::size_t block, least;
};

// Fits around many queries ----------------------------------------------------------------------------------------

struct LocalQuestions {
  // What is asked for beside the predictions.
  enum Wanted : unsigned { statistics = 2, coefficients = 4, hat_rows = 8, left_out = 16 };

  LocalTable table;
  LocalRules rules;
  VoterLists lists;
  const double* queries;
  std::size_t n_queries;
  unsigned wanted;
  const std::int64_t* own;         // a row for each query whose share in the value is asked for; null: none
  std::vector<std::size_t> slots;  // where the coefficients of each attribute start, and their number
};

// Empty what is not wanted. Queries without weight keep NaN, and 0 for sums of weights.
struct LocalAnswers {
  std::vector<double> predictions, weight, squares, parameters, trace, variance, rank, own, residuals, slopes, hat, loo;
};

// Throws std::invalid_argument where a row, a weight or a value is none.
LocalAnswers fit_queries(const LocalQuestions& questions, std::size_t threads);

}  // namespace priorcase::local
