// The rows of a table, and some of them that are searched for those nearest to any row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/threads.hpp"
#include "search/index.hpp"

namespace priorcase::search {

// The rows of a table and how they differ. A row is named by its position; the plan is the caller's.
struct Rows {
  // Throws std::invalid_argument where the parts do not fit each other.
  Rows(const Plan& plan, std::vector<std::uint8_t> coded, std::vector<double> cells, std::vector<double> weights);

  const double* row(std::size_t i) const { return cells.data() + i * coded.size(); }

  const Plan& plan;
  const std::vector<std::uint8_t> coded;
  const std::vector<double> cells, weights;
  const std::size_t n;
};

// Some rows of a table, which join and leave one at a time. Many threads may search; one changes them.
class Subset {
 public:
  // Begins with the rows that are marked.
  Subset(const Rows& rows, std::vector<std::uint8_t> held);

  std::size_t size() const { return index_.n_rows(); }
  bool has(std::size_t row) const { return held_[row]; }
  const std::vector<std::uint8_t>& held() const { return held_; }

  // The first row ever added must be the first of all that will be: an index knows no earlier ids.
  void add(std::size_t row);
  void remove(std::size_t row);

  // Goes back to rows that were held before some change failed. The index is built again by prepare, which every change
  // and every search of many rows begins with.
  void restore(std::vector<std::uint8_t> held);
  void prepare();

  // The k rows of least cost for a row, by cost and then by position; itself only where it may be found.
  std::vector<Found> nearest(Seeker& seeker, std::size_t row, std::size_t k, bool itself, const Judge* judge = nullptr);

  // The nearest of some rows that are held, whatever else is.
  Found nearest_among(Seeker& seeker, std::size_t row, const std::vector<std::int64_t>& rows) const;

  // Shows the judge every row at a cost of at most the limit, but not the row itself; it may be shown further ones.
  void show(Seeker& seeker, std::size_t row, double limit, const Judge& judge);

  // The k nearest of each of some rows that lie one behind the other.
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

// Calls work(seeker, i) for i from first on, shared out among threads. A search takes about 20 microseconds or more.
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
