// The nearest rows of every row of a table among those that are left, and who has whom in its list.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "priorcase/ballot.hpp"
#include "priorcase/remainder.hpp"

namespace priorcase {

class NeighbourLists {
 public:
  // Lists of up to `width` rows; a row is in its own list only where `itself` says so.
  NeighbourLists(Remainder& remainder, std::size_t n, std::size_t width, bool itself)
      : remainder_(remainder), width_(width), itself_(itself), lists_(n * width), lengths_(n, 0), associates_(n) {}

  std::size_t width() const { return width_; }
  std::size_t length(std::size_t row) const { return lengths_[row]; }
  const Row* list(std::size_t row) const { return lists_.data() + row * width_; }

  // Rows that have the row in their list, by position.
  const std::vector<Row>& associates(std::size_t row) {
    std::sort(associates_[row].begin(), associates_[row].end());
    return associates_[row];
  }

  void fill(std::size_t row, const std::vector<Found>& found) {
    lengths_[row] = static_cast<Row>(found.size());
    Row* list = lists_.data() + row * width_;
    for (std::size_t i = 0; i < found.size(); ++i) {
      list[i] = static_cast<Row>(found[i].second);
      associates_[list[i]].push_back(static_cast<Row>(row));
    }
  }

  // Takes a row out of what is left and of every list; each of them is filled up again.
  void remove(std::size_t row) {
    remainder_.remove(row);
    for (const Row associate : associates_[row]) refill(associate, static_cast<Row>(row));
    std::vector<Row>().swap(associates_[row]);
  }

  // Nobody counts the row among its associates any more.
  void retire(std::size_t row) {
    for (std::size_t i = 0; i < lengths_[row]; ++i) forget(associates_[list(row)[i]], static_cast<Row>(row));
    lengths_[row] = 0;
  }

 private:
  static void forget(std::vector<Row>& rows, Row row) {
    const auto at = std::find(rows.begin(), rows.end(), row);
    if (at != rows.end()) {
      *at = rows.back();
      rows.pop_back();
    }
  }

  // The rows that stay in a list are its nearest still, so that one search finds them again and one more.
  void refill(std::size_t row, Row gone) {
    Row* list = lists_.data() + row * width_;
    Row* end = std::remove(list, list + lengths_[row], gone);
    const std::size_t kept = static_cast<std::size_t>(end - list);
    const std::vector<Found> found = remainder_.nearest(seeker_, row, width_, itself_);
    lengths_[row] = static_cast<Row>(found.size());
    for (std::size_t i = kept; i < found.size(); ++i) {
      list[i] = static_cast<Row>(found[i].second);
      associates_[list[i]].push_back(static_cast<Row>(row));
    }
  }

  Remainder& remainder_;
  const std::size_t width_;
  const bool itself_;
  Seeker seeker_;
  std::vector<Row> lists_, lengths_;
  std::vector<std::vector<Row>> associates_;
};

}  // namespace priorcase
