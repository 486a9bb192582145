// Costs of many rows for one of them under changing attribute weights, column by column, and their derivatives.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "search/difference.hpp"
#include "relevance/loops.hpp"
#include "relevance/stretch_loss.hpp"

namespace priorcase::relevance {

// Rows by columns: numbers, or places in a list of the codes that occur, which may be few of many; the gap is behind them.
class StretchTable {
 public:
  StretchTable(const search::Plan& plan, std::vector<std::uint8_t> coded, const double* cells, std::size_t n)
      : plan(plan), n(n), coded(std::move(coded)), cells(cells), columns(plan.size()) {
    for (std::size_t a = 0; a < columns.size(); ++a) fill(a);
  }

  struct Column {
    std::vector<double> numbers;
    std::vector<double> values;  // the codes that occur, ascending
    std::vector<std::uint32_t> codes;
    std::uint32_t gap = 0;
    bool has_gaps = false;
  };

  double cell(std::size_t row, std::size_t a) const { return cells[row * columns.size() + a]; }

  const search::Plan& plan;
  const std::size_t n;
  const std::vector<std::uint8_t> coded;
  const double* cells;
  std::vector<Column> columns;

 private:
  void fill(std::size_t a) {
    Column& column = columns[a];
    for (std::size_t i = 0; i < n; ++i) {
      const double x = cell(i, a);
      column.has_gaps |= x != x;
      if (!coded[a]) column.numbers.push_back(x);
      if (coded[a] && x == x) column.values.push_back(x);
    }
    std::vector<double>& values = column.values;
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    column.gap = static_cast<std::uint32_t>(values.size());
    for (std::size_t i = 0; i < n && coded[a]; ++i) {
      const double x = cell(i, a);
      const auto place = [&] { return std::lower_bound(values.begin(), values.end(), x) - values.begin(); };
      column.codes.push_back(x == x ? static_cast<std::uint32_t>(place()) : column.gap);
    }
  }
};

// One row against all others.
class StretchCosts {
 public:
  explicit StretchCosts(const StretchTable& table)
      : table_(table), differences_(table.columns.size()), by_code_(table.columns.size()), costs_(table.n),
        known_(table.plan.skip ? table.n : 0), pulls_(table.n) {}

  // Costs of all rows for one of them; the mean over the known attributes is taken times the total weight.
  double* measure(std::size_t row, const double* weights) {
    const std::size_t width = differences_.size();
    std::fill(costs_.begin(), costs_.end(), 0.0);
    total_ = 0.0;
    double here = 0.0;
    for (std::size_t a = 0; a < width; ++a) {
      prepare(a, table_.cell(row, a));
      total_ += weights[a];
      if (differences_[a].state != search::Difference::State::missing) here += weights[a];
    }
    std::fill(known_.begin(), known_.end(), here);
    for (std::size_t start = 0; start < table_.n; start += block)
      for (std::size_t a = 0; a < width; ++a)
        if (weights[a] > 0.0) add(a, weights[a], start, std::min(table_.n, start + block));
    for (std::size_t j = 0; j < known_.size(); ++j)
      costs_[j] = shares(j) ? costs_[j] / known_[j] * total_ : table_.plan.nothing_shared * (table_.plan.mean ? total_ : 1.0);
    return costs_.data();
  }

  // Adds to the gradient what the pulls of some rows make of it.
  void pull(const std::vector<SoftVote::Voter>& voters, double* gradient) {
    double level = 0.0;  // with gaps left out, more weight anywhere makes every mean count for more
    for (const SoftVote::Voter& voter : voters)
      if (table_.plan.skip && (shares(voter.row) || table_.plan.mean)) level += voter.pull * costs_[voter.row] / total_;
    const bool many = 8 * voters.size() > table_.n;  // then one loop over whole columns is faster than a list
    if (many) std::fill(pulls_.begin(), pulls_.end(), 0.0);
    for (std::size_t i = 0; i < voters.size() && many; ++i) pulls_[voters[i].row] = voters[i].pull;
    for (std::size_t a = 0; a < differences_.size(); ++a) {
      if (table_.plan.skip)
        gradient[a] += level + pulled_apart(a, voters);
      else
        gradient[a] += many && is_quick(a) ? kernels_.sum(linear(a, 0, table_.n), pulls_.data()) : pulled(a, voters);
    }
  }

