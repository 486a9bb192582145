// Every algorithm, code path and number of threads finds the same rows, also after appends and removals.
#include <map>

#include "base/cpu.hpp"
#include "check.hpp"
#include "search/measure.hpp"
#include "search/index.hpp"

using namespace priorcase;
using testing::coded;

namespace {

using Rows = std::map<std::int64_t, std::vector<double>>;

// The definition: measures and sorts all rows.
std::vector<search::Found> obvious(const search::Plan& plan, const Rows& rows, const double* query,
                                   const double* weights, const search::Request& request, std::size_t q) {
  std::vector<std::uint8_t> wide(coded.size(), 1);
  search::Store store(coded, wide);
  for (const auto& [id, row] : rows) store.append(&id, row.data(), 1);
  search::Measure measure;
  measure.prepare(plan, store, query, weights);
  std::vector<search::Found> all;
  for (std::size_t slot = 0; slot < store.n_slots(); ++slot)
    if (!request.exclude || store.id(slot) != request.exclude[q])
      all.push_back({measure.cost(slot, base::infinity), store.id(slot)});
  std::sort(all.begin(), all.end());
  std::size_t end = 0;
  while (end < all.size() &&
         (request.k ? end < request.k || (request.ties && all[end].first == all[request.k - 1].first)
                    : all[end].first <= request.limits[q]))
    ++end;
  all.resize(end);
  return all;
}

void check_all_ways(search::Index& index, const search::Plan& plan, const Rows& rows, search::Request request) {
  std::vector<std::vector<search::Found>> expected;
  for (std::size_t q = 0; q < request.n_queries; ++q)
    expected.push_back(obvious(plan, rows, request.queries + q * coded.size(),
                               request.weights + (request.weights_per_query ? q * coded.size() : 0), request, q));
  testing::digest.add(expected);
  for (const base::Path path : base::available_paths()) {
    CHECK(base::use_path(base::name_of(path)));
    for (search::Algorithm algorithm : {search::Algorithm::automatic, search::Algorithm::tree, search::Algorithm::scan,
                                        search::Algorithm::plain})
      for (std::size_t threads : {1, 3}) {
        request.algorithm = algorithm;
        request.threads = threads;
        if (index.is_due()) index.organise(plan);
        CHECK(index.search(plan, request) == expected);
      }
  }
}

void run(std::uint64_t seed, double power, bool skip, std::size_t n) {
  std::mt19937_64 random(seed);
  const search::Plan plan = testing::mixed_plan(power, skip);
  const std::size_t n_queries = 9;
  const std::vector<double> queries = testing::mixed_rows(random, n_queries, true);
  std::vector<double> weights(n_queries * coded.size());
  for (double& weight : weights) weight = static_cast<double>(random() % 4) / 2;
  std::vector<std::int64_t> exclude(n_queries);
  std::vector<double> limits(n_queries);
  search::Index index(coded);
  Rows rows;
  std::int64_t next = 7;
  for (int round = 0; round < 4; ++round) {
    const std::size_t more = round == 0 ? n : n / 5 + 1;
    const std::vector<double> added = testing::mixed_rows(random, more, false);
    std::vector<std::int64_t> ids;
    for (std::size_t i = 0; i < more; ++i) {
      ids.push_back(next++);
      rows[ids.back()] = {added.begin() + i * coded.size(), added.begin() + (i + 1) * coded.size()};
    }
    index.append(ids.data(), added.data(), more);
    for (auto it = rows.begin(); it != rows.end();)
      if (random() % 4 == 0) {
        index.remove(it->first);
        it = rows.erase(it);
      } else {
        ++it;
      }
    CHECK(index.n_rows() == rows.size());
    for (std::size_t q = 0; q < n_queries; ++q) {
      exclude[q] = q % 2 || rows.empty() ? -1 : rows.begin()->first;
      limits[q] = static_cast<double>(q) / 2;
    }
    search::Request request;
    request.queries = queries.data();
    request.n_queries = n_queries;
    request.weights = weights.data();
    request.weights_per_query = round % 2 == 0;
    request.exclude = exclude.data();
    request.limits = limits.data();
    for (std::size_t k : {0, 1, 10, 2000})
      for (bool ties : {false, true}) {
        request.k = k;
        request.ties = ties;
        check_all_ways(index, plan, rows, request);
      }
  }
}

}  // namespace

const testing::Test registered("test_search", [] {
  std::uint64_t seed = 1;
  for (double power : {1.0, 2.0, 3.0, 2.5})
    for (bool skip : {false, true})
      for (std::size_t n : {1, 40, 300, 1500}) run(++seed, power, skip, n);
});
