// The rows of a table, and subsets of them that can be searched for the rows nearest to any row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/threads.hpp"
#include "search/index.hpp"

namespace priorcase::search {

// The rows of a table and the plan that compares them. A row is identified by its position. The plan must outlive this
// object.
struct Rows {
  // Throws std::invalid_argument if the arguments do not match each other.
  Rows(const Plan& plan, std::vector<std::uint8_t> coded, std::vector<double> cells, std::vector<double> weights);

  const double* row(std::size_t i) const { return cells.data() + i * coded.size(); }

  const Plan& plan;
  const std::vector<std::uint8_t> coded;
  const std::vector<double> cells, weights;
  const std::size_t n;
};

// Some rows of a table, which are added and removed one at a time. Several threads may search at once; changes are made
// by one thread alone.
class Subset {
 public:
  // Starts with the rows that are marked in `held`.
  Subset(const Rows& rows, std::vector<std::uint8_t> held);

  std::size_t size() const { return index_.n_rows(); }
  bool has(std::size_t row) const { return held_[row]; }
  const std::vector<std::uint8_t>& held() const { return held_; }

  // The first row ever added must be the one with the lowest position: the index cannot store ids below its first.
  void add(std::size_t row);
  void remove(std::size_t row);

  // Restores the rows held before a failed change. The index is rebuilt by `prepare`, which callers call before every
  // change and every search of many rows.
  void restore(std::vector<std::uint8_t> held);
  void prepare();

  // Returns the k nearest held rows of a row, ordered by cost, then by position. `itself`: whether the row may find
  // itself.
  std::vector<Found> nearest(Seeker& seeker, std::size_t row, std::size_t k, bool itself, const Judge* judge = nullptr);

  // Returns the nearest of some rows, all of which must be held; other held rows are ignored.
  Found nearest_among(Seeker& seeker, std::size_t row, const std::vector<std::int64_t>& rows) const;

  // Calls the judge for every held row within the cost limit, except the row itself. It may be called for further rows.
  void show(Seeker& seeker, std::size_t row, double limit, const Judge& judge);

  // Returns the k nearest held rows of each row in [first, last).
  std::vector<std::vector<Found>> nearest_of(std::size_t first, std::size_t last, std::size_t k, bool itself,
                                             std::size_t threads);

 private:
  Request one(std::size_t row, const Judge* judge) const;
  Index built(const std::vector<std::uint8_t>& held) const;
  void organise_if_due();

  const Rows& rows_;
  std::vector<std::uint8_t> held_;
  Index index_;
  bool is_stale_ = false;
};

// Calls work(seeker, i) for each i in [first, last) on several threads. Blocks are small, since a search takes 20
// microseconds or more.
template <class Work>
void seek_each(std::size_t first, std::size_t last, std::size_t threads, const Work& work) {
  constexpr std::size_t block = 8;
  base::for_blocks(last - first, block, threads, [&] {
    return [&, seeker = std::make_unique<Seeker>()](std::size_t start, std::size_t stop) {
      for (std::size_t i = first + start; i < first + stop; ++i) work(*seeker, i);
    };
  });
}

}  // namespace priorcase::search
