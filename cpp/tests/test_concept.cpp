// Concept descriptions under all rules: no name is lost, batches and unpacked copies learn like single rows, and all
// ties are found.
#include <chrono>
#include <stdexcept>
#include <string>

#include "base/threads.hpp"
#include "check.hpp"
#include "concepts/concept.hpp"
#include "concepts/state.hpp"

using namespace priorcase;
using testing::coded;

namespace {

const std::vector<std::uint8_t> ranged{0, 1, 0, 0, 0};

concepts::Concept fresh(const concepts::Rules& rules) {
  return concepts::Concept(testing::mixed_plan(2.0, false), coded, ranged, rules, 7);
}

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

// Several descriptions learn a batch as each would learn the rows one by one. A batch that fails changes none of them.
void check_batches(const concepts::Rules& rules, std::size_t threads) {
  constexpr std::size_t n = 1300, first = 200, several = 3;
  std::mt19937_64 random(5);
  const std::vector<double> rows = testing::mixed_rows(random, n, false);
  std::vector<std::int64_t> names(n), labels[several];
  for (std::size_t i = 0; i < n; ++i) {
    names[i] = static_cast<std::int64_t>(i);
    for (std::size_t d = 0; d < several; ++d) labels[d].push_back(static_cast<std::int64_t>(random() % (d + 2)));
  }
  concepts::Description descriptions[several];
  std::vector<concepts::Description*> all;
  std::vector<const std::int64_t*> labels_of_first, labels_of_others;
  for (std::size_t d = 0; d < several; ++d) {
    descriptions[d].core = std::make_unique<concepts::Concept>(fresh(rules));
    all.push_back(&descriptions[d]);
    labels_of_first.push_back(labels[d].data());
    labels_of_others.push_back(labels[d].data() + first);
  }
  const concepts::Batch some{names.data(), rows.data(), first, true};
  const concepts::Batch others{names.data() + first, rows.data() + first * coded.size(), n - first, true};
  const auto learned = concepts::learn(all, some, labels_of_first, threads, nullptr);
  std::vector<std::string> before;
  for (const auto* description : all) before.push_back(concepts::pack(*description->core));
  bool failed = false;
  try {
    concepts::learn(all, others, labels_of_others, threads, [](std::size_t done) {
      if (done >= 1024) throw std::runtime_error("enough");
    });
  } catch (const std::runtime_error&) {
    failed = true;
  }
  CHECK(failed);
  for (std::size_t d = 0; d < several; ++d) {
    CHECK(!descriptions[d].incomplete);
    CHECK(concepts::pack(*descriptions[d].core) == before[d]);
  }
  const auto more = concepts::learn(all, others, labels_of_others, threads, nullptr);
  for (std::size_t d = 0; d < several; ++d) {
    concepts::Concept alone = fresh(rules);
    std::vector<std::int64_t> gone;
    for (std::size_t i = 0; i < n; ++i) {
      alone.learn(names[i], rows.data() + i * coded.size(), labels[d][i], gone);
      const auto [now, newly] = alone.review();
      const concepts::Learned& trace = i < first ? learned[d] : more[d];
      const std::size_t at = i < first ? i : i - first;
      CHECK(trace.acceptable[at] == now && trace.accepted[at] == newly);
      CHECK(trace.stored[at] == static_cast<std::int64_t>(alone.size()));
    }
    CHECK(concepts::pack(alone) == concepts::pack(*descriptions[d].core));
    CHECK(learned[d].gone.size() + more[d].gone.size() == gone.size());
  }
  if (rules.window > 0) return;
  const std::int64_t missing[] = {-5};  // no description stores it
  try {
    concepts::forget(all, missing, 1);
    CHECK(false);
  } catch (const std::invalid_argument&) {
  }
  if (rules.keep != concepts::Keep::every) return;
  concepts::forget(all, names.data() + 10, 700);
  for (const auto* description : all) {
    CHECK(description->core->size() == n - 700 && description->core->arrivals == static_cast<std::int64_t>(n - 700));
    check_nearest(*description->core, random);
  }
}

// An interrupted batch changes nothing. A batch of one row is not interrupted.
bool interrupt = false;

void check_interrupted() {
  const concepts::Rules rules;
  const std::size_t n = 2000;
  std::mt19937_64 random(6);
  const std::vector<double> rows = testing::mixed_rows(random, n, false);
  std::vector<std::int64_t> names(n), labels(n, 1);
  concepts::Description description;
  description.core = std::make_unique<concepts::Concept>(fresh(rules));
  const concepts::Batch batch{names.data(), rows.data(), n, false}, one{names.data(), rows.data(), 1, false};
  concepts::learn({&description}, batch, {labels.data()}, 1, nullptr);
  const std::string before = concepts::pack(*description.core);
  base::set_interrupt_check([] { return interrupt; });
  const auto wait = [](std::size_t) {  // until the next check for an interrupt is due
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(60)) {
    }
    interrupt = true;
  };
  bool interrupted = false;
  try {
    concepts::learn({&description}, batch, {labels.data()}, 1, wait);
  } catch (const base::Interrupted&) {
    interrupted = true;
  }
  CHECK(interrupted);
  CHECK(concepts::pack(*description.core) == before);
  wait(0);
  concepts::learn({&description}, one, {labels.data()}, 1, nullptr);
  interrupt = false;
  base::set_interrupt_check(nullptr);
  CHECK(description.core->size() == n + 1);
}

// A damaged state is refused, or gives a description that can be used.
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
        if (ties != concepts::TieRule::majority) continue;
        check_damage(rules);
        for (std::size_t threads : {1, 3}) check_batches(rules, threads);
      }
  check_interrupted();
});
