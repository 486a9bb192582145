// Reductions equal their definitions, on rows with ties and missing values, for any number of threads.
#include <algorithm>
#include <set>

#include "check.hpp"
#include "search/measure.hpp"
#include "reduction/case_filter.hpp"
#include "reduction/condensing.hpp"
#include "reduction/drop.hpp"

using namespace priorcase;
using testing::coded;

namespace {

using Members = std::vector<std::size_t>;

struct Case {
  Case(std::uint64_t seed, std::size_t n, double power, bool skip)
      : random(seed), plan(testing::mixed_plan(power, skip)), cells(testing::mixed_rows(random, n, false)),
        weights(coded.size(), 1.0), rows(plan, coded, cells, weights) {
    // Most labels depend on column 1, so that many rows can be removed; the others are random.
    for (std::size_t i = 0; i < n; ++i) {
      const double x = cells[i * coded.size() + 1];
      labels.push_back(random() % 5 == 0 || !(x == x) ? static_cast<std::int64_t>(random() % 3) : x > 1.0 ? 2 : 0);
      targets.push_back((x == x ? x : 1.0) + 0.1 * static_cast<double>(random() % 10));
    }
    measure();
  }

  void measure() {
    const std::vector<std::uint8_t> wide(coded.size(), 1);
    search::Store store(coded, wide);
    for (std::size_t i = 0; i < rows.n; ++i) {
      const auto id = static_cast<std::int64_t>(i);
      store.append(&id, rows.row(i), 1);
    }
    costs.resize(rows.n);
    search::Measure measure;
    for (std::size_t i = 0; i < rows.n; ++i) {
      measure.prepare(plan, store, rows.row(i), weights.data());
      for (std::size_t j = 0; j < rows.n; ++j) costs[i].push_back(measure.cost(j, base::infinity));
    }
  }

  std::vector<votes::Row> nearest(std::size_t i, const Members& members, std::size_t k, bool itself) const {
    std::vector<search::Found> all;
    for (const std::size_t j : members)
      if (itself || j != i) all.push_back({costs[i][j], static_cast<std::int64_t>(j)});
    std::partial_sort(all.begin(), all.begin() + std::min(k, all.size()), all.end());
    std::vector<votes::Row> found;
    for (std::size_t r = 0; r < std::min(k, all.size()); ++r) found.push_back(static_cast<votes::Row>(all[r].second));
    return found;
  }

