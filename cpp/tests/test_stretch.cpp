// The gradient of the leave-one-out loss equals its central differences, on mixed rows with missing values, for every
// loss and code path. Weights of single queries have the sum of the global weights. Relief sums equal direct sums.
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "base/cpu.hpp"
#include "check.hpp"
#include "relevance/relief.hpp"
#include "relevance/stretch.hpp"
#include "search/difference.hpp"

using namespace priorcase;
using testing::coded;

namespace {

struct Case {
  Case(std::uint64_t seed, std::size_t n, double power, bool skip)
      : random(seed), plan(testing::mixed_plan(power, skip)), cells(testing::mixed_rows(random, n, false)),
        table(plan, coded, cells.data(), n), shares(3, 0.0), votes(n, 1.0) {
    for (std::size_t i = 0; i < n; ++i) {
      labels.push_back(static_cast<std::int64_t>(random() % 3));
      shares[labels[i]] += 1.0 / static_cast<double>(n);
      numbers.push_back(static_cast<double>(random() % 7) - 3.0);
      votes[i] = 1.0 + static_cast<double>(random() % 2);
      rows.push_back(static_cast<std::int64_t>(i));
    }
  }

  relevance::StretchTargets targets(relevance::StretchLoss loss) const {
    return {loss, labels.data(), numbers.data(), shares.data(), votes.data()};
  }

  double loss(relevance::StretchLoss kind, const std::vector<double>& weights, std::size_t threads,
              double* gradient) const {
    return relevance::stretch_loss(table, targets(kind), weights.data(), rows.data(), rows.size(), votes.data(),
                                   threads, gradient);
  }

  std::mt19937_64 random;
  search::Plan plan;
  std::vector<double> cells;
  relevance::StretchTable table;
  std::vector<double> shares, votes, numbers;
  std::vector<std::int64_t> labels, rows;
};

void check_slopes(const Case& example, relevance::StretchLoss kind) {
  std::vector<double> weights(coded.size()), gradient(coded.size()), again(coded.size());
  for (std::size_t a = 0; a < weights.size(); ++a) weights[a] = 0.5 + static_cast<double>(a);
  const double value = example.loss(kind, weights, 1, gradient.data());
  CHECK(value == example.loss(kind, weights, 3, again.data()));
  CHECK(gradient == again);
  if (base::path() == base::Path::scalar) testing::digest.add(gradient);
  for (std::size_t a = 0; a < weights.size(); ++a) {
    std::vector<double> above = weights, below = weights;
    above[a] += 1e-5;
    below[a] -= 1e-5;
    const double slope = (example.loss(kind, above, 1, nullptr) - example.loss(kind, below, 1, nullptr)) / 2e-5;
    CHECK(std::fabs(slope - gradient[a]) < 1e-6 + 1e-5 * std::fabs(slope));
  }
}

void check_local(const Case& example) {
  std::vector<double> global(coded.size(), 1.0);
  global[0] = 0.0;
  const std::size_t n = example.rows.size();
  const std::vector<std::int64_t> indptr{0, static_cast<std::int64_t>(n), static_cast<std::int64_t>(n)};
  const relevance::Neighborhoods around{example.plan, coded, example.cells.data(), indptr.data(), 2,
                                        example.rows.data(), example.votes.data()};
  const relevance::StretchTargets targets = example.targets(relevance::StretchLoss::log);
  const std::vector<double> found = relevance::local_weights(around, targets, global.data(), 0.1, 10, 2);
  double sum = 0.0;
  for (std::size_t a = 0; a < coded.size(); ++a) sum += found[a];
  CHECK(found[0] == 0.0);
  CHECK(std::fabs(sum - static_cast<double>(coded.size() - 1)) < 1e-9);
  CHECK(std::vector<double>(found.begin() + coded.size(), found.end()) == global);  // a query without neighbors
}

void check_relief(const Case& example) {
  const std::vector<std::int64_t> rows{3, 0}, indptr{0, 2, 3}, others{1, 2, 4};
  const std::vector<double> factors{0.5, -2.0, 1.0};
  const relevance::ReliefPairs pairs{example.plan, coded, example.cells.data(), rows.data(), 2, indptr.data(),
                                     others.data(), factors.data()};
  const std::vector<double> sums = relevance::summed_differences(pairs, 1.0, 2);
  for (std::size_t a = 0; a < coded.size(); ++a) {
    const double query = example.cells[3 * coded.size() + a];
    search::Difference difference;
    difference.prepare(example.plan, a, coded[a] != 0, query);
    const auto f = [&](std::size_t row) {
      const double x = example.cells[row * coded.size() + a];
      if (example.plan.skip && (std::isnan(x) || std::isnan(query))) return 0.0;
      return std::isnan(x) ? difference.against_missing() : difference.against(x);
    };
    CHECK(std::fabs(sums[a] - (0.5 * f(1) - 2.0 * f(2))) < 1e-12);
  }
}

}  // namespace

const testing::Test registered("test_stretch", [] {
  for (const base::Path path : base::available_paths()) {
    base::use_path(base::name_of(path));
    for (const bool skip : {false, true})
      for (const double power : {1.0, 2.0, 1.5}) {
        const Case example(7, 41, power, skip);
        for (const relevance::StretchLoss kind : {relevance::StretchLoss::log, relevance::StretchLoss::errors,
                                                  relevance::StretchLoss::squared})
          check_slopes(example, kind);
        check_local(example);
        check_relief(example);
      }
  }
});
