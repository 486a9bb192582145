// The k nearest of a stream of rows are the first k of all rows sorted by cost and id, for many distributions of costs.
#include <algorithm>

#include "check.hpp"
#include "search/nearest.hpp"

using namespace priorcase;

namespace {

std::vector<search::Found> obvious(std::vector<search::Found> rows, std::size_t k, bool ties) {
  std::sort(rows.begin(), rows.end());
  std::size_t end = std::min(k, rows.size());
  while (ties && end < rows.size() && end >= k && rows[end].first == rows[k - 1].first) ++end;
  rows.resize(end);
  return rows;
}

// has_enough() tells whether a guessed limit was too low. If it was not, no row is lost.
void check_guesses(search::Nearest& nearest, const std::vector<search::Found>& rows, std::size_t k, bool ties) {
  const std::vector<search::Found> expected = obvious(rows, k, ties);
  if (expected.size() < k || expected[k - 1].first == base::infinity) return;
  for (double share : {0.0, 0.5, 0.999, 1.0, 1.001, 3.0})
    for (std::size_t before : {std::size_t{0}, rows.size() / 3}) {
      const double guess = share * expected[k - 1].first;
      nearest.start(k, ties);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (i == before && guess < nearest.limit()) nearest.guess(guess);
        nearest.offer(rows[i].first, rows[i].second);
      }
      CHECK(nearest.has_enough() == (guess >= expected[k - 1].first));
      if (!nearest.has_enough()) {
        nearest.start_again(base::infinity);
        for (const auto& [cost, id] : rows) nearest.offer(cost, id);
      }
      CHECK(nearest.take() == expected);
    }
}

// Rows above the limit are rejected, so the limit must never increase or exclude a row that belongs to the result.
void check(const std::vector<search::Found>& rows) {
  search::Nearest nearest;
  for (std::size_t k : {1, 5, 32, 33, 50, 200, 1000})
    for (bool ties : {false, true}) {
      nearest.start(k, ties);
      double limit = base::infinity;
      for (const auto& [cost, id] : rows) {
        nearest.offer(cost, id);
        CHECK(nearest.limit() <= limit);
        limit = nearest.limit();
      }
      CHECK(nearest.take() == obvious(rows, k, ties));
      check_guesses(nearest, rows, k, ties);
    }
}

double uniform(std::mt19937_64& random) { return static_cast<double>(random() % 1000003) / 1000003.0; }

}  // namespace

const testing::Test registered("test_nearest", [] {
  std::mt19937_64 random(3);
  const auto rows = [&](std::size_t n, auto&& cost) {
    std::vector<search::Found> made;
    for (std::size_t i = 0; i < n; ++i) made.push_back({cost(i), static_cast<std::int64_t>(i)});
    std::shuffle(made.begin(), made.end(), random);
    return made;
  };
  for (std::size_t n : {0, 1, 33, 199, 200, 201, 5000}) {
    check(rows(n, [&](std::size_t) { return uniform(random); }));
    check(rows(n, [&](std::size_t) { return static_cast<double>(random() % 7); }));
    check(rows(n, [&](std::size_t) { return 0.0; }));
    check(rows(n, [&](std::size_t) { return base::infinity; }));
    check(rows(n, [&](std::size_t i) { return i % 3 ? base::infinity : uniform(random); }));
    check(rows(n, [&](std::size_t i) { return i % 50 ? 1e-300 * uniform(random) : 1e300; }));
    check(rows(n, [&](std::size_t) { return std::exp(1000.0 * (uniform(random) - 0.5)); }));
    check(rows(n, [&](std::size_t) { return 1.0 + 1e-15 * static_cast<double>(random() % 9); }));
    check(rows(n, [&](std::size_t) { return 5e-324 * static_cast<double>(random() % 5); }));
    std::vector<search::Found> falling = rows(n, [&](std::size_t i) { return static_cast<double>(i / 2); });
    std::sort(falling.rbegin(), falling.rend());
    check(falling);
    std::reverse(falling.begin(), falling.end());
    check(falling);
  }
});