  std::mt19937_64 random;
  search::Plan plan;
  std::vector<double> cells, weights;
  search::Rows rows;
  std::vector<std::int64_t> labels;
  std::vector<double> targets;
  std::vector<std::vector<double>> costs;
};

Members members_of(const std::vector<std::uint8_t>& held) {
  Members members;
  for (std::size_t i = 0; i < held.size(); ++i)
    if (held[i]) members.push_back(i);
  return members;
}

void check_condensing(const Case& c) {
  Members members;
  std::set<std::int64_t> seen;
  for (std::size_t i = 0; i < c.rows.n; ++i)
    if (seen.insert(c.labels[i]).second) members.push_back(i);
  const auto wrong = [&](std::size_t i) { return c.labels[c.nearest(i, members, 1, true)[0]] != c.labels[i]; };
  for (std::size_t before = 0; before != members.size();) {
    before = members.size();
    for (std::size_t i = 0; i < c.rows.n; ++i)
      if (std::find(members.begin(), members.end(), i) == members.end() && wrong(i)) members.push_back(i);
  }
  std::sort(members.begin(), members.end());
  std::vector<std::uint8_t> held;
  for (const std::size_t threads : {1, 3}) {
    reduction::Condensed condensed(c.rows, c.labels);
    const std::size_t half = c.rows.n / 2;
    while (condensed.take_in(0, half, threads) + condensed.take_in(half, c.rows.n, threads) > 0) continue;
    held = condensed.held();
    CHECK(members_of(held) == members);
  }

  reduction::Reduced reduced(c.rows, c.labels, held);
  reduced.fill(0, c.rows.n / 2, 1);
  reduced.fill(c.rows.n / 2, c.rows.n, 3);
  reduced.consider(0, c.rows.n);
  for (const std::size_t p : Members(members)) {
    Members others;
    for (const std::size_t j : members)
      if (j != p) others.push_back(j);
    bool needed = false;
    for (std::size_t i = 0; i < c.rows.n; ++i) {
      const bool right = c.labels[c.nearest(i, members, 1, true)[0]] == c.labels[i];
      needed |= right && (others.empty() || c.labels[c.nearest(i, others, 1, true)[0]] != c.labels[i]);
    }
    if (!needed) members = others;
  }
  CHECK(members_of(reduced.held()) == members);
}

void check_dropping(const Case& c, const votes::Ballot& ballot, std::size_t k, bool stay_on, bool noise_only) {
  Members all, members, order;
  for (std::size_t i = 0; i < c.rows.n; ++i) all.push_back(i);
  members = all;
  std::vector<double> far(c.rows.n, base::infinity);
  for (std::size_t i = 0; i < c.rows.n; ++i) {
    const std::vector<votes::Row> voters = c.nearest(i, all, k, false);
    const double limit = ballot.enemy_limit(voters.data(), voters.size());
    for (std::size_t j = 0; j < c.rows.n; ++j)
      if (j != i && ballot.are_enemies(i, j, limit)) far[i] = std::min(far[i], c.costs[i][j]);
  }
  order = all;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return far[i] > far[j]; });

  reduction::Drop drop(c.rows, ballot, k, stay_on);
  drop.fill(0, c.rows.n / 3, 1);
  drop.fill(c.rows.n / 3, c.rows.n, 2);
  const std::vector<std::int64_t> ids(order.begin(), order.end());
  for (const std::size_t threads : {1, 3}) {
    const std::vector<double> found = drop.enemy_costs(ids, threads);
    for (std::size_t i = 0; i < ids.size(); ++i) CHECK(found[i] == far[order[i]]);
  }
  drop.consider(ids, noise_only);

  for (const std::size_t p : order) {
    const std::vector<votes::Row> own = c.nearest(p, members, k, false);
    if (noise_only && ballot.loss(p, own.data(), own.size()) == 0.0) continue;
    Members others;
    for (const std::size_t j : members)
      if (j != p) others.push_back(j);
    double with = 0.0, without = 0.0;
    for (const std::size_t a : stay_on ? all : members) {
      const std::vector<votes::Row> voters = c.nearest(a, members, k, false), left = c.nearest(a, others, k, false);
      if (a == p || std::find(voters.begin(), voters.end(), p) == voters.end()) continue;
      with += ballot.loss(a, voters.data(), voters.size());
      without += ballot.loss(a, left.data(), left.size());
    }
    if (!others.empty() && without <= with) members = others;
  }
  CHECK(members_of(drop.held()) == members);
  testing::digest.add(members);
}

void check_filtering(const Case& c, std::size_t threads) {
  reduction::CaseFilter filter(c.rows, c.labels);
  Members members;
  for (std::size_t i = 0; i < c.rows.n; ++i) members.push_back(i);
  for (std::size_t gone = 1; gone > 0;) {
    std::vector<std::size_t> reachable(c.rows.n, 0), coverage(c.rows.n, 0);
    for (const std::size_t i : members) {
      double far = base::infinity;
      for (const std::size_t j : members)
        if (c.labels[i] != c.labels[j]) far = std::min(far, c.costs[i][j]);
      for (const std::size_t j : members)
        if (i != j && c.labels[i] == c.labels[j] && c.costs[i][j] < far) {
          ++reachable[i];
          ++coverage[j];
        }
    }
    Members left;
    for (const std::size_t i : members)
      if (reachable[i] <= coverage[i]) left.push_back(i);
    const std::vector<std::int64_t> ids(members.begin(), members.end());
    const auto half = ids.begin() + ids.size() / 2;
    filter.count({ids.begin(), half}, threads);
    filter.count({half, ids.end()}, threads);
    gone = filter.filter();
    CHECK(gone == members.size() - left.size());
    members = left;
    CHECK(members_of(filter.held()) == members);
  }
}

