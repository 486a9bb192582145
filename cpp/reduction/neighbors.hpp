// Shared by all reductions: the nearest remaining rows of every row, the associates of every row (the rows that have it
// in their lists), and the nearest row with another target.
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

// Renumbers the classes of rows as 0, 1, ..., in ascending order. Throws std::invalid_argument if a label is negative
// or does not fit into 32 bits.
std::vector<std::int64_t> numbered_classes(const std::vector<std::int64_t>& labels);

// Throw std::invalid_argument unless [first, last) is a range of n rows, or unless the given rows are among n rows.
void require_part(std::size_t first, std::size_t last, std::size_t n);
void require_rows(const std::vector<std::int64_t>& rows, std::size_t n);

// Runs work that changes a reduction. If it fails or is interrupted, calls undo and rethrows the exception.
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

// Returns, for each row, the first of the rows equal to it; no_row if no other row is equal to it.
std::vector<votes::Row> first_equals(const search::Rows& rows);

// The nearest remaining rows of every row. The next nearest rows are held in reserve, so that few removals require a
// new search.
class NeighborLists {
 public:
  // Lists of up to `width` rows. itself: whether a row may be in its own list.
  NeighborLists(search::Subset& left, const search::Rows& rows, std::size_t width, bool itself);

  // Fills the lists of the rows in [first, last), before any row is removed.
  void fill(std::size_t first, std::size_t last, std::size_t threads);

  // Throws std::invalid_argument unless every list has been filled.
  void require_filled() const;

  std::size_t length(std::size_t row) const { return lengths_[row]; }
  const votes::Row* list(std::size_t row) const { return lists_.data() + row * width_; }

  // Returns the rows that have the row in their list, ordered by position.
  const std::vector<votes::Row>& associates(std::size_t row);

  // Removes a row from the remaining rows and from every list, and refills these lists.
  void remove(std::size_t row);

  // Clears the list of a row, so that it is no longer an associate of any row.
  void retire(std::size_t row);

  // Calls work, which removes rows. If it fails, restores the rows removed by it; the lists are rebuilt by the next
  // call of `prepare`.
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

  // Rebuilds the lists if a change has failed.
  void prepare();

 private:
  enum class State : std::uint8_t { empty, filled, retired };

  // The result of a search, and the number of rows that remained at that time.
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

// Finds nearest enemies: rows with another target, as defined by the ballot.
class Enemies {
 public:
  Enemies(const search::Rows& rows, search::Subset& left, const votes::Ballot& ballot)
      : rows_(rows), left_(left), ballot_(ballot) {}

  // Returns the cost and the position of the nearest remaining enemy; infinity and -1 if there is none. The row must be
  // of the class of the last turn_to().
  search::Found nearest(search::Seeker& seeker, std::size_t row, double limit) const;

  // Calls turn(first, last) for each run of rows of one class, after turn_to() of that class.
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
