// Local naive Bayes and logistic fits of many shapes, with missing values: probabilities sum to 1 and do not depend on
// the number of threads or the code path.
#include "base/cpu.hpp"
#include "check.hpp"
#include "local/classifiers.hpp"

using namespace priorcase;

namespace {

constexpr double gap = std::numeric_limits<double>::quiet_NaN();

double uniform(std::mt19937_64& random) { return static_cast<double>(random() % 1000003) / 1000003.0; }

// Rows of numeric, ordinal and nominal columns with missing values, and queries with random lists of voters.
struct Case {
  Case(std::mt19937_64& random, std::size_t rows, std::size_t attributes, std::size_t classes, std::size_t queries) {
    for (std::size_t a = 0; a < attributes; ++a) kinds.push_back(static_cast<std::uint8_t>(random() % 3));
    scales.assign(attributes, 0.5);
    sizes.assign(attributes, 3);
    for (std::size_t i = 0; i < (rows + queries) * attributes; ++i) {
      const bool number = kinds[i % attributes] == local::LocalTable::numeric;
      const double cell = random() % 7 == 0 ? gap : number ? uniform(random) : static_cast<double>(random() % 3);
      (i < rows * attributes ? cells : asked).push_back(cell);
    }
    for (std::size_t i = 0; i < rows; ++i) codes.push_back(static_cast<std::int64_t>(random() % classes));
    indptr.push_back(0);
    for (std::size_t q = 0; q < queries; ++q) {
      for (std::size_t i = 0; i < rows; ++i)
        if (random() % 2 || i == 0) {
          list.push_back(static_cast<std::int64_t>(i));
          weights.push_back(i == 0 ? 1.0 : uniform(random));
        }
      indptr.push_back(static_cast<std::int64_t>(list.size()));
    }
    prior.assign(classes, 0.5);
    task = {{cells.data(), rows, attributes, kinds.data(), scales.data(), nullptr, 0},
            {indptr.data(), list.data(), weights.data(), nullptr}, codes.data(), classes, asked.data(), queries};
  }

  std::vector<std::uint8_t> kinds;
  std::vector<double> cells, asked, scales, weights, prior;
  std::vector<std::int64_t> codes, indptr, list, sizes;
  local::LocalClassTask task;
};

void check_probabilities(const std::vector<double>& found, const local::LocalClassTask& task) {
  CHECK(found.size() == task.n_queries * task.n_classes);
  for (std::size_t q = 0; q < task.n_queries; ++q) {
    double total = 0.0;
    for (std::size_t c = 0; c < task.n_classes; ++c) {
      CHECK(found[q * task.n_classes + c] >= 0.0);
      total += found[q * task.n_classes + c];
    }
    CHECK(std::abs(total - 1.0) < 1e-12);
  }
}

void check_case(const Case& of) {
  for (const bool student : {false, true}) {
    const local::BayesRules rules{of.prior.data(), of.sizes.data(), 1.0, student, 1.0, 1.0, 1e-9};
    const std::vector<double> found = local::bayes_probabilities(of.task, rules, 1);
    check_probabilities(found, of.task);
    testing::digest.add(found);
    CHECK(local::bayes_probabilities(of.task, rules, 3) == found);
  }
  const base::Path before = base::path();
  std::vector<double> first;
  for (const base::Path path : base::available_paths()) {
    CHECK(base::use_path(base::name_of(path)));
    const std::vector<double> found = local::logistic_probabilities(of.task, {0.1, 100, 1e-12}, 1).probabilities;
    check_probabilities(found, of.task);
    if (first.empty()) first = found;
    CHECK(found == first);
  }
  testing::digest.add(first);
  base::use_path(base::name_of(before));
}

void test_rising() {
  for (const double a : {0.5, 1.0, 3.7, 15.9, 16.1, 400.0})
    CHECK(std::abs(local::log_half_rising(a) - (std::lgamma(a + 0.5) - std::lgamma(a))) < 1e-12 * (1 + a));
}

}  // namespace

const testing::Test registered("test_classify", [] {
  std::mt19937_64 random(5);
  test_rising();
  for (std::size_t attributes : {1, 2, 5, 30})  // 30: mostly more columns than rows
    for (std::size_t classes : {1, 2, 6})
      for (std::size_t rows : {1, 2, 9, 40}) check_case(Case(random, rows, attributes, classes, 5));
});