// Lists stay correct while so many rows are removed that the index is rebuilt.
void check_lists() {
  const Case c(99, 900, 2.0, false);
  search::Subset subset(c.rows, std::vector<std::uint8_t>(c.rows.n, 1));
  reduction::NeighborLists lists(subset, c.rows, 4, false);
  lists.fill(0, c.rows.n, 2);
  Members left;
  for (std::size_t i = 0; i < c.rows.n; ++i) {
    if (i % 7 == 3)
      left.push_back(i);
    else
      lists.remove(i);
  }
  std::vector<std::set<votes::Row>> associates(c.rows.n);
  for (std::size_t i = 0; i < c.rows.n; ++i) {
    const std::vector<votes::Row> expected = c.nearest(i, left, 4, false);
    CHECK(std::vector<votes::Row>(lists.list(i), lists.list(i) + lists.length(i)) == expected);
    for (const votes::Row j : expected) associates[j].insert(static_cast<votes::Row>(i));
  }
  for (const std::size_t i : left) {
    const std::vector<votes::Row>& found = lists.associates(i);
    CHECK(std::equal(found.begin(), found.end(), associates[i].begin(), associates[i].end()));
  }
}

// After a failed change, lists and rows are as they were before.
void check_undo() {
  const Case c(98, 400, 2.0, false);
  search::Subset subset(c.rows, std::vector<std::uint8_t>(c.rows.n, 1));
  reduction::NeighborLists lists(subset, c.rows, 4, false);
  lists.fill(0, c.rows.n, 1);
  Members left;
  const auto check = [&] {
    for (std::size_t i = 0; i < c.rows.n; ++i) {
      const auto expected = subset.has(i) ? c.nearest(i, left, 4, false) : std::vector<votes::Row>();
      CHECK(std::vector<votes::Row>(lists.list(i), lists.list(i) + lists.length(i)) == expected);
    }
  };
  const auto leave = [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      lists.remove(i);
      lists.retire(i);
    }
  };
  lists.change([&] { leave(0, 100); });
  for (std::size_t i = 100; i < c.rows.n; ++i) left.push_back(i);
  check();
  bool failed = false;
  try {
    lists.change([&] {
      leave(100, 390);
      throw base::Interrupted();
    });
  } catch (const base::Interrupted&) {
    failed = true;
  }
  CHECK(failed);
  CHECK(members_of(subset.held()) == left);
  lists.prepare();
  check();
  lists.change([&] { leave(100, 200); });
  left.erase(left.begin(), left.begin() + 100);
  check();
}

}  // namespace

const testing::Test registered("test_reduction", [] {
  check_lists();
  check_undo();
  std::uint64_t seed = 0;
  for (const std::size_t n : {2, 3, 9, 40, 280})  // the last one is large enough for a tree
    for (const bool skip : {false, true}) {
      Case c(++seed, n, skip ? 1.0 : 2.0, skip);
      // Two classes are so large that the rows of the other class get an index of their own.
      if (n > 40)
        for (std::int64_t& label : c.labels) label = std::min<std::int64_t>(label, 1);
      check_condensing(c);
      check_filtering(c, 1);
      check_filtering(c, 3);
      if (n > 40 && skip) continue;
      const votes::Majority first(c.labels.data(), false), nearest(c.labels.data(), true);
      const votes::Mean mean(c.targets.data(), 1.0);
      for (const std::size_t k : {1, 3}) {
        check_dropping(c, first, k, true, false);
        if (n > 40) continue;
        check_dropping(c, nearest, k, true, false);
        check_dropping(c, first, k, false, false);
        check_dropping(c, first, k, true, true);
        check_dropping(c, mean, k, true, false);
      }
    }
});
