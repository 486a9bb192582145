// Concept descriptions under all rules: names are conserved, batches and packed copies go on alike, ties are complete.
#include "check.hpp"
#include "concepts/concept.hpp"
#include "concepts/state.hpp"

using namespace priorcase;
using testing::coded;

namespace {

const std::vector<std::uint8_t> ranged{0, 1, 0, 0, 0};

concepts::Concept fresh(const concepts::Rules& rules) { return concepts::Concept(testing::mixed_plan(2.0, false), coded, ranged, rules, 7); }

void check_nearest(const concepts::Concept& description, std::mt19937_64& random) {
  const std::vector<double> queries = testing::mixed_rows(random, 20, true);
  const auto one = description.nearest(queries.data(), 20, -1, 1);
  const auto two = description.nearest(queries.data(), 20, -1, 2);
  CHECK(one == two);
  for (const auto& found : one) {
    CHECK(found.empty() == (description.size() == 0));
    for (const auto& [cost, order] : found) {
      CHECK(cost == found.front().first);
      CHECK(description.records[order].stored);
    }
  }
}

void check_stream(const concepts::Rules& rules, std::size_t n) {
  std::mt19937_64 random(n);
  const std::vector<double> rows = testing::mixed_rows(random, n, false);
  concepts::Concept description = fresh(rules);
  std::unique_ptr<concepts::Concept> copied;
  std::vector<std::int64_t> gone, gone_too;
  for (std::size_t i = 0; i < n; ++i) {
    const double* row = rows.data() + i * coded.size();
    const std::int64_t label = row[1] > 2.0 ? 1 : random() % 3;
    description.learn(static_cast<std::int64_t>(i), row, label, gone);
    description.review();
    if (i + 1 == n / 2) {
      const std::string state = concepts::pack(description);
      copied = concepts::unpack(description, state.data(), state.size());
    }
    if (i + 1 > n / 2) copied->learn(static_cast<std::int64_t>(i), row, label, gone_too), copied->review();
    if (i % 97 == 0) check_nearest(description, random);
  }
  CHECK(gone.size() + description.size() == n);
  CHECK(concepts::pack(description) == concepts::pack(*copied));
  std::sort(gone.begin(), gone.end());
  testing::digest.add(gone);
  CHECK(std::adjacent_find(gone.begin(), gone.end()) == gone.end());
  check_nearest(*copied, random);
  std::vector<std::size_t> orders;
  for (std::size_t order = 0; order < description.records.size(); ++order)
    if (description.records[order].stored && random() % 2) orders.push_back(order);
  description.forget(orders);
  check_nearest(description, random);
}

// A state of which any bytes were changed is refused, or makes a description that can be used.
void check_damage(const concepts::Rules& rules) {
  std::mt19937_64 random(11);
  const std::vector<double> rows = testing::mixed_rows(random, 60, false);
  std::vector<std::int64_t> gone;
  concepts::Concept description = fresh(rules);
  for (std::int64_t i = 0; i < 50; ++i) description.learn(i, rows.data() + i * coded.size(), i % 3, gone);
  const std::string state = concepts::pack(description);
  for (std::size_t trial = 0; trial < 1500; ++trial) {
    std::string damaged = trial % 2 ? state : state.substr(0, random() % state.size());
    for (std::size_t n = random() % 4; n > 0 && !damaged.empty(); --n)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    std::unique_ptr<concepts::Concept> restored;
    try {
      restored = concepts::unpack(description, damaged.data(), damaged.size());
    } catch (const std::invalid_argument&) {
      continue;
    }
    if (restored->arrivals < 1000)
      for (std::int64_t i = 50; i < 60; ++i) restored->learn(i, rows.data() + i * coded.size(), i % 3, gone);
    check_nearest(*restored, random);
  }
}

}  // namespace

const testing::Test registered("test_concept", [] {
  for (concepts::Keep keep : {concepts::Keep::every, concepts::Keep::misclassified, concepts::Keep::significant})
    for (concepts::TieRule ties : {concepts::TieRule::majority, concepts::TieRule::first, concepts::TieRule::random})
      for (std::int64_t window : {0, 150}) {
        concepts::Rules rules{keep, ties, 1.28, 1.15, false, false, 2.0, window, 1.0};
        check_stream(rules, 1500);
        rules.weighted = keep == concepts::Keep::significant;
        rules.known_only = window > 0;
        rules.decay = window > 0 ? 1.0 : 0.95;
        check_stream(rules, 700);
        if (ties == concepts::TieRule::majority) check_damage(rules);
      }
});
