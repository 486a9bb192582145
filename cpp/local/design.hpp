// The columns that a local model is fitted on: deviations from the query, so that the intercept is the prediction.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "local/voters.hpp"

namespace priorcase::local {

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
// for each value but the query's among the voters. A gap of a row counts as the query's own value. A gap of the query
// leaves the attribute out, and so does a value that no voter holds: nothing tells what a row with it would be like.
// All divided by the scales of the attributes. Degree 0 has no columns.
class LocalDesign {
 public:
  void build(const LocalTable& table, const double* query, const Voters& voters, int degree) {
    terms_.clear();
    numbers_.clear();
    if (degree > 0) choose(table, query, voters, degree);
    columns_.reshape(voters.size(), terms_.size());
    fill_numbers(table, query, voters);
    for (std::size_t j = numbers_.size(); j < terms_.size(); ++j) {
      if (terms_[j].value != Term::none)
        fill_indicator(table, voters, j);
      else
        sums_->multiply(columns_[place_of(terms_[j].attribute)], columns_[place_of(terms_[j].other)], columns_[j],
                        columns_.length());
    }
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
  // Numbers come first, then indicators, then products.
  void choose(const LocalTable& table, const double* query, const Voters& voters, int degree) {
    for (std::size_t a = 0; a < table.n_attributes; ++a)
      if (!std::isnan(query[a]) && table.kinds[a] != LocalTable::nominal) {
        numbers_.push_back(a);
        terms_.push_back({a, Term::none, Term::none, table.scales[a]});
      }
    for (std::size_t a = 0; a < table.n_attributes; ++a)
      if (!std::isnan(query[a]) && table.kinds[a] == LocalTable::nominal) choose_values(table, query, voters, a);
    if (degree == 1) return;
    for (std::size_t i = 0; i < numbers_.size(); ++i)
      for (std::size_t j = i; j < numbers_.size(); ++j) {
        const double unit = terms_[i].unit * terms_[j].unit;
        terms_.push_back({numbers_[i], static_cast<std::int64_t>(numbers_[j]), Term::none, unit});
      }
  }

  std::size_t place_of(std::size_t attribute) const {
    return std::lower_bound(numbers_.begin(), numbers_.end(), attribute) - numbers_.begin();
  }

  void choose_values(const LocalTable& table, const double* query, const Voters& voters, std::size_t a) {
    values_.clear();
    bool held = false;
    for (std::size_t i = 0; i < voters.size(); ++i) {
      const double cell = table.cells[voters.row(i) * table.n_attributes + a];
      held |= cell == query[a];
      if (std::isnan(cell) || cell == query[a]) continue;
      if (!(cell >= 0.0 && cell < most_values)) throw std::invalid_argument("no such value");
      values_.push_back(static_cast<std::int64_t>(cell));
    }
    if (!held) return;
    std::sort(values_.begin(), values_.end());
    values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
    for (std::int64_t value : values_) terms_.push_back({a, Term::none, value, table.scales[a]});
  }

  // Row by row, since rows lie far apart in memory.
  void fill_numbers(const LocalTable& table, const double* query, const Voters& voters) {
    const std::size_t length = columns_.length(), count = numbers_.size();
    const std::size_t* numbers = numbers_.data();
    for (std::size_t i = 0; i < voters.size(); ++i) {
      const double* row = table.cells + voters.row(i) * table.n_attributes;
      if (i + ahead < voters.size()) base::prefetch(table.cells + voters.row(i + ahead) * table.n_attributes);
      double* out = columns_[0] + i;
      for (std::size_t j = 0; j < count; ++j, out += length) {
        const double deviation = row[numbers[j]] - query[numbers[j]];
        *out = deviation == deviation ? deviation : 0.0;
      }
    }
    for (std::size_t j = 0; j < count; ++j) {
      std::fill(columns_[j] + voters.size(), columns_[j] + length, 0.0);
      sums_->scale(1.0 / terms_[j].unit, columns_[j], length);
    }
  }

  void fill_indicator(const LocalTable& table, const Voters& voters, std::size_t j) {
    const Term& term = terms_[j];
    const double value = static_cast<double>(term.value);
    double* column = columns_[j];
    for (std::size_t i = 0; i < voters.size(); ++i)
      column[i] = table.cells[voters.row(i) * table.n_attributes + term.attribute] == value ? 1.0 / term.unit : 0.0;
    std::fill(column + voters.size(), column + columns_.length(), 0.0);
  }

  // Whole numbers below this are told apart by float64.
  static constexpr double most_values = 9007199254740992.0;
  // So many rows are asked for before they are needed.
  static constexpr std::size_t ahead = 16;

  const ColumnSums* sums_ = &column_sums();
  std::vector<Term> terms_;
  Columns columns_;
  std::vector<std::size_t> numbers_;
  std::vector<std::int64_t> values_;
};

}  // namespace priorcase::local
