// Several threads search, append and remove at the same time, with the same locks as Python threads.
#include <algorithm>
#include <atomic>
#include <thread>

#include "bindings/shared_index.hpp"
#include "check.hpp"

using namespace priorcase;
using bindings::SharedIndex;
using testing::coded;

namespace {

constexpr std::size_t n_start = 3000, n_batches = 30, batch = 60;

std::vector<std::vector<search::Found>> found_by(SharedIndex& shared, const search::Plan& plan,
                                                 const std::vector<double>& queries, std::size_t threads) {
  const std::vector<double> weights(coded.size(), 1.0);
  search::Request request;
  request.queries = queries.data();
  request.n_queries = queries.size() / coded.size();
  request.weights = weights.data();
  request.k = 7;
  request.threads = threads;
  shared.organise_if_due(plan, 2);
  const std::shared_lock hold(shared.lock);
  shared.require_cover(plan, request.queries, request.n_queries);
  return shared.index.search(plan, request);
}

void append(SharedIndex& shared, const std::vector<double>& rows, std::size_t from, std::size_t to,
            std::size_t threads = 1) {
  std::vector<std::int64_t> ids;
  for (std::size_t i = from; i < to; ++i) ids.push_back(static_cast<std::int64_t>(i));
  shared.append(ids.data(), rows.data() + from * coded.size(), ids.size(), threads);
}

// Appending rows with several threads gives the same index as with one thread.
void check_appending(std::mt19937_64& random, const search::Plan& plan) {
  const std::size_t n = 20'000;
  const std::vector<double> rows = testing::mixed_rows(random, n, false);
  const std::vector<double> queries = testing::mixed_rows(random, 5, true);
  SharedIndex one(coded), other(coded);
  append(one, rows, 0, n);
  append(other, rows, 0, n, 4);
  CHECK(found_by(one, plan, queries, 1) == found_by(other, plan, queries, 1));
}

}  // namespace

const testing::Test registered("test_concurrent", [] {
  std::mt19937_64 random(3);
  const search::Plan plan = testing::mixed_plan(2.0, false);
  const std::size_t n = n_start + n_batches * batch;
  const std::vector<double> rows = testing::mixed_rows(random, n, false);
  const std::vector<double> queries = testing::mixed_rows(random, 40, true);
  SharedIndex shared(coded);
  append(shared, rows, 0, n_start);
  std::atomic<bool> done{false};
  std::atomic<std::size_t> searches{0};
  std::vector<std::thread> searching;
  for (std::size_t threads : {1, 2})
    searching.emplace_back([&, threads] {
      do {
        for (const auto& found : found_by(shared, plan, queries, threads)) {
          CHECK(found.size() == 7 && std::is_sorted(found.begin(), found.end()));
          for (const auto& [cost, id] : found) CHECK(cost >= 0.0 && id >= 0 && id < static_cast<std::int64_t>(n));
        }
        ++searches;
      } while (!done);
    });
  std::thread changing([&] {
    for (std::size_t b = 0; b < n_batches; ++b) {
      append(shared, rows, n_start + b * batch, n_start + (b + 1) * batch);
      for (std::size_t i = b * batch; i < (b + 1) * batch; ++i) {
        const std::int64_t id = static_cast<std::int64_t>(i);
        shared.remove(&id, 1);
      }
      while (searches < b / 3) std::this_thread::yield();
    }
  });
  changing.join();
  done = true;
  for (std::thread& thread : searching) thread.join();

  SharedIndex fresh(coded);
  append(fresh, rows, n_batches * batch, n);
  const auto expected = found_by(fresh, plan, queries, 1);
  CHECK(found_by(shared, plan, queries, 3) == expected);
  testing::digest.add(expected);
  check_appending(random, plan);
});
