// Voters in a stream equal those from a new index of the earlier rows. A failed call changes nothing. Elections and
// means of small examples.
#include "votes/prequential.hpp"

#include "check.hpp"
#include "votes/votes.hpp"

using namespace priorcase;
using testing::gap;

namespace {

const std::vector<std::uint8_t> kinds{0, 0, 1};  // two numbers, the first scaled by its range, and a symbol

search::Plan plan_with(double low, double high) {
  search::Plan plan(kinds.size(), 2.0, false, false, base::infinity);
  plan.set(0, {search::Linear{}});
  plan.set(1, {search::Linear{}});
  plan.set(2, {search::Overlap{}});
  plan.set_range(0, low, high);
  return plan;
}

search::Ranges no_ranges() { return {{1, 0, 0}, {gap, gap, gap}, {gap, gap, gap}}; }

std::vector<double> stream(std::mt19937_64& random, std::size_t n) {
  std::vector<double> rows;
  double walk = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    walk += static_cast<double>(random() % 7) - 3.0;  // a random walk, so that the range is widened many times
    const double row[] = {walk, static_cast<double>(random() % 4), static_cast<double>(random() % 80)};
    for (const double value : row) rows.push_back(random() % 15 == 0 ? gap : value);
  }
  return rows;
}

// Returns the k nearest of the first n rows to row n, with the range of the first n rows.
std::vector<search::Found> obvious(const std::vector<double>& rows, std::size_t n, std::size_t k) {
  double low = gap, high = gap;
  search::Index index(kinds);
  for (std::int64_t id = 0; id < static_cast<std::int64_t>(n); ++id) {
    index.append(&id, rows.data() + id * 3, 1);
    low = std::fmin(low, rows[id * 3]);
    high = std::fmax(high, rows[id * 3]);
  }
  const search::Plan plan = std::isnan(low) ? plan_with(0.0, 0.0) : plan_with(low, high);
  const std::vector<double> ones(3, 1.0);
  search::Request request;
  request.queries = rows.data() + n * 3;
  request.n_queries = 1;
  request.weights = ones.data();
  request.k = k;
  request.ties = true;
  request.algorithm = search::Algorithm::plain;
  search::Seeker seeker;
  return index.find(plan, seeker, request);
}

void streams() {
  std::mt19937_64 random(1);
  for (const std::size_t k : {std::size_t{0}, std::size_t{3}}) {
    const std::size_t n = 900;
    const std::vector<double> rows = stream(random, n);
    const votes::PollRules rules{k, true, votes::VoteRule::inverse_square, base::Root(2.0, true),
                                 search::Algorithm::automatic};
    votes::Prequential prequential(plan_with(0.0, 0.0), no_ranges(), {1.0, 1.0, 1.0}, rules);
    search::Index index(kinds);
    for (std::size_t i = 0; i < n; ++i) {
      const double* row = rows.data() + i * 3;
      const std::size_t voters = k ? k : static_cast<std::size_t>(std::sqrt(static_cast<double>(i)));
      const votes::Poll* poll = prequential.ask(index, row);
      CHECK((poll == nullptr) == (i < std::max<std::size_t>(voters, 1)));
      if (poll && i % 17 == 0) {
        const std::vector<search::Found> expected = obvious(rows, i, voters);
        CHECK(poll->ids.size() == expected.size());
        for (std::size_t j = 0; j < expected.size(); ++j) {
          CHECK(poll->ids[j] == expected[j].second && poll->distances[j] == std::sqrt(expected[j].first));
          testing::digest.add(poll->votes[j]);
          CHECK(poll->votes[j] <= 1.0 && (poll->votes[j] == 1.0) == (poll->distances[j] == poll->distances[0]));
        }
      }
      if (poll) CHECK(prequential.too_far(index, row) == -1);
      prequential.store(index, static_cast<std::int64_t>(i), row);
    }
  }
}

