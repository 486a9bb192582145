#include "reduction/neighbors.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/threads.hpp"

namespace priorcase::reduction {

namespace {

struct EnemyJudge final : search::Judge {
  EnemyJudge(const votes::Ballot& ballot, std::size_t row, double limit) : ballot(ballot), row(row), limit(limit) {}

  double operator()(std::int64_t id, double cost) const override {
    return ballot.are_enemies(row, static_cast<std::size_t>(id), limit) ? cost : -1.0;
  }

  const votes::Ballot& ballot;
  const std::size_t row;
  const double limit;
};

void forget(std::vector<votes::Row>& rows, votes::Row row) {
  const auto at = std::find(rows.begin(), rows.end(), row);
  if (at != rows.end()) {
    *at = rows.back();
    rows.pop_back();
  }
}

}  // namespace

std::vector<std::int64_t> numbered_classes(const std::vector<std::int64_t>& labels) {
  const auto good = [](std::int64_t label) { return label >= 0 && label <= std::numeric_limits<std::int32_t>::max(); };
  if (!std::all_of(labels.begin(), labels.end(), good)) throw std::invalid_argument("labels must be classes from 0 on");
  std::vector<std::int64_t> classes = labels, numbers;
  std::sort(classes.begin(), classes.end());
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  numbers.reserve(labels.size());
  for (const std::int64_t label : labels)
    numbers.push_back(std::lower_bound(classes.begin(), classes.end(), label) - classes.begin());
  return numbers;
}

void require_part(std::size_t first, std::size_t last, std::size_t n) {
  if (first > last || last > n) throw std::invalid_argument("no such rows");
}

void require_rows(const std::vector<std::int64_t>& rows, std::size_t n) {
  const auto known = [n](std::int64_t row) { return row >= 0 && row < static_cast<std::int64_t>(n); };
  if (!std::all_of(rows.begin(), rows.end(), known)) throw std::invalid_argument("no such rows");
}

std::vector<votes::Row> first_equals(const search::Rows& rows) {
  constexpr std::size_t between_checks = 1024;
  const std::size_t bytes = rows.coded.size() * sizeof(double);
  const auto compared = [&](votes::Row one, votes::Row other) {
    return std::memcmp(rows.row(one), rows.row(other), bytes);
  };
  std::vector<votes::Row> order(rows.n), first(rows.n, no_row);
  std::iota(order.begin(), order.end(), votes::Row{0});
  std::size_t comparisons = 0;
  std::sort(order.begin(), order.end(), [&](votes::Row one, votes::Row other) {
    if (++comparisons % between_checks == 0) base::check_interrupt();
    const int sign = compared(one, other);
    return sign < 0 || (sign == 0 && one < other);
  });
  for (std::size_t i = 1; i < rows.n; ++i) {
    const votes::Row before = order[i - 1];
    if (compared(before, order[i]) != 0) continue;
    if (first[before] == no_row) first[before] = before;
    first[order[i]] = first[before];
  }
  return first;
}

// Lists -----------------------------------------------------------------------------------------------------------

NeighborLists::NeighborLists(search::Subset& left, const search::Rows& rows, std::size_t width, bool itself)
    : left_(left), width_(width), spare_(waiting_for_each * width), itself_(itself), lists_(rows.n * width),
      lengths_(rows.n, 0), waiting_(rows.n * spare_), next_(rows.n, 0), last_(rows.n, 0), states_(rows.n, State::empty),
      first_equals_(first_equals(rows)), associates_(rows.n) {}

void NeighborLists::fill(std::size_t first, std::size_t last, std::size_t threads) {
  require_part(first, last, states_.size());
  prepare();
  fill_all(first, last, threads, State::empty);
}

void NeighborLists::require_filled() const {
  if (std::find(states_.begin(), states_.end(), State::empty) != states_.end())
    throw std::invalid_argument("the lists of all rows must be filled first");
}

const std::vector<votes::Row>& NeighborLists::associates(std::size_t row) {
  std::sort(associates_[row].begin(), associates_[row].end());
  return associates_[row];
}

void NeighborLists::remove(std::size_t row) {
  left_.remove(row);
  for (const votes::Row associate : associates_[row]) refill(associate, static_cast<votes::Row>(row));
  std::vector<votes::Row>().swap(associates_[row]);
}

void NeighborLists::retire(std::size_t row) {
  for (std::size_t i = 0; i < lengths_[row]; ++i) forget(associates_[list(row)[i]], static_cast<votes::Row>(row));
  lengths_[row] = 0;
  states_[row] = State::retired;
}

void NeighborLists::prepare() {
  left_.prepare();
  if (!is_stale_) return;
  std::fill(lengths_.begin(), lengths_.end(), 0);
  for (std::vector<votes::Row>& associates : associates_) associates.clear();
  searched_.clear();
  fill_all(0, states_.size(), 1, State::filled);
  is_stale_ = false;
}

// Fills the lists in the given state, a few thousand rows at a time, since search results for all need much memory.
void NeighborLists::fill_all(std::size_t first, std::size_t last, std::size_t threads, State which) {
  constexpr std::size_t at_once = 4096;
  for (std::size_t stop; first < last; first = stop) {
    stop = std::min(last, first + at_once);
    const auto found = left_.nearest_of(first, stop, depth(), itself_, threads);
    for (std::size_t row = first; row < stop; ++row) {
      if (states_[row] != which) continue;
      put(row, found[row - first]);
      states_[row] = State::filled;
    }
  }
}

void NeighborLists::put(std::size_t row, const std::vector<search::Found>& found) {
  for (std::size_t i = lengths_[row]; i < std::min(width_, found.size()); ++i) append(row, found[i].second);
  next_[row] = last_[row] = 0;
  for (std::size_t i = width_; i < found.size(); ++i)
    waiting_[row * spare_ + last_[row]++] = static_cast<votes::Row>(found[i].second);
}

void NeighborLists::append(std::size_t row, std::int64_t neighbor) {
  lists_[row * width_ + lengths_[row]++] = static_cast<votes::Row>(neighbor);
  associates_[static_cast<std::size_t>(neighbor)].push_back(static_cast<votes::Row>(row));
}

// Removes a row from a list. The rows that stay are still the nearest; the first remaining row of those in reserve is
// the next nearest.
void NeighborLists::refill(std::size_t row, votes::Row gone) {
  votes::Row* list = lists_.data() + row * width_;
  lengths_[row] = static_cast<votes::Row>(std::remove(list, list + lengths_[row], gone) - list);
  while (next_[row] < last_[row]) {
    const votes::Row waiting = waiting_[row * spare_ + next_[row]++];
    if (left_.has(waiting)) return append(row, waiting);
  }
  // If all remaining rows are in the list, there is nothing to search for.
  if (lengths_[row] + (!itself_ && left_.has(row)) < left_.size()) put(row, search(row));
}

// Equal rows have the same neighbors, apart from themselves. When such a neighbor is removed, all their lists need the
// same search, so it is done once and shared.
std::vector<search::Found> NeighborLists::search(std::size_t row) {
  base::check_interrupt();
  const votes::Row first = first_equals_[row];
  if (first == no_row) return left_.nearest(seeker_, row, depth(), itself_);
  Searched& shared = searched_[first];
  if (shared.left != left_.size()) shared = {left_.size(), left_.nearest(seeker_, row, depth() + 1, true)};
  std::vector<search::Found> found;
  for (const search::Found& one : shared.found)
    if (found.size() < depth() && (itself_ || one.second != static_cast<std::int64_t>(row))) found.push_back(one);
  return found;
}

// Enemies ---------------------------------------------------------------------------------------------------------

// Prepares for searches from rows of one class. Inside a large class, a search would first meet many rows of the same
// class, so the rows of all other classes get an index of their own, which is valid until a row is removed.
void Enemies::turn_to(std::int64_t group) {
  constexpr std::size_t rows_per_build = 50;  // indexing a row takes about this many times as long as measuring it
  if (counted_ != left_.size()) count();
  if (group == group_) return;
  group_ = nobody;
  rivals_.reset();
  const std::size_t friends = group < 0 ? 0 : sizes_[static_cast<std::size_t>(group)];
  if (group >= 0 && friends * friends >= rows_per_build * rows_.n) {
    std::vector<std::uint8_t> held = left_.held();
    for (std::size_t row = 0; row < rows_.n; ++row) held[row] &= ballot_.group(row) != group;
    rivals_ = std::make_unique<search::Subset>(rows_, std::move(held));
  }
  group_ = group;
}

search::Found Enemies::nearest(search::Seeker& seeker, std::size_t row, double limit) const {
  const EnemyJudge judge(ballot_, row, limit);
  const std::vector<search::Found> found =
      rivals_ ? rivals_->nearest(seeker, row, 1, false) : left_.nearest(seeker, row, 1, false, &judge);
  return found.empty() ? search::Found{base::infinity, -1} : found.front();
}

void Enemies::count() {
  counted_ = left_.size();
  group_ = nobody;
  sizes_.clear();
  for (std::size_t row = 0; row < rows_.n; ++row) {
    const std::int64_t group = ballot_.group(row);
    if (group >= 0 && sizes_.size() <= static_cast<std::size_t>(group)) sizes_.resize(group + 1, 0);
    if (group >= 0 && left_.has(row)) ++sizes_[static_cast<std::size_t>(group)];
  }
}

}  // namespace priorcase::reduction
