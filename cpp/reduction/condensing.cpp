#include "reduction/condensing.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/threads.hpp"

namespace priorcase::reduction {

namespace {

void require(bool holds, const char* rule) {
  if (!holds) throw std::invalid_argument(rule);
}

std::vector<std::uint8_t> checked_marks(std::vector<std::uint8_t> members, std::size_t n) {
  require(members.size() == n, "one mark per row");
  return members;
}

}  // namespace

Condensed::Condensed(const search::Rows& rows, const std::vector<std::int64_t>& labels)
    : n_(rows.n), classes_(numbered_classes(labels)), members_(rows, std::vector<std::uint8_t>(rows.n, 0)) {
  require(classes_.size() == n_, "one label per row");
  std::vector<std::uint8_t> seen(n_, 0);
  for (std::size_t row = 0; row < n_; ++row) {
    std::uint8_t& is_seen = seen[static_cast<std::size_t>(classes_[row])];
    if (!is_seen) members_.add(row);
    is_seen = 1;
  }
}

std::size_t Condensed::take_in(std::size_t first, std::size_t last, std::size_t threads) {
  constexpr std::size_t rows_ahead = 256;
  require_part(first, last, n_);
  members_.prepare();
  std::vector<std::uint8_t> held = members_.held();
  const std::size_t before = members_.size(), block = threads > 1 ? rows_ahead * threads : 1;
  const auto pass = [&] {
    for (std::size_t start = first; start < last; start += block) {
      const std::size_t stop = std::min(start + block, last);
      look_ahead(start, stop, threads);
      fresh_.clear();
      for (std::size_t row = start; row < stop; ++row) {
        base::check_interrupt();
        if (members_.has(row)) continue;
        search::Found nearest = ahead_[row - start];
        if (!fresh_.empty()) nearest = std::min(nearest, members_.nearest_among(seeker_, row, fresh_));
        if (classes_[nearest.second] == classes_[row]) continue;
        members_.add(row);
        fresh_.push_back(static_cast<std::int64_t>(row));
      }
    }
    return members_.size() - before;
  };
  return or_undo(pass, [&] { members_.restore(std::move(held)); });
}

// Finds the nearest member of each row in [start, stop) that is not a member.
void Condensed::look_ahead(std::size_t start, std::size_t stop, std::size_t threads) {
  ahead_.resize(stop - start);
  const auto look = [&](search::Seeker& seeker, std::size_t row) {
    if (members_.has(row)) return;
    const std::vector<search::Found> found = members_.nearest(seeker, row, 1, true);
    if (found.empty()) throw std::invalid_argument("the distances of a row to all members are undefined");
    ahead_[row - start] = found.front();
  };
  if (stop - start == 1)
    look(seeker_, start);
  else
    search::seek_each(start, stop, threads, look);
}

Reduced::Reduced(const search::Rows& rows, const std::vector<std::int64_t>& labels, std::vector<std::uint8_t> members)
    : n_(rows.n), classes_(numbered_classes(labels)), members_(rows, checked_marks(std::move(members), rows.n)),
      lists_(members_, rows, 2, true) {
  require(classes_.size() == n_, "one label per row");
  require(members_.size() > 0, "there must be a member");
}

void Reduced::consider(std::size_t first, std::size_t last) {
  require_part(first, last, n_);
  lists_.require_filled();
  lists_.change([&] {
    for (std::size_t row = first; row < last; ++row) {
      base::check_interrupt();
      if (members_.has(row) && !is_needed(row)) lists_.remove(row);
    }
  });
}

// Whether any row is classified correctly by this member, and would be misclassified by the next nearest member.
bool Reduced::is_needed(std::size_t row) {
  for (const votes::Row associate : lists_.associates(row)) {
    const votes::Row* list = lists_.list(associate);
    if (list[0] != row || classes_[associate] != classes_[row]) continue;
    if (lists_.length(associate) < 2 || classes_[list[1]] != classes_[associate]) return true;
  }
  return false;
}

}  // namespace priorcase::reduction
