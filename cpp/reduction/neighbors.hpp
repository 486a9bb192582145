// What the reductions share: the nearest rows of every row among those that are left, who has whom in its list, and the
// nearest row with another target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <unordered_map>
#include <vector>

#include "search/rows.hpp"
#include "votes/votes.hpp"

namespace priorcase::reduction {

// The classes of some rows, numbered in their order from 0 on. Throws std::invalid_argument where a label is negative
// or does not fit 32 bits.
std::vector<std::int64_t> numbered_classes(const std::vector<std::int64_t>& labels);

// Throws std::invalid_argument unless first and last are those of a part of n rows, or the rows given are some of them.
void require_part(std::size_t first, std::size_t last, std::size_t n);
void require_rows(const std::vector<std::int64_t>& rows, std::size_t n);

// Runs some work that changes a reduction; where it fails, or is interrupted, calls undo.
template <class Work, class Undo>
auto or_undo(const Work& work, const Undo& undo) {
  try {
    return work();
  } catch (...) {
    undo();
    throw;
  }
}

inline constexpr votes::Row no_row = std::numeric_limits<votes::Row>::max();

// For each row the first of those that are equal to it; no_row where there is no other.
std::vector<votes::Row> first_equals(const search::Rows& rows);

// The nearest rows of every row among those that are left. Behind each list wait the rows that come next, so that few
// rows that leave call for a search.
class NeighborLists {
 public:
  // Lists of up to `width` rows; a row is in its own list only where `itself` says so.
  NeighborLists(search::Subset& left, const search::Rows& rows, std::size_t width, bool itself);

  // Fills the lists of some rows, before any row leaves.
  void fill(std::size_t first, std::size_t last, std::size_t threads);

  // Whether every list has been filled; throws std::invalid_argument where one has not.
  void require_filled() const;

  std::size_t length(std::size_t row) const { return lengths_[row]; }
  const votes::Row* list(std::size_t row) const { return lists_.data() + row * width_; }

  // Rows that have the row in their list, by position.
  const std::vector<votes::Row>& associates(std::size_t row);

  // Takes a row out of what is left and of every list; each of them is filled up again.
  void remove(std::size_t row);

  // Nobody counts the row among its associates any more.
  void retire(std::size_t row);

  // Calls work, which takes rows out; where it fails, all rows are back that were left before. What has to be built
  // again for that is built by the next call.
  template <class Work>
  void change(const Work& work) {
    prepare();
    std::vector<std::uint8_t> held = left_.held();
    std::vector<State> states = states_;
    or_undo(work, [&] {
      left_.restore(std::move(held));
      states_.swap(states);
      is_stale_ = true;
    });
  }

  // Makes good what a failed change left to do.
  void prepare();

 private:
  enum class State : std::uint8_t { empty, filled, retired };

  // What was found when so many rows were left.
  struct Searched {
    std::size_t left = 0;
    std::vector<search::Found> found;
  };

  std::size_t depth() const { return width_ + spare_; }
  void put(std::size_t row, const std::vector<search::Found>& found);
  void append(std::size_t row, std::int64_t neighbor);
  void refill(std::size_t row, votes::Row gone);
  std::vector<search::Found> search(std::size_t row);
  void fill_all(std::size_t first, std::size_t last, std::size_t threads, State which);

  static constexpr std::size_t waiting_for_each = 3;
  search::Subset& left_;
  const std::size_t width_, spare_;
  const bool itself_;
  search::Seeker seeker_;
  std::vector<votes::Row> lists_, lengths_, waiting_, next_, last_;
  std::vector<State> states_;
  bool is_stale_ = false;
  const std::vector<votes::Row> first_equals_;
  std::unordered_map<votes::Row, Searched> searched_;
  std::vector<std::vector<votes::Row>> associates_;
};

// The nearest rows with another target.
class Enemies {
 public:
  Enemies(const search::Rows& rows, search::Subset& left, const votes::Ballot& ballot)
      : rows_(rows), left_(left), ballot_(ballot) {}

  // Cost and position of the nearest enemy that is left; infinity and -1 where there is none. The row is of the class
  // that was turned to last.
  search::Found nearest(search::Seeker& seeker, std::size_t row, double limit) const;

  // Calls turn(first, last) for each run of rows of one class, after turning to it.
  template <class Turn>
  void by_class(const std::vector<std::int64_t>& rows, const Turn& turn) {
    for (std::size_t first = 0, last = 0, n = rows.size(); first < n; first = last) {
      const std::int64_t group = ballot_.group(static_cast<std::size_t>(rows[first]));
      while (last < n && ballot_.group(static_cast<std::size_t>(rows[last])) == group) ++last;
      turn_to(group);
      turn(first, last);
    }
  }

 private:
  static constexpr std::int64_t nobody = -2;

  void turn_to(std::int64_t group);
  void count();

  const search::Rows& rows_;
  search::Subset& left_;
  const votes::Ballot& ballot_;
  std::size_t counted_ = 0;
  std::vector<std::size_t> sizes_;
  std::int64_t group_ = nobody;
  std::unique_ptr<search::Subset> rivals_;
};

}  // namespace priorcase::reduction
