#include "reduction/case_filter.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/threads.hpp"

namespace priorcase::reduction {

namespace {

// Counts the rows that are reachable from one row, and adds 1 to the coverage of each of them. The search keeps no row.
struct ReachJudge final : search::Judge {
  ReachJudge(const std::int64_t* classes, std::size_t row, double limit, std::atomic<std::uint32_t>* coverage)
      : classes(classes), row(row), limit(limit), coverage(coverage) {}

  double operator()(std::int64_t id, double cost) const override {
    if (cost <= limit && classes[id] == classes[row]) {
      ++reachable;
      coverage[id].fetch_add(1, std::memory_order_relaxed);
    }
    return -1.0;
  }

  const std::int64_t* classes;
  const std::size_t row;
  const double limit;
  std::atomic<std::uint32_t>* coverage;
  mutable std::uint32_t reachable = 0;
};

}  // namespace

CaseFilter::CaseFilter(const search::Rows& rows, const std::vector<std::int64_t>& labels)
    : n_(rows.n), classes_(numbered_classes(labels)), ballot_(classes_.data(), false),
      left_(rows, std::vector<std::uint8_t>(rows.n, 1)), enemies_(rows, left_, ballot_),
      enemy_(rows.n, search::Found{base::infinity, unknown}), counted_(rows.n, 0), reachable_(rows.n, 0),
      coverage_(std::make_unique<std::atomic<std::uint32_t>[]>(rows.n)) {
  if (classes_.size() != n_) throw std::invalid_argument("one label per row");
}

void CaseFilter::count(const std::vector<std::int64_t>& rows, std::size_t threads) {
  require_rows(rows, n_);
  left_.prepare();
  std::vector<std::uint8_t> counted = counted_;
  for (const std::int64_t row : rows) {
    std::uint8_t& is_counted = counted[static_cast<std::size_t>(row)];
    if (is_counted) throw std::invalid_argument("a row is counted twice in one pass");
    is_counted = 1;
  }
  std::vector<std::uint32_t> before(n_);
  for (std::size_t row = 0; row < n_; ++row) before[row] = coverage_[row].load(std::memory_order_relaxed);
  const auto look = [&] {
    enemies_.by_class(rows, [&](std::size_t first, std::size_t last) {
      search::seek_each(first, last, threads, [&](search::Seeker& seeker, std::size_t i) {
        const std::size_t row = static_cast<std::size_t>(rows[i]);
        if (left_.has(row)) reach(seeker, row);
      });
    });
  };
  or_undo(look, [&] {
    for (std::size_t row = 0; row < n_; ++row) coverage_[row].store(before[row], std::memory_order_relaxed);
  });
  counted_.swap(counted);
}

std::size_t CaseFilter::filter() {
  left_.prepare();
  std::vector<std::size_t> gone;
  for (std::size_t row = 0; row < n_; ++row) {
    if (!left_.has(row)) continue;
    if (!counted_[row]) throw std::invalid_argument("all remaining rows must be counted first");
    if (reachable_[row] > coverage_[row].load(std::memory_order_relaxed)) gone.push_back(row);
  }
  std::vector<std::uint8_t> held = left_.held();
  const auto leave = [&] {
    for (const std::size_t row : gone) {
      base::check_interrupt();
      left_.remove(row);
    }
  };
  or_undo(leave, [&] { left_.restore(std::move(held)); });
  for (std::size_t row = 0; row < n_; ++row) coverage_[row].store(0, std::memory_order_relaxed);
  std::fill(counted_.begin(), counted_.end(), std::uint8_t{0});
  return gone.size();
}

void CaseFilter::reach(search::Seeker& seeker, std::size_t row) {
  search::Found& enemy = enemy_[row];
  // If the nearest enemy found before is still held, it is still the nearest. If there was no enemy, there is none now.
  if (enemy.second == unknown || (enemy.second >= 0 && !left_.has(static_cast<std::size_t>(enemy.second))))
    enemy = enemies_.nearest(seeker, row, 0.0);
  const double limit = std::nextafter(enemy.first, -base::infinity);
  const ReachJudge judge(classes_.data(), row, limit, coverage_.get());
  if (limit >= 0.0) left_.show(seeker, row, limit, judge);
  reachable_[row] = judge.reachable;
}

}  // namespace priorcase::reduction
