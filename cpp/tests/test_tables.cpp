// With differences from tables with labels, or from functions that return table rows, every algorithm finds the same
// rows as with compiled differences.
#include <cmath>
#include <stdexcept>

#include "check.hpp"
#include "search/difference.hpp"
#include "search/index.hpp"

using namespace priorcase;

namespace {

constexpr std::size_t n_symbols = 150, n_levels = 40;
const std::vector<std::uint8_t> coded{0, 1, 0};

// Returns a plan for a number, symbols with a table of differences, and another number.
search::Plan compiled(const std::vector<double>& symbols, double power) {
  search::Plan plan(3, power, false, false, base::infinity);
  plan.set(0, {search::Linear{.scale = 2.0}});
  search::Table table;
  table.f = symbols;
  table.count = n_symbols;
  plan.set(1, {.kind = table, .f_unseen = 0.75});
  plan.set(2, {search::Linear{.scale = 1.5}});
  return plan;
}

// Returns a plan with the same differences from tables with labels or, if `asked`, from functions that return table
// rows.
search::Plan looked_up(const std::vector<double>& symbols, const std::vector<double>& numbers,
                       const std::vector<double>& queries, double power, bool asked) {
  search::Plan plan(3, power, false, false, base::infinity);
  const base::Power raised(power);
  search::Table line;
  line.has_column_labels = true;
  line.column_labels = numbers;
  line.count = numbers.size();
  const auto line_row = [numbers, raised](double q) {
    std::vector<double> row;
    for (const double x : numbers) row.push_back(raised(std::fabs(x - q) / 2.0));
    return row;
  };
  search::Table table;
  table.count = n_symbols;
  const auto symbol_row = [symbols](double q) {
    const auto first = symbols.begin() + static_cast<std::ptrdiff_t>(q) * static_cast<std::ptrdiff_t>(n_symbols);
    return q < 0.0 ? std::vector<double>(n_symbols, 0.75) : std::vector<double>(first, first + n_symbols);
  };
  if (asked) {
    line.row_of = line_row;
    table.row_of = symbol_row;
  } else {
    line.has_row_labels = table.has_row_labels = true;
    const auto fill = [&](search::Table& into, std::size_t a, const auto& row_of) {
      for (std::size_t i = a; i < queries.size(); i += 3)
        if (queries[i] == queries[i]) into.row_labels.push_back(queries[i]);
      std::sort(into.row_labels.begin(), into.row_labels.end());
      into.row_labels.erase(std::unique(into.row_labels.begin(), into.row_labels.end()), into.row_labels.end());
      for (const double label : into.row_labels)
        for (const double f : row_of(label)) into.f.push_back(f);
    };
    fill(line, 0, line_row);
    fill(table, 1, symbol_row);
  }
  plan.set(0, {line});
  plan.set(1, {.kind = table, .f_unseen = 0.75});
  plan.set(2, {search::Linear{.scale = 1.5}});
  return plan;
}

void run(std::uint64_t seed, double power, std::size_t n) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const auto cell = [&](double value) { return random() % 12 == 0 ? testing::gap : value; };
  const auto whole = [&](std::size_t high) { return static_cast<double>(random() % high); };
  std::vector<double> symbols(n_symbols * n_symbols), numbers, rows, queries, weights(3, 1.0);
  for (double& f : symbols) f = whole(5) / 4;
  for (std::size_t level = 0; level < n_levels; ++level) numbers.push_back(0.25 * static_cast<double>(level));
  for (std::size_t i = 0; i < n; ++i)
    for (const double value : {cell(numbers[random() % n_levels]), cell(whole(n_symbols)), cell(normal(random))})
      rows.push_back(value);
  const std::size_t n_queries = 40;
  for (std::size_t q = 0; q < n_queries; ++q)
    for (const double value : {cell(whole(20) / 3), cell(whole(n_symbols + 1) - 1.0), cell(normal(random))})
      queries.push_back(value);
  std::vector<std::int64_t> ids(n);
  for (std::size_t i = 0; i < n; ++i) ids[i] = static_cast<std::int64_t>(i);
  std::vector<double> limits(n_queries, 1.0);
  search::Request request;
  request.queries = queries.data();
  request.n_queries = n_queries;
  request.weights = weights.data();
  request.limits = limits.data();
  const search::Plan expected_plan = compiled(symbols, power);
  search::Index expected_index(coded);
  expected_index.append(ids.data(), rows.data(), n);
  for (const bool asked : {false, true}) {
    const search::Plan plan = looked_up(symbols, numbers, queries, power, asked);
    search::Index index(coded);
    index.append(ids.data(), rows.data(), n);
    index.organise(plan);
    CHECK(index.covers(plan, queries.data(), n_queries));
    for (const std::size_t k : {0, 1, 7})
      for (const auto algorithm : {search::Algorithm::automatic, search::Algorithm::tree, search::Algorithm::scan,
                                   search::Algorithm::plain})
        for (const std::size_t threads : {1, 3}) {
          request.k = k;
          request.threads = threads;
          request.algorithm = search::Algorithm::plain;
          const auto expected = expected_index.search(expected_plan, request);
          request.algorithm = algorithm;
          CHECK(index.search(plan, request) == expected);
          testing::digest.add(expected);
        }
  }
}

template <class Change>
void refuse(const Change& change) {
  search::Table table;
  table.count = 2;
  table.f = {0.0, 1.0, 1.0, 0.0};
  change(table);
  search::Plan plan(1, 2.0, false, false, base::infinity);
  bool refused = false;
  try {
    plan.set(0, {table});
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  CHECK(refused);
}

}  // namespace

const testing::Test registered("test_tables", [] {
  std::uint64_t seed = 40;
  for (const double power : {1.0, 2.0, 2.5})
    for (const std::size_t n : {1, 60, 300, 3000}) run(++seed, power, n);
  refuse([](search::Table& table) { table.f.pop_back(); });
  refuse([](search::Table& table) { table.has_row_labels = true, table.row_labels = {1.0}; });
  refuse([](search::Table& table) { table.has_row_labels = true, table.row_labels = {1.0, 1.0}; });
  refuse([](search::Table& table) { table.has_column_labels = true, table.column_labels = {2.0, 1.0}; });
  refuse([](search::Table& table) { table.has_column_labels = true, table.column_labels = {1.0, testing::gap}; });
  refuse([](search::Table& table) { table.row_of = [](double) { return std::vector<double>(2); }; });
});
