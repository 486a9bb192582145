// The nearest rows of every row of a table among those that are left, and who has whom in its list.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "votes/votes.hpp"
#include "reduction/equal_rows.hpp"
#include "search/remainder.hpp"

namespace priorcase::reduction {

// Behind each list wait the rows that come next, so that few rows that leave call for a search.
class NeighbourLists {
 public:
  // Lists of up to `width` rows; a row is in its own list only where `itself` says so.
  NeighbourLists(search::Remainder& remainder, const search::Rows& rows, std::size_t width, bool itself)
      : remainder_(remainder), width_(width), spare_(waiting_for_each * width), itself_(itself),
        lists_(rows.n * width), lengths_(rows.n, 0), waiting_(rows.n * spare_), next_(rows.n, 0), last_(rows.n, 0),
        first_equals_(first_equals(rows)), associates_(rows.n) {}

  // How many of the nearest rows fill is to be given.
  std::size_t depth() const { return width_ + spare_; }

  std::size_t length(std::size_t row) const { return lengths_[row]; }
  const votes::Row* list(std::size_t row) const { return lists_.data() + row * width_; }

  // Rows that have the row in their list, by position.
  const std::vector<votes::Row>& associates(std::size_t row) {
    std::sort(associates_[row].begin(), associates_[row].end());
    return associates_[row];
  }

  void fill(std::size_t row, const std::vector<search::Found>& found) {
    for (std::size_t i = lengths_[row]; i < std::min(width_, found.size()); ++i) append(row, found[i].second);
    next_[row] = last_[row] = 0;
    for (std::size_t i = width_; i < found.size(); ++i)
      waiting_[row * spare_ + last_[row]++] = static_cast<votes::Row>(found[i].second);
  }

  // Takes a row out of what is left and of every list; each of them is filled up again.
  void remove(std::size_t row) {
    remainder_.remove(row);
    for (const votes::Row associate : associates_[row]) refill(associate, static_cast<votes::Row>(row));
    std::vector<votes::Row>().swap(associates_[row]);
  }

  // Nobody counts the row among its associates any more.
  void retire(std::size_t row) {
    for (std::size_t i = 0; i < lengths_[row]; ++i) forget(associates_[list(row)[i]], static_cast<votes::Row>(row));
    lengths_[row] = 0;
  }

 private:
  static void forget(std::vector<votes::Row>& rows, votes::Row row) {
    const auto at = std::find(rows.begin(), rows.end(), row);
    if (at != rows.end()) {
      *at = rows.back();
      rows.pop_back();
    }
  }

  void append(std::size_t row, std::int64_t neighbour) {
    lists_[row * width_ + lengths_[row]++] = static_cast<votes::Row>(neighbour);
    associates_[static_cast<std::size_t>(neighbour)].push_back(static_cast<votes::Row>(row));
  }

  // The rows that stay in a list are its nearest still; the first one waiting that is left comes next.
  void refill(std::size_t row, votes::Row gone) {
    votes::Row* list = lists_.data() + row * width_;
    lengths_[row] = static_cast<votes::Row>(std::remove(list, list + lengths_[row], gone) - list);
    while (next_[row] < last_[row]) {
      const votes::Row waiting = waiting_[row * spare_ + next_[row]++];
      if (remainder_.has(waiting)) return append(row, waiting);
    }
    // Nothing to search for where everybody who is left is in the list.
    if (lengths_[row] + (!itself_ && remainder_.has(row)) < remainder_.size())
      fill(row, search(row));
  }

  // Equal rows have the same neighbours but for themselves. They rely on the same rows, so that all of them are
  // searched for when one leaves: once for all.
  std::vector<search::Found> search(std::size_t row) {
    const votes::Row first = first_equals_[row];
    if (first == no_row) return remainder_.nearest(seeker_, row, depth(), itself_);
    Searched& shared = searched_[first];
    if (shared.left != remainder_.size())
      shared = {remainder_.size(), remainder_.nearest(seeker_, row, depth() + 1, true)};
    std::vector<search::Found> found;
    for (const search::Found& one : shared.found)
      if (found.size() < depth() && (itself_ || one.second != static_cast<std::int64_t>(row))) found.push_back(one);
    return found;
  }

  // What was found when so many rows were left.
  struct Searched {
    std::size_t left = 0;
    std::vector<search::Found> found;
  };

  static constexpr std::size_t waiting_for_each = 3;
  search::Remainder& remainder_;
  const std::size_t width_, spare_;
  const bool itself_;
  search::Seeker seeker_;
  std::vector<votes::Row> lists_, lengths_, waiting_, next_, last_;
  const std::vector<votes::Row> first_equals_;
  std::unordered_map<votes::Row, Searched> searched_;
  std::vector<std::vector<votes::Row>> associates_;
};

}  // namespace priorcase::reduction
