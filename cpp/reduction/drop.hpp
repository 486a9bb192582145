// Decremental reduction (Wilson & Martinez 2000): rows leave where those that rely on them lose nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "votes/votes.hpp"
#include "reduction/enemies.hpp"
#include "reduction/neighbour_lists.hpp"

namespace priorcase::reduction {

class Drop {
 public:
  // The k nearest vote; lists hold one more, who votes where one of them leaves. Unless they stay on, rows that have
  // left rely on nobody.
  Drop(const search::Rows& rows, const votes::Ballot& ballot, std::size_t k, bool stay_on)
      : ballot_(ballot), k_(k), stay_on_(stay_on),
        remainder_(rows, std::vector<std::uint8_t>(rows.n, 1)), lists_(remainder_, rows, k + 1, false),
        enemies_(rows, remainder_, ballot) {}

  const std::vector<std::uint8_t>& held() const { return remainder_.held(); }

  // Fills the lists of some rows, before any row leaves.
  void fill(std::size_t first, std::size_t last, std::size_t threads) {
    const auto found = remainder_.nearest_of(first, last, lists_.depth(), false, threads);
    for (std::size_t row = first; row < last; ++row) lists_.fill(row, found[row - first]);
  }

  // The cost of the nearest enemy that is left, for each of some rows; quicker for rows of one class in a row.
  void enemy_costs(const std::int64_t* rows, std::size_t n, std::size_t threads, double* out) {
    enemies_.by_class(rows, n, [&](std::size_t first, std::size_t last) {
      search::seek_each(first, last, threads, [&](search::Seeker& seeker, std::size_t i) {
        const std::size_t row = static_cast<std::size_t>(rows[i]);
        out[i] = enemies_.nearest(seeker, row, ballot_.enemy_limit(lists_.list(row), voters(row))).first;
      });
    });
  }

  // Lets the rows leave one after the other; with noise_only none that its own neighbours get right.
  void consider(const std::int64_t* rows, std::size_t n, bool noise_only) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t row = static_cast<std::size_t>(rows[i]);
      if (!remainder_.has(row) || remainder_.size() == 1) continue;
      if (noise_only && ballot_.loss(row, lists_.list(row), voters(row)) == 0.0) continue;
      if (!is_needed(row)) leave(row);
    }
  }

 private:
  std::size_t voters(std::size_t row) const { return std::min(k_, lists_.length(row)); }

  // Losses are added by position of the associates, so that no history shows in their rounding.
  bool is_needed(std::size_t row) {
    double with = 0.0, without = 0.0;
    for (const votes::Row associate : lists_.associates(row)) {
      const votes::Row* list = lists_.list(associate);
      const votes::Row* end = list + voters(associate);
      if (std::find(list, end, static_cast<votes::Row>(row)) == end) continue;  // only next in line
      with += ballot_.loss(associate, list, voters(associate));
      others_.clear();
      for (std::size_t i = 0; i < lists_.length(associate); ++i)
        if (list[i] != row) others_.push_back(list[i]);
      without += ballot_.loss(associate, others_.data(), std::min(k_, others_.size()));
    }
    return without > with;
  }

  void leave(std::size_t row) {
    lists_.remove(row);
    if (!stay_on_) lists_.retire(row);
  }

  const votes::Ballot& ballot_;
  const std::size_t k_;
  const bool stay_on_;
  search::Remainder remainder_;
  NeighbourLists lists_;
  Enemies enemies_;
  std::vector<votes::Row> others_;
};

}  // namespace priorcase::reduction
