// A sketch never rules out a row that is near enough: searches with a sketch find the same rows as measuring all rows.
#include <algorithm>
#include <numeric>

#include "base/cpu.hpp"
#include "check.hpp"
#include "search/index.hpp"
#include "search/sketch.hpp"

using namespace priorcase;

namespace {

constexpr std::size_t n_queries = 260;  // enough queries for a sketch to be made

// Numbers of several kinds: normal, on a coarse grid with ties, with a few outliers, nearly all equal, and so large or
// small that squares overflow or underflow.
std::vector<double> numbers(std::mt19937_64& random, std::size_t n, std::size_t width, int kind) {
  std::normal_distribution<double> normal;
  std::vector<double> cells(n * width);
  for (double& x : cells) {
    x = normal(random);
    if (kind == 1) x = std::floor(2.0 * x);
    if (kind == 2 && random() % 500 == 0) x *= 1e4;
    if (kind == 3) x = random() % 50 == 0 ? 1.0 : 0.0;
    if (kind == 4) x = std::ldexp(x, static_cast<int>(random() % 2000) - 1000);
    if (kind == 5) x *= 1e307;
  }
  return cells;
}

search::Plan plan_of(std::size_t width, bool widen, bool mean = false) {
  search::Plan plan(width, 2.0, mean, mean, base::infinity, true);
  for (std::size_t a = 0; a < width; ++a)
    plan.set(a, {search::Linear{.scale = 1.0 + static_cast<double>(a % 3), .low = -2.0, .high = 2.0,
                                .widen = widen && a % 2 == 0}});
  return plan;
}

void check_paths(search::Index& index, const search::Plan& plan, search::Request request) {
  request.algorithm = search::Algorithm::plain;
  const auto expected = index.search(plan, request);
  testing::digest.add(expected);
  for (const base::Path path : base::available_paths()) {
    base::use_path(base::name_of(path));
    for (const search::Algorithm algorithm : {search::Algorithm::scan, search::Algorithm::automatic})
      for (const std::size_t threads : {1, 3}) {
        request.algorithm = algorithm;
        request.threads = threads;
        CHECK(index.search(plan, request) == expected);
      }
  }
}

void check_searches(std::mt19937_64& random, std::size_t width, int kind, bool widen, bool mean = false) {
  const std::size_t n = 1100;
  const search::Plan plan = plan_of(width, widen, mean);
  const std::vector<double> rows = numbers(random, n, width, kind), late = numbers(random, 200, width, kind);
  std::vector<double> queries = numbers(random, n_queries, width, kind);
  std::copy_n(rows.begin(), 50 * width, queries.begin());  // these queries have a distance of 0 to a row
  queries[60 * width] = testing::gap;
  std::vector<double> weights(width), limits(n_queries);
  for (double& weight : weights) weight = static_cast<double>(random() % 4) / 2.0;
  std::vector<std::int64_t> ids(n + 200), exclude(n_queries, -1);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int64_t>(i);
  std::copy(ids.begin(), ids.begin() + 40, exclude.begin());
  search::Index index(std::vector<std::uint8_t>(width, 0));
  index.append(ids.data(), rows.data(), n);
  index.organise(plan);
  search::Request request;
  request.queries = queries.data();
  request.n_queries = n_queries;
  request.weights = weights.data();
  request.exclude = exclude.data();
  request.limits = limits.data();
  const std::size_t before = index.n_bytes();
  for (int round = 0; round < 3; ++round) {
    for (std::size_t q = 0; q < n_queries; ++q) limits[q] = std::sqrt(width) * static_cast<double>(q % 5) / 8;
    for (const std::size_t k : {0, 1, 40}) {
      request.k = k;
      request.ties = round == 1;
      check_paths(index, plan, request);
    }
    if (round == 0) CHECK((index.n_bytes() > before) == (width >= 16 && !mean));
    if (round == 0)
      for (std::int64_t id = 0; id < 200; ++id) index.remove(id * 5 + 3);
    if (round == 0) index.append(ids.data() + n, late.data(), 200);
    if (round == 1) std::rotate(weights.begin(), weights.begin() + 1, weights.end());
  }
}

void check_bounds(std::mt19937_64& random, std::size_t width, int kind) {
  const std::size_t n = 3 * search::panel_rows;
  const search::Plan plan = plan_of(width, false);
  const std::vector<double> rows = numbers(random, n, width, kind), queries = numbers(random, 4, width, kind);
  const std::vector<std::uint8_t> coded(width, 0);
  search::Store store(coded, coded);
  std::vector<std::int64_t> ids(n);
  std::iota(ids.begin(), ids.end(), 0);
  store.append(ids.data(), rows.data(), n);
  const std::vector<double> weights(width, 1.5);
  const search::Sketch sketch(plan, store, weights.data());
  search::Measure measures[4];
  search::Sketch::Place places[4];
  const search::Sketch::Place* four[4];
  for (std::size_t q = 0; q < 4; ++q) {
    measures[q].prepare(plan, store, queries.data() + q * width, weights.data());
    CHECK(sketch.place(measures[q], places[q]));
    four[q] = &places[q];
  }
  std::size_t ruled_out = 0;
  for (std::size_t slot = 0; slot < n; ++slot) {
    double lengths[4];
    for (std::size_t q = 0; q < 4; ++q) lengths[q] = sketch.length(measures[q].cost(slot, base::infinity));
    std::uint64_t near[4][search::panel_words];
    sketch.near(slot / search::panel_rows, four, lengths, near);
    for (std::size_t q = 0; q < 4; ++q) {
      CHECK(near[q][slot % search::panel_rows / 64] >> slot % 64 & 1);
      for (const std::uint64_t word : near[q]) ruled_out += static_cast<std::size_t>(std::popcount(~word));
    }
  }
  if (kind < 2) CHECK(ruled_out > n * 4 * search::panel_rows / 4);  // a bound that rules out nothing would be of no use
}

}  // namespace

const testing::Test registered("test_sketch", [] {
  std::mt19937_64 random(17);
  for (int kind = 0; kind < 6; ++kind)
    for (const std::size_t width : {16, 19, 65}) check_bounds(random, width, kind);
  for (int kind = 0; kind < 5; ++kind) check_searches(random, kind == 4 ? 15 : 18, kind % 4, kind % 2 == 1);
  check_searches(random, 18, 4, false);
  check_searches(random, 18, 0, false, true);
});