  // f of attribute a between the measured row and another.
  double difference(std::size_t a, std::size_t row) const {
    const StretchTable::Column& column = table_.columns[a];
    if (table_.coded[a]) return by_code_[a][column.codes[row]];
    const double x = column.numbers[row];
    return x == x ? differences_[a].against(x) : differences_[a].against_missing();
  }

  bool is_gap(std::size_t a, std::size_t row) const {
    const StretchTable::Column& column = table_.columns[a];
    return table_.coded[a] ? column.codes[row] == column.gap : std::isnan(column.numbers[row]);
  }

 private:
  static constexpr std::size_t block = 2048;  // their costs stay in the nearest cache
  static constexpr double largest = largest_difference;
  static constexpr double least_share = 1e-12;  // of the weight that must be known, lest rounding decides

  // Whether a row and the measured one both know an attribute that weighs something.
  bool shares(std::size_t row) const { return known_[row] > least_share * total_; }

  void prepare(std::size_t a, double query) {
    search::Difference& d = differences_[a];
    d.prepare(table_.plan, a, table_.coded[a] != 0, query);
    if (!table_.coded[a]) return;
    const std::vector<double>& values = table_.columns[a].values;
    by_code_[a].resize(values.size() + 1);
    for (std::size_t place = 0; place < values.size(); ++place) by_code_[a][place] = d.against(values[place]);
    by_code_[a].back() = d.against_missing();
  }

  void add(std::size_t a, double weight, std::size_t start, std::size_t stop) {
    const StretchTable::Column& column = table_.columns[a];
    const bool skip = table_.plan.skip;
    if (skip && differences_[a].state == search::Difference::State::missing) return;
    if (skip && column.has_gaps) {
      for (std::size_t j = start; j < stop; ++j)
        if (is_gap(a, j))
          known_[j] -= weight;
        else
          costs_[j] += weight * difference(a, j);
    } else if (table_.coded[a]) {
      for (std::size_t j = start; j < stop; ++j) costs_[j] += weight * by_code_[a][column.codes[j]];
    } else if (is_quick(a)) {
      kernels_.add(linear(a, start, stop), weight, costs_.data() + start);
    } else {
      for (std::size_t j = start; j < stop; ++j) costs_[j] += weight * difference(a, j);
    }
  }

  // Whether the loops over columns of numbers know the attribute.
  bool is_quick(std::size_t a) const {
    const int power = table_.plan.power.whole();
    return !table_.coded[a] && (power == 1 || power == 2) && differences_[a].is_linear();
  }

  LinearColumn linear(std::size_t a, std::size_t start, std::size_t stop) const {
    const search::Difference& d = differences_[a];
    const double* x = table_.columns[a].numbers.data() + start;
    return {x, stop - start, d.query(), 1.0 / d.scale, d.against_missing(), table_.plan.power.whole() == 2};
  }

  double pulled(std::size_t a, const std::vector<SoftVote::Voter>& voters) const {
    double sum = 0.0;
    if (is_quick(a) && !table_.columns[a].has_gaps && table_.plan.power.whole() == 2) {
      const double *x = table_.columns[a].numbers.data(), q = differences_[a].query(), unit = 1.0 / differences_[a].scale;
      for (const SoftVote::Voter& voter : voters) {
        const double t = (x[voter.row] - q) * unit;
        sum += voter.pull * std::min(t * t, largest);
      }
      return sum;
    }
    for (const SoftVote::Voter& voter : voters) sum += voter.pull * std::min(difference(a, voter.row), largest);
    return sum;
  }

  // The same where gaps are left out, for the attributes that both rows know.
  double pulled_apart(std::size_t a, const std::vector<SoftVote::Voter>& voters) const {
    if (differences_[a].state == search::Difference::State::missing) return 0.0;
    double sum = 0.0;
    for (const SoftVote::Voter& voter : voters)
      if (shares(voter.row) && !is_gap(a, voter.row))
        sum += voter.pull * (std::min(difference(a, voter.row), largest) * total_ - costs_[voter.row]) / known_[voter.row];
    return sum;
  }

  const StretchTable& table_;
  std::vector<search::Difference> differences_;
  std::vector<std::vector<double>> by_code_;
  std::vector<double> costs_, known_, pulls_;
  const StretchKernels kernels_ = stretch_kernels();
  double total_ = 0.0;
};

}  // namespace priorcase::relevance
