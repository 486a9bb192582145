// The nearest row with another target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "votes/votes.hpp"
#include "search/remainder.hpp"

namespace priorcase::reduction {

struct EnemyJudge final : search::Judge {
  EnemyJudge(const votes::Ballot& ballot, std::size_t row, double limit) : ballot(ballot), row(row), limit(limit) {}

  double operator()(std::int64_t id, double cost) const override {
    return ballot.are_enemies(row, static_cast<std::size_t>(id), limit) ? cost : -1.0;
  }

  const votes::Ballot& ballot;
  const std::size_t row;
  const double limit;
};

class Enemies {
 public:
  Enemies(const search::Rows& rows, search::Remainder& remainder, const votes::Ballot& ballot)
      : rows_(rows), remainder_(remainder), ballot_(ballot) {}

  // Gets ready for rows of one class. Deep inside a large class a search would meet its other rows first; so their
  // rivals are laid out by themselves, as long as nobody leaves.
  void turn_to(std::int64_t group) {
    if (counted_ != remainder_.size()) count();
    if (group == group_) return;
    group_ = group;
    rivals_.reset();
    if (group < 0) return;
    const std::size_t friends = sizes_[static_cast<std::size_t>(group)];
    if (friends * friends < rows_per_build_ * rows_.n) return;
    std::vector<std::uint8_t> held = remainder_.held();
    for (std::size_t row = 0; row < rows_.n; ++row) held[row] &= ballot_.group(row) != group;
    rivals_ = std::make_unique<search::Remainder>(rows_, std::move(held));
  }

  // Cost and position of the nearest enemy that is left; infinity and -1 where there is none. The row is of the class
  // that was turned to last.
  search::Found nearest(search::Seeker& seeker, std::size_t row, double limit) {
    const EnemyJudge judge(ballot_, row, limit);
    const std::vector<search::Found> found = rivals_ ? rivals_->nearest(seeker, row, 1, false)
                                             : remainder_.nearest(seeker, row, 1, false, &judge);
    return found.empty() ? search::Found{base::infinity, -1} : found.front();
  }

  // Calls turn(first, last) for each run of rows of one class, after turning to it.
  template <class Turn>
  void by_class(const std::int64_t* rows, std::size_t n, const Turn& turn) {
    for (std::size_t first = 0, last = 0; first < n; first = last) {
      const std::int64_t group = ballot_.group(static_cast<std::size_t>(rows[first]));
      while (last < n && ballot_.group(static_cast<std::size_t>(rows[last])) == group) ++last;
      turn_to(group);
      turn(first, last);
    }
  }

 private:
  // A row is measured about this many times faster than it is laid out.
  static constexpr std::size_t rows_per_build_ = 50;

  void count() {
    counted_ = remainder_.size();
    group_ = nobody_;
    sizes_.clear();
    for (std::size_t row = 0; row < rows_.n; ++row) {
      const std::int64_t group = ballot_.group(row);
      if (!remainder_.has(row) || group < 0) continue;
      if (sizes_.size() <= static_cast<std::size_t>(group)) sizes_.resize(group + 1, 0);
      ++sizes_[static_cast<std::size_t>(group)];
    }
  }

  static constexpr std::int64_t nobody_ = -2;
  const search::Rows& rows_;
  search::Remainder& remainder_;
  const votes::Ballot& ballot_;
  std::size_t counted_ = 0;
  std::vector<std::size_t> sizes_;
  std::int64_t group_ = nobody_;
  std::unique_ptr<search::Remainder> rivals_;
};

}  // namespace priorcase::reduction
