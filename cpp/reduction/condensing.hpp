// Condensing (Hart 1968): rows are taken in where the nearest row taken in so far gets them wrong. And reducing what
// came of it (Gates 1972): rows go where no row becomes wrong by that.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "reduction/neighbour_lists.hpp"

namespace priorcase::reduction {

class Condensed {
 public:
  // The first row of each class is taken in at once. Labels are classes from 0 on.
  Condensed(const search::Rows& rows, const std::int64_t* labels)
      : labels_(labels), members_(rows, std::vector<std::uint8_t>(rows.n, 0)) {
    std::vector<std::uint8_t> seen;
    for (std::size_t row = 0; row < rows.n; ++row) {
      const std::size_t label = static_cast<std::size_t>(labels[row]);
      if (seen.size() <= label) seen.resize(label + 1, 0);
      if (!seen[label]) members_.add(row);
      seen[label] = 1;
    }
  }

  const std::vector<std::uint8_t>& held() const { return members_.held(); }

  // One part of a pass over the table: how many rows were taken in. Threads look ahead: what they find is compared
  // with the rows that were taken in meanwhile.
  std::size_t take_in(std::size_t first, std::size_t last, std::size_t threads) {
    const std::size_t before = members_.size(), block = threads > 1 ? rows_ahead * threads : 1;
    for (std::size_t start = first; start < last; start += block) {
      const std::size_t stop = std::min(start + block, last);
      look_ahead(start, stop, threads);
      fresh_.clear();
      for (std::size_t row = start; row < stop; ++row) {
        if (members_.has(row)) continue;
        search::Found nearest = ahead_[row - start];
        if (!fresh_.empty()) nearest = std::min(nearest, members_.nearest_among(row, fresh_));
        if (labels_[nearest.second] == labels_[row]) continue;
        members_.add(row);
        fresh_.push_back(static_cast<std::int64_t>(row));
      }
    }
    return members_.size() - before;
  }

 private:
  static constexpr std::size_t rows_ahead = 256;

  // The nearest member of each row of a part that is none itself.
  void look_ahead(std::size_t start, std::size_t stop, std::size_t threads) {
    ahead_.resize(stop - start);
    const auto look = [&](search::Seeker& seeker, std::size_t row) {
      if (members_.has(row)) return;
      const std::vector<search::Found> found = members_.nearest(seeker, row, 1, true);
      if (found.empty()) throw std::invalid_argument("a row is at no distance from the others");
      ahead_[row - start] = found.front();
    };
    if (stop - start == 1)
      look(seeker_, start);
    else
      search::seek_each(start, stop, threads, look);
  }

  const std::int64_t* labels_;
  search::Remainder members_;
  search::Seeker seeker_;
  std::vector<search::Found> ahead_;
  std::vector<std::int64_t> fresh_;
};

class Reduced {
 public:
  Reduced(const search::Rows& rows, const std::int64_t* labels, const std::uint8_t* members)
      : labels_(labels), members_(rows, {members, members + rows.n}), lists_(members_, rows, 2, true) {}

  const std::vector<std::uint8_t>& held() const { return members_.held(); }

  // The nearest member and the next one of some rows, before any member leaves.
  void fill(std::size_t first, std::size_t last, std::size_t threads) {
    const auto found = members_.nearest_of(first, last, lists_.depth(), true, threads);
    for (std::size_t row = first; row < last; ++row) lists_.fill(row, found[row - first]);
  }

  void consider(std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row)
      if (members_.has(row) && !is_needed(row)) lists_.remove(row);
  }

 private:
  // Whether some row is right by this member and would be wrong by the next one.
  bool is_needed(std::size_t row) {
    for (const votes::Row associate : lists_.associates(row)) {
      const votes::Row* list = lists_.list(associate);
      if (list[0] != row || labels_[associate] != labels_[row]) continue;
      if (lists_.length(associate) < 2 || labels_[list[1]] != labels_[associate]) return true;
    }
    return false;
  }

  const std::int64_t* labels_;
  search::Remainder members_;
  NeighbourLists lists_;
};

}  // namespace priorcase::reduction
