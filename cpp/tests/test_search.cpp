// Every algorithm, CPU path and thread count finds what the plain loop finds, while rows come and go.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "priorcase/index.hpp"

namespace {

using namespace priorcase;
using Kind = Attribute::Kind;

constexpr double gap = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t n_attributes = 7;
constexpr int values[n_attributes] = {0, 0, 0, 3, 9, 90, 5};  // 0: a number
constexpr std::size_t width = 3;

void expect(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "FAILED: %s\n", what.c_str());
  std::exit(1);
}

std::vector<double> random_numbers(std::mt19937_64& random, std::size_t n) {
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  std::vector<double> numbers(n);
  for (double& number : numbers) number = uniform(random);
  return numbers;
}

// One attribute of each kind: scaled, widened and curved numbers; overlap, profiles, many symbols and a table.
Plan make_plan(std::mt19937_64& random, double power, bool skip) {
  Plan plan(n_attributes, power, skip, skip, skip ? 1.0 : infinity);
  Attribute& scaled = plan.define(0, Kind::linear);
  scaled.scale = 3.0;
  Attribute& widened = plan.define(1, Kind::linear);
  widened.low = -1.0;
  widened.high = 1.0;
  widened.widen = widened.aha = true;
  Attribute& curve = plan.define(2, Kind::curve);
  curve.breaks = {-1.0, 0.0, 0.5, 2.0};
  curve.profiles = random_numbers(random, 4 * width);
  curve.count = 4;
  curve.width = width;
  curve.factors = {1.0};
  curve.rule = {Power(2.0), true};
  plan.define(3, Kind::overlap);
  Attribute& profile = plan.define(4, Kind::profile);
  profile.profiles = random_numbers(random, 9 * width);
  profile.factors.assign(9, 0.5);
  profile.count = 9;
  profile.width = width;
  profile.unseen.assign(width, 1.0 / width);
  plan.define(5, Kind::overlap).f_differ = 0.75;
  Attribute& table = plan.define(6, Kind::table);
  table.profiles = random_numbers(random, 25);
  table.count = 5;
  return plan;
}

std::vector<double> make_rows(std::mt19937_64& random, std::size_t n, bool queries) {
  std::normal_distribution<double> normal;
  std::vector<double> rows;
  for (std::size_t i = 0; i < n; ++i)
    for (const int count : values) {
      const double draw = static_cast<double>(random() % 100);
      if (draw < 7) rows.push_back(gap);
      else if (count > 0) rows.push_back(queries && draw < 12 ? -1.0 : static_cast<double>(random() % count));
      else rows.push_back(std::round(4 * normal(random)) / 4);  // few distinct numbers, so that costs tie
    }
  return rows;
}

Request make_request(const std::vector<double>& queries, const std::vector<double>& weights) {
  Request request;
  request.queries = queries.data();
  request.n_queries = queries.size() / n_attributes;
  request.weights = weights.data();
  request.weights_per_query = weights.size() > n_attributes;
  return request;
}

void compare(Index& index, const Plan& plan, Request request, const std::string& what) {
  request.algorithm = Algorithm::plain;
  const auto plain = index.search(plan, request);
  for (const Kernels& path : available_kernels()) {
    choose_kernels(path.name);
    for (const Algorithm algorithm : {Algorithm::scan, Algorithm::tree, Algorithm::automatic})
      for (const std::size_t threads : {1, 3}) {
        request.algorithm = algorithm;
        request.threads = threads;
        expect(index.search(plan, request) == plain, what + " on " + path.name);
      }
  }
}

void search_all_ways(Index& index, const Plan& plan, std::mt19937_64& random, const std::string& what) {
  const std::size_t n_queries = 11;
  const std::vector<double> queries = make_rows(random, n_queries, true);
  std::vector<double> weights(n_attributes, 1.0), own_weights = random_numbers(random, n_queries * n_attributes);
  own_weights[3] = own_weights[30] = 0.0;
  std::vector<double> limits = random_numbers(random, n_queries);
  std::vector<std::int64_t> exclude(n_queries);
  for (std::int64_t& id : exclude) id = static_cast<std::int64_t>(random() % 1000);
  for (const auto* w : {&weights, &own_weights}) {
    Request request = make_request(queries, *w);
    request.limits = limits.data();
    compare(index, plan, request, what + ", within");
    for (const std::size_t k : {1, 10, 1000}) {
      request.k = k;
      for (const bool ties : {false, true}) {
        request.ties = ties;
        request.exclude = ties ? exclude.data() : nullptr;
        compare(index, plan, request, what + ", k nearest");
      }
    }
  }
}

void test_rows_come_and_go(double power, bool skip) {
  std::mt19937_64 random(17);
  const Plan plan = make_plan(random, power, skip);
  Index index({0, 0, 0, 1, 1, 1, 1});
  std::vector<std::int64_t> alive;
  std::int64_t next_id = 40;
  for (const std::size_t batch : {1, 300, 900, 40}) {
    const std::vector<double> rows = make_rows(random, batch, false);
    std::vector<std::int64_t> ids(batch);
    for (std::int64_t& id : ids) alive.push_back(id = next_id++);
    index.append(ids.data(), rows.data(), batch);
    search_all_ways(index, plan, random, "before the tree is built");
    index.organise_if_due(plan);
    search_all_ways(index, plan, random, "after appending");
    for (std::size_t i = 0; i < alive.size() / 3; ++i) {
      const std::size_t at = random() % alive.size();
      index.remove(alive[at]);
      alive[at] = alive.back();
      alive.pop_back();
    }
    expect(index.n_rows() == alive.size(), "the number of rows");
    search_all_ways(index, plan, random, "after removing");
  }
}

}  // namespace

int main() {
  test_rows_come_and_go(2.0, false);
  test_rows_come_and_go(1.0, true);
  test_rows_come_and_go(2.5, false);
  std::puts("1 passed, 0 failed");
}
