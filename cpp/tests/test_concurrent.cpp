// Several threads search, append and remove rows of one index at the same time, as Python threads do. Each finds exactly
// the rows of its own version.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <optional>
#include <thread>

#include "bindings/shared_index.hpp"
#include "check.hpp"

using namespace priorcase;
using bindings::Snapshot;
using bindings::View;
using testing::coded;

namespace {

using Lists = std::vector<std::vector<search::Found>>;
using Held = std::vector<std::int64_t>;

constexpr std::size_t n_start = 3000, n_batches = 30, batch = 60;

Lists found_by(const Snapshot& rows, const search::Plan& plan, const std::vector<double>& queries, std::size_t threads,
               search::Algorithm algorithm = search::Algorithm::automatic, const search::Judge* judge = nullptr) {
  const std::vector<double> weights(coded.size(), 1.0);
  search::Request request;
  request.queries = queries.data();
  request.n_queries = queries.size() / coded.size();
  request.weights = weights.data();
  request.k = 7;
  request.ties = true;
  request.threads = threads;
  request.algorithm = algorithm;
  request.judge = judge;
  request.version = rows.version().number;
  request.gate = &rows.shared().gate;
  rows.prepare(plan, request.queries, request.n_queries, threads);
  return rows.shared().index.search(plan, request);
}

Held range(std::size_t from, std::size_t to) {
  Held ids(to - from);
  std::iota(ids.begin(), ids.end(), static_cast<std::int64_t>(from));
  return ids;
}

void append(View& view, const std::vector<double>& rows, std::size_t from, std::size_t to, std::size_t threads = 1) {
  const Held ids = range(from, to);
  view.advance([&](const Snapshot& before) {
    return before.appended(ids.data(), rows.data() + from * coded.size(), ids.size(), threads);
  });
}

void remove(View& view, const Held& ids) {
  view.advance([&](const Snapshot& before) { return before.removed(ids.data(), ids.size()); });
}

// An index of some rows that knows only one version.
Snapshot fresh(const std::vector<double>& rows, const Held& ids) {
  View view(coded);
  view.advance([&](const Snapshot& before) {
    std::vector<double> cells;
    for (const std::int64_t id : ids) {
      const double* const row = rows.data() + static_cast<std::size_t>(id) * coded.size();
      cells.insert(cells.end(), row, row + coded.size());
    }
    return before.appended(ids.data(), cells.data(), ids.size());
  });
  return view.now();
}

// Appending rows with several threads gives the same index as with one thread.
void check_appending(std::mt19937_64& random, const search::Plan& plan) {
  const std::size_t n = 20'000;
  const std::vector<double> rows = testing::mixed_rows(random, n, false);
  const std::vector<double> queries = testing::mixed_rows(random, 5, true);
  View one(coded), other(coded);
  append(one, rows, 0, n);
  append(other, rows, 0, n, 4);
  CHECK(found_by(one.now(), plan, queries, 1) == found_by(other.now(), plan, queries, 1));
}

struct OddOnly : search::Judge {
  double operator()(std::int64_t id, double cost) const override { return id % 2 == 1 ? cost : -1.0; }
};

// A version that someone holds, and its rows.
struct Kept {
  Snapshot snapshot;
  Held ids;
};

// Random changes of several forks, of which some are dropped: every version that is held has the neighbors that a new
// index of its rows has, in every algorithm.
void check_versions(std::mt19937_64& random, const search::Plan& plan) {
  constexpr std::size_t n = 12'000;
  const std::vector<double> rows = testing::mixed_rows(random, n, false);
  const std::vector<double> queries = testing::mixed_rows(random, 40, true);
  const OddOnly odd;
  View start(coded);
  append(start, rows, 0, 2'000);
  std::vector<std::optional<Kept>> kept;
  kept.push_back(Kept{start.now(), range(0, 2'000)});
  std::size_t next = 2'000, n_checked = 0;
  for (std::size_t step = 0; step < 60; ++step) {
    const Kept& base = *kept[random() % 3 == 0 ? random() % kept.size() : kept.size() - 1];
    Held ids = base.ids;
    std::optional<Snapshot> made;
    if (random() % 2 == 0) {
      const std::size_t count = random() % 4 == 0 ? 700 : 1 + random() % 30;
      if (next + count > n) break;
      const Held more = range(next, next + count);
      made.emplace(base.snapshot.appended(more.data(), rows.data() + next * coded.size(), count));
      ids.insert(ids.end(), more.begin(), more.end());
      next += count;
    } else {
      Held gone;
      for (const std::int64_t id : ids)
        if (random() % (random() % 4 == 0 ? 3 : 50) == 0) gone.push_back(id);
      made.emplace(base.snapshot.removed(gone.data(), gone.size()));
      Held left;
      std::set_difference(ids.begin(), ids.end(), gone.begin(), gone.end(), std::back_inserter(left));
      ids = std::move(left);
    }
    if (random() % 3 == 0) continue;  // a draft that is dropped
    CHECK(made->version().n_rows == ids.size());
    std::vector<std::optional<Kept>> others;
    for (std::optional<Kept>& one : kept)
      if (random() % 3 != 0) others.push_back(std::move(one));
    others.push_back(Kept{*made, std::move(ids)});
    kept.clear();
    for (std::optional<Kept>& one : others) kept.emplace_back(std::move(one));
    if (step % 4 != 0) continue;
    for (const std::optional<Kept>& one : kept) {
      const Snapshot expected = fresh(rows, one->ids);
      for (const auto algorithm : {search::Algorithm::automatic, search::Algorithm::tree, search::Algorithm::scan,
                                   search::Algorithm::plain}) {
        CHECK(found_by(one->snapshot, plan, queries, 1, algorithm) == found_by(expected, plan, queries, 1, algorithm));
        CHECK(found_by(one->snapshot, plan, queries, 2, algorithm, &odd) ==
              found_by(expected, plan, queries, 1, algorithm, &odd));
      }
      const search::Index read(coded, one->snapshot.parts(&plan, 1));
      CHECK(read.n_rows() == one->ids.size());
      for (const std::int64_t id : one->ids) CHECK(read.has(id));
      ++n_checked;
    }
  }
  CHECK(n_checked > 10);
}

// Rows that no version needs leave the memory: the removed ones, those of a dropped draft, and those that were added and
// removed while an older version was held.
void check_wiping(std::mt19937_64& random) {
  const std::vector<double> rows = testing::mixed_rows(random, 4'000, false);
  View view(coded);
  append(view, rows, 0, 1'000);
  search::Index& index = view.now().shared().index;
  const Held some = range(100, 200);
  {
    const Snapshot older = view.now();
    remove(view, some);
    CHECK(index.n_retired() == 100 && index.n_dead() == 0);
    append(view, rows, 1'000, 1'050);
    remove(view, range(1'000, 1'050));
    CHECK(index.n_retired() == 100 && index.n_dead() == 50);  // `older` does not need the last rows
  }
  CHECK(index.n_retired() == 0 && index.n_dead() == 150);
  {
    const Held more = range(1'050, 1'060);
    const Snapshot draft = view.now().appended(more.data(), rows.data() + 1'050 * coded.size(), 10);
    const Snapshot further = draft.removed(some.data(), 0);
    CHECK(index.n_rows() == 910);
  }
  CHECK(index.n_rows() == 900 && index.n_dead() == 160);
  append(view, rows, 1'050, 1'060);  // the same ids again
  std::size_t largest = 0;
  const Snapshot held = view.now();
  for (std::size_t round = 0; round < 300; ++round) {
    const std::size_t from = 1'060 + round % 250 * 10;
    append(view, rows, from, from + 10);
    remove(view, range(from, from + 10));
    largest = std::max(largest, view.now().shared().index.n_bytes());
  }
  CHECK(largest < 4 * index.n_bytes() && held.version().n_rows == 910);
}

// Values that a later version adds are unknown to the plan of an older one.
void check_new_codes() {
  const std::vector<std::uint8_t> flags{1, 1};
  const auto plan_of = [](std::size_t codes) {
    search::Plan plan(2, 2.0, false, false, base::infinity);
    for (std::size_t a = 0; a < 2; ++a) {
      search::Table table;
      table.count = codes;
      for (std::size_t i = 0; i < codes * codes; ++i) table.f.push_back(std::fabs(1.0 * (i / codes) - 1.0 * (i % codes)));
      plan.set(a, {std::move(table)});
    }
    return plan;
  };
  const search::Plan early = plan_of(5), late = plan_of(90);
  View view(flags);
  std::vector<double> cells;
  for (std::size_t i = 0; i < 2 * 3'000; ++i) cells.push_back(static_cast<double>(i * 7 % 5));
  Held ids = range(0, 3'000);
  view.advance([&](const Snapshot& before) { return before.appended(ids.data(), cells.data(), 3'000); });
  const Snapshot older = view.now();
  const std::vector<double> queries{1.0, 2.0, 4.0, 0.0}, ones{1.0, 1.0};
  const auto found = [&](const Snapshot& rows, const search::Plan& plan, search::Algorithm algorithm) {
    search::Request request;
    request.queries = queries.data();
    request.n_queries = 2;
    request.weights = ones.data();
    request.k = 9;
    request.algorithm = algorithm;
    request.version = rows.version().number;
    request.gate = &rows.shared().gate;
    rows.prepare(plan, queries.data(), 2, 1);
    return rows.shared().index.search(plan, request);
  };
  for (const auto algorithm : {search::Algorithm::tree, search::Algorithm::scan, search::Algorithm::plain}) {
    const Lists before = found(older, early, algorithm);
    for (const double code : {7.0, 60.0, 89.0}) {  // the last one changes the layout of the rows
      const std::vector<double> row{code, code};
      const std::int64_t id = static_cast<std::int64_t>(3'000 + code);
      View fork(view);
      fork.advance([&](const Snapshot& rows) { return rows.appended(&id, row.data(), 1); });
      CHECK(found(older, early, algorithm) == before);
      CHECK(found(fork.now(), late, algorithm) == before);
      bool is_refused = false;
      try {
        found(fork.now(), early, algorithm);
      } catch (const std::invalid_argument&) {
        is_refused = true;
      }
      CHECK(is_refused);
    }
  }
}

}  // namespace

const testing::Test registered("test_concurrent", [] {
  std::mt19937_64 random(3);
  const search::Plan plan = testing::mixed_plan(2.0, false);
  const std::size_t n = n_start + n_batches * batch;
  const std::vector<double> rows = testing::mixed_rows(random, n, false);
  const std::vector<double> queries = testing::mixed_rows(random, 40, true);
  View shared(coded);
  append(shared, rows, 0, n_start);
  const Snapshot first = shared.now();
  const Lists first_found = found_by(first, plan, queries, 1);
  std::atomic<bool> done{false};
  std::atomic<std::size_t> searches{0};
  std::vector<std::thread> searching;
  for (std::size_t threads : {1, 2})
    searching.emplace_back([&, threads] {
      do {
        const Snapshot now = shared.now();
        const Lists found = found_by(now, plan, queries, threads);
        for (const auto& list : found) {
          CHECK(list.size() >= 7 && std::is_sorted(list.begin(), list.end()));
          for (const auto& [cost, id] : list) CHECK(cost >= 0.0 && id >= 0 && id < static_cast<std::int64_t>(n));
        }
        CHECK(found_by(now, plan, queries, 1) == found);  // whatever has changed meanwhile
        CHECK(found_by(first, plan, queries, threads) == first_found);
        ++searches;
      } while (!done);
    });
  std::thread changing([&] {
    for (std::size_t b = 0; b < n_batches; ++b) {
      append(shared, rows, n_start + b * batch, n_start + (b + 1) * batch);
      remove(shared, range(b * batch, (b + 1) * batch));
      while (searches < b / 3) std::this_thread::yield();
    }
  });
  changing.join();
  done = true;
  for (std::thread& thread : searching) thread.join();

  const Lists expected = found_by(fresh(rows, range(n_batches * batch, n)), plan, queries, 1);
  CHECK(found_by(shared.now(), plan, queries, 3) == expected);
  testing::digest.add(expected);
  check_appending(random, plan);
  check_versions(random, plan);
  check_wiping(random);
  check_new_codes();
});
