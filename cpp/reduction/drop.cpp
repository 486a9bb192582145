#include "reduction/drop.hpp"

#include <algorithm>

#include "base/threads.hpp"

namespace priorcase::reduction {

// k is limited to the number of rows, since no row has more neighbors.
Drop::Drop(const search::Rows& rows, const votes::Ballot& ballot, std::size_t k, bool stay_on)
    : n_(rows.n), ballot_(ballot), k_(std::min(k, rows.n)), stay_on_(stay_on),
      left_(rows, std::vector<std::uint8_t>(rows.n, 1)), lists_(left_, rows, k_ + 1, false),
      enemies_(rows, left_, ballot) {}

std::vector<double> Drop::enemy_costs(const std::vector<std::int64_t>& rows, std::size_t threads) {
  require_rows(rows, n_);
  lists_.require_filled();
  lists_.prepare();
  std::vector<double> costs(rows.size());
  enemies_.by_class(rows, [&](std::size_t first, std::size_t last) {
    search::seek_each(first, last, threads, [&](search::Seeker& seeker, std::size_t i) {
      const std::size_t row = static_cast<std::size_t>(rows[i]);
      costs[i] = enemies_.nearest(seeker, row, ballot_.enemy_limit(lists_.list(row), voters(row))).first;
    });
  });
  return costs;
}

void Drop::consider(const std::vector<std::int64_t>& rows, bool noise_only) {
  require_rows(rows, n_);
  lists_.require_filled();
  lists_.change([&] {
    for (const std::int64_t considered : rows) {
      base::check_interrupt();
      const std::size_t row = static_cast<std::size_t>(considered);
      if (!left_.has(row) || left_.size() == 1) continue;
      if (noise_only && ballot_.loss(row, lists_.list(row), voters(row)) == 0.0) continue;
      if (is_needed(row)) continue;
      lists_.remove(row);
      if (!stay_on_) lists_.retire(row);
    }
  });
}

std::size_t Drop::voters(std::size_t row) const { return std::min(k_, lists_.length(row)); }

// Losses are added in the order of the associates' positions, so that rounding does not depend on earlier removals.
bool Drop::is_needed(std::size_t row) {
  double with = 0.0, without = 0.0;
  for (const votes::Row associate : lists_.associates(row)) {
    const votes::Row* list = lists_.list(associate);
    const votes::Row* end = list + voters(associate);
    if (std::find(list, end, static_cast<votes::Row>(row)) == end) continue;  // last in the list: no vote
    with += ballot_.loss(associate, list, voters(associate));
    others_.clear();
    for (std::size_t i = 0; i < lists_.length(associate); ++i)
      if (list[i] != row) others_.push_back(list[i]);
    without += ballot_.loss(associate, others_.data(), std::min(k_, others_.size()));
  }
  return without > with;
}

}  // namespace priorcase::reduction
