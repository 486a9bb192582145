// The columns that a local model is fitted on: deviations from the query, so that the intercept is the prediction.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "priorcase/local_voters.hpp"

namespace priorcase {

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
struct Term {
  static constexpr std::int64_t none = -1;

  std::size_t attribute;
  std::int64_t other;  // the second attribute of a product
  std::int64_t value;  // the value of an indicator
  double unit;         // a coefficient over the unit is in the units of the table
};

// For numeric and ordinal attributes x - q; of degree 2 also their squares and products; for nominal ones an indicator
// for each value but the query's among the voters. A gap of a row counts as the query's own value, a gap of the query
// leaves the attribute out. All divided by the scales of the attributes. Degree 0 has no columns.
class LocalDesign {
 public:
  void build(const LocalTable& table, const double* query, const Voters& voters, int degree) {
    terms_.clear();
    choose(table, query, voters, degree);
    columns_.reshape(voters.size(), terms_.size());
    for (std::size_t j = 0; j < terms_.size(); ++j) fill(table, query, voters, j);
  }

  const std::vector<Term>& terms() const { return terms_; }
  Columns& columns() { return columns_; }
  const Columns& columns() const { return columns_; }

  // Moves a column to an earlier place, over one that is dropped.
  void move(std::size_t from, std::size_t to) {
    if (from == to) return;
    std::copy_n(columns_[from], columns_.length(), columns_[to]);
    terms_[to] = terms_[from];
  }

  void keep(std::size_t count) {
    terms_.resize(count);
    columns_.keep(count);
  }

 private:
  void choose(const LocalTable& table, const double* query, const Voters& voters, int degree) {
    if (degree == 0) return;
    numbers_.clear();
    for (std::size_t a = 0; a < table.n_attributes; ++a) {
      if (std::isnan(query[a])) continue;
      if (table.kinds[a] == LocalTable::nominal) {
        choose_values(table, query, voters, a);
      } else {
        terms_.push_back({a, Term::none, Term::none, table.scales[a]});
        numbers_.push_back(terms_.size() - 1);
      }
    }
    if (degree == 1) return;
    for (std::size_t i = 0; i < numbers_.size(); ++i)
      for (std::size_t j = i; j < numbers_.size(); ++j) {
        const Term one = terms_[numbers_[i]], other = terms_[numbers_[j]];
        terms_.push_back({one.attribute, static_cast<std::int64_t>(other.attribute), Term::none, one.unit * other.unit});
      }
  }

  void choose_values(const LocalTable& table, const double* query, const Voters& voters, std::size_t a) {
    values_.clear();
    for (std::size_t i = 0; i < voters.size(); ++i) {
      const double cell = table.cells[voters.row(i) * table.n_attributes + a];
      if (!std::isnan(cell) && cell != query[a]) values_.push_back(static_cast<std::int64_t>(cell));
    }
    std::sort(values_.begin(), values_.end());
    values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
    for (std::int64_t value : values_) terms_.push_back({a, Term::none, value, table.scales[a]});
  }

  void fill(const LocalTable& table, const double* query, const Voters& voters, std::size_t j) {
    const Term& term = terms_[j];
    double* column = columns_[j];
    for (std::size_t i = 0; i < voters.size(); ++i) {
      const double* row = table.cells + voters.row(i) * table.n_attributes;
      if (term.value != Term::none)
        column[i] = row[term.attribute] == static_cast<double>(term.value) ? 1.0 / term.unit : 0.0;
      else
        column[i] = deviation(table, row, query, term.attribute);
      if (term.other != Term::none) column[i] *= deviation(table, row, query, static_cast<std::size_t>(term.other));
    }
    std::fill(column + voters.size(), column + columns_.length(), 0.0);
  }

  static double deviation(const LocalTable& table, const double* row, const double* query, std::size_t a) {
    return std::isnan(row[a]) ? 0.0 : (row[a] - query[a]) / table.scales[a];
  }

  std::vector<Term> terms_;
  Columns columns_;
  std::vector<std::size_t> numbers_;
  std::vector<std::int64_t> values_;
};

}  // namespace priorcase