// A call that fails in the middle leaves stream, index and weights as they were, and its rows may be passed again.
void failed_calls() {
  std::mt19937_64 random(3);
  const std::size_t n = 600, first = 100;
  const std::vector<double> rows = stream(random, n);
  std::vector<std::int64_t> ids(n), codes(n);
  for (std::size_t i = 0; i < n; ++i) {
    ids[i] = static_cast<std::int64_t>(i);
    codes[i] = static_cast<std::int64_t>(random() % 3);
  }
  const votes::PollRules rules{3, true, votes::VoteRule::uniform, base::Root(2.0, true), search::Algorithm::automatic};
  votes::Prequential once(plan_with(0.0, 0.0), no_ranges(), {1.0, 1.0, 1.0}, rules);
  votes::Prequential again(plan_with(0.0, 0.0), no_ranges(), {1.0, 1.0, 1.0}, rules);
  search::Index index(kinds), index_again(kinds);
  const std::int64_t starts[] = {0, 3};
  std::vector<double> weights(3, 0.0), weights_again(3, 0.0);
  const auto known = [&](std::vector<double>& w) {
    return votes::KnownClasses{codes.data(), 1, starts, w.data(), votes::VoteTies::majority};
  };
  const auto arrivals = [&](std::size_t from, std::size_t to) {
    return votes::Arrivals{rows.data() + from * 3, ids.data() + from, to - from, ids.data(), n};
  };
  std::vector<std::int64_t> found, found_again;
  votes::classify(again, index_again, arrivals(0, first), known(weights_again), found_again);
  const std::vector<double> before = weights_again;
  codes[400] = 3;  // no such class
  try {
    votes::classify(again, index_again, arrivals(first, n), known(weights_again), found_again);
    CHECK(false);
  } catch (const std::out_of_range&) {
  }
  CHECK(index_again.n_rows() == first && weights_again == before && !index_again.has(first));
  codes[400] = 2;
  votes::classify(again, index_again, arrivals(first, n), known(weights_again), found_again);
  votes::classify(once, index, arrivals(0, n), known(weights), found);
  CHECK(std::equal(found_again.begin(), found_again.end(), found.begin() + first));
  CHECK(weights == weights_again && index_again.n_rows() == n);
  CHECK(once.ranges().low[0] == again.ranges().low[0] && once.ranges().high[0] == again.ranges().high[0]);
}

void rows_too_far() {
  search::Plan plan(2, 2.0, true, false, base::infinity);
  plan.set(0, {search::Linear{}});
  plan.set(1, {search::Linear{}});
  const votes::PollRules rules{1, true, votes::VoteRule::uniform, base::Root(2.0, true), search::Algorithm::automatic};
  votes::Prequential prequential(std::move(plan), {{0, 0}, {gap, gap}, {gap, gap}}, {1.0, 1.0}, rules);
  search::Index index(std::vector<std::uint8_t>{0, 0});
  const double first[] = {1e200, gap}, far[] = {-1e200, gap}, unlike[] = {gap, 1.0};
  CHECK(prequential.ask(index, first) == nullptr);
  prequential.store(index, 5, first);
  CHECK(prequential.ask(index, far) != nullptr && prequential.too_far(index, far) == 5);
  CHECK(prequential.ask(index, unlike) != nullptr && prequential.too_far(index, unlike) == -1);
}

std::int64_t winner(votes::VoteTies ties, const std::vector<std::int64_t>& classes, const std::vector<double>& votes,
                    const double* class_weights) {
  const std::vector<double> distances{0.3, 0.1, 0.2, 0.4};
  votes::Election election(ties, class_weights, 3);
  const votes::Electorate voters{classes.data(), votes.data(), distances.data(), classes.size()};
  const std::int64_t once = election.winner(voters);
  CHECK(election.winner(voters) == once);  // no state is left from the first election
  return once < 0 && ties == votes::VoteTies::reduce ? election.reduced(voters) : once;
}

void elections() {
  const double rows[] = {1.0, 4.0, 4.0};
  const std::vector<double> ones(4, 1.0);
  CHECK(winner(votes::VoteTies::first, {2, 1, 1, 0}, ones, nullptr) == 1);
  CHECK(winner(votes::VoteTies::first, {2, 1, 2, 1}, ones, nullptr) == 1);
  CHECK(winner(votes::VoteTies::majority, {2, 0, 2, 0}, ones, rows) == 2);
  CHECK(winner(votes::VoteTies::majority, {2, 1, 2, 1}, ones, rows) == 1);
  CHECK(winner(votes::VoteTies::majority, {2, 1, 2, 1}, ones, nullptr) == -1);
  CHECK(winner(votes::VoteTies::nearest, {0, 2, 0, 2}, ones, nullptr) == 2);
  CHECK(winner(votes::VoteTies::reduce, {1, 0, 1, 0}, ones, nullptr) == 1);
  CHECK(winner(votes::VoteTies::reduce, {2, 0}, {1.0, 1.0}, nullptr) == 2);
  CHECK(winner(votes::VoteTies::first, {0, 1, 2, 1}, {1.0, 0.25, 0.5, 0.25}, nullptr) == 0);
}

void means() {
  const double thirds[] = {0.1, 0.1, 0.1}, ones[] = {1.0, 1.0, 1.0}, large[] = {1.7e308, 1.7e308, 1.6e308};
  CHECK(votes::weighted_mean(thirds, ones, 3) == 0.1);
  const double mean = votes::weighted_mean(large, ones, 3);
  CHECK(mean > 1.6e308 && mean < 1.7e308);
  const double numbers[] = {10.0, 20.0}, votes[] = {3.0, 1.0};
  CHECK(votes::weighted_mean(numbers, votes, 2) == 12.5);
}

}  // namespace

const testing::Test registered("test_prequential", [] {
  streams();
  failed_calls();
  rows_too_far();
  elections();
  means();
});
