// Iterative case filtering (Brighton & Mellish 2002): rows leave that are solved by more cases than they solve.
#pragma once

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "reduction/enemies.hpp"

namespace priorcase::reduction {

// Counts who is reachable from one row, and for each of them that it is covered once more. Nothing is kept.
struct ReachJudge final : search::Judge {
  ReachJudge(const std::int64_t* labels, std::size_t row, double limit, std::atomic<std::uint32_t>* coverage)
      : labels(labels), row(row), limit(limit), coverage(coverage) {}

  double operator()(std::int64_t id, double cost) const override {
    if (cost <= limit && labels[id] == labels[row]) {
      ++reachable;
      coverage[id].fetch_add(1, std::memory_order_relaxed);
    }
    return -1.0;
  }

  const std::int64_t* labels;
  const std::size_t row;
  const double limit;
  std::atomic<std::uint32_t>* coverage;
  mutable std::uint32_t reachable = 0;
};

class CaseFilter {
 public:
  CaseFilter(const search::Rows& rows, const std::int64_t* labels)
      : n_(rows.n), labels_(labels), ballot_(labels, false),
        remainder_(rows, std::vector<std::uint8_t>(rows.n, 1)), enemies_(rows, remainder_, ballot_),
        enemy_(rows.n, search::Found{base::infinity, unknown}), reachable_(rows.n, 0),
        coverage_(std::make_unique<std::atomic<std::uint32_t>[]>(rows.n)) {}

  const std::vector<std::uint8_t>& held() const { return remainder_.held(); }

  // Looks at some rows: who is of their class and nearer than their nearest enemy. Quicker for rows of one class in a
  // row.
  void count(const std::int64_t* rows, std::size_t n, std::size_t threads) {
    enemies_.by_class(rows, n, [&](std::size_t first, std::size_t last) {
      search::seek_each(first, last, threads, [&](search::Seeker& seeker, std::size_t i) {
        const std::size_t row = static_cast<std::size_t>(rows[i]);
        if (remainder_.has(row)) reach(seeker, row);
      });
    });
  }

  // Ends a pass: how many rows left, since more cases reach than they cover.
  std::size_t filter() {
    std::vector<std::size_t> gone;
    for (std::size_t row = 0; row < n_; ++row) {
      const std::uint32_t covered = coverage_[row].exchange(0);
      if (remainder_.has(row) && reachable_[row] > covered) gone.push_back(row);
    }
    for (const std::size_t row : gone) remainder_.remove(row);
    return gone.size();
  }

 private:
  static constexpr std::int64_t unknown = -2;

  void reach(search::Seeker& seeker, std::size_t row) {
    search::Found& enemy = enemy_[row];
    // An enemy that is still there is still the nearest; where there was none, there is none.
    if (enemy.second == unknown || (enemy.second >= 0 && !remainder_.has(static_cast<std::size_t>(enemy.second))))
      enemy = enemies_.nearest(seeker, row, 0.0);
    const double limit = std::nextafter(enemy.first, -base::infinity);
    const ReachJudge judge(labels_, row, limit, coverage_.get());
    if (limit >= 0.0) remainder_.show(seeker, row, limit, judge);
    reachable_[row] = judge.reachable;
  }

  const std::size_t n_;
  const std::int64_t* labels_;
  const votes::Majority ballot_;
  search::Remainder remainder_;
  Enemies enemies_;
  std::vector<search::Found> enemy_;
  std::vector<std::uint32_t> reachable_;
  std::unique_ptr<std::atomic<std::uint32_t>[]> coverage_;
};

}  // namespace priorcase::reduction
