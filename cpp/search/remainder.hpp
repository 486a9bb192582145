// Some rows of a table, searched for those nearest to any row of it; rows join and leave one at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "search/index.hpp"
#include "base/threads.hpp"

namespace priorcase::search {

// The rows of a table and how they differ: views of what the caller keeps. A row is named by its position.
struct Rows {
  const Plan& plan;
  std::vector<std::uint8_t> coded;
  const double* cells;
  std::size_t n;
  const double* weights;

  const double* row(std::size_t i) const { return cells + i * coded.size(); }
};

// Calls work(seeker, i) for i from first on, shared out among threads.
template <class Work>
void seek_each(std::size_t first, std::size_t last, std::size_t threads, const Work& work) {
  constexpr std::size_t block = 64;
  base::for_blocks(last - first, block, threads, [&] {
    return [&, seeker = std::make_unique<Seeker>()](std::size_t start, std::size_t stop) {
      for (std::size_t i = first + start; i < first + stop; ++i) work(*seeker, i);
    };
  });
}

class Remainder {
 public:
  // Begins with the rows that are marked.
  Remainder(const Rows& rows, std::vector<std::uint8_t> held)
      : rows_(rows), index_(rows.coded), held_(std::move(held)) {
    if (!index_.covers(rows.plan, rows.cells, rows.n))
      throw std::invalid_argument("the plan does not know some of the symbols of the rows");
    for (std::size_t i = 0; i < rows.n; ++i) {
      const std::int64_t id = static_cast<std::int64_t>(i);
      if (held_[i]) index_.append(&id, rows.row(i), 1);
    }
    tidy();
  }

  std::size_t size() const { return index_.n_rows(); }
  bool has(std::size_t row) const { return held_[row]; }
  const std::vector<std::uint8_t>& held() const { return held_; }

  // The first row ever added must be the first of all that will be: an index knows no earlier ids.
  void add(std::size_t row) {
    const std::int64_t id = static_cast<std::int64_t>(row);
    index_.append(&id, rows_.row(row), 1);
    held_[row] = 1;
    tidy();
  }

  void remove(std::size_t row) {
    index_.remove(static_cast<std::int64_t>(row));
    held_[row] = 0;
    tidy();
  }

  // The k rows of least cost for a row, by cost and then by position; itself only where it may be found.
  std::vector<Found> nearest(Seeker& seeker, std::size_t row, std::size_t k, bool itself,
                             const Judge* judge = nullptr) {
    const std::int64_t own = static_cast<std::int64_t>(row);
    Request request = one(row, judge);
    request.k = k;
    request.exclude = itself ? nullptr : &own;
    return index_.find(rows_.plan, seeker, request);
  }

  // The nearest of some rows that are held, whatever else is.
  Found nearest_among(std::size_t row, const std::vector<std::int64_t>& rows) const {
    std::vector<double> costs(rows.size());
    Seeker seeker;
    index_.costs(rows_.plan, seeker, rows_.row(row), rows_.weights, rows.data(), rows.size(), costs.data());
    Found best{base::infinity, std::numeric_limits<std::int64_t>::max()};
    for (std::size_t i = 0; i < rows.size(); ++i) best = std::min(best, Found{costs[i], rows[i]});
    return best;
  }

  // Shows the judge every row at a cost of at most the limit, but not the row itself; it may be shown further ones.
  void show(Seeker& seeker, std::size_t row, double limit, const Judge& judge) {
    const std::int64_t own = static_cast<std::int64_t>(row);
    Request request = one(row, &judge);
    request.limits = &limit;
    request.exclude = &own;
    index_.find(rows_.plan, seeker, request);
  }

  // The k nearest of each of some rows that lie one behind the other.
  std::vector<std::vector<Found>> nearest_of(std::size_t first, std::size_t last, std::size_t k, bool itself,
                                             std::size_t threads) {
    std::vector<std::int64_t> own;
    for (std::size_t i = first; i < last; ++i) own.push_back(static_cast<std::int64_t>(i));
    Request request = one(first, nullptr);
    request.n_queries = last - first;
    request.k = k;
    request.exclude = itself ? nullptr : own.data();
    request.threads = threads;
    return index_.search(rows_.plan, request);
  }

 private:
  Request one(std::size_t row, const Judge* judge) const {
    Request request;
    request.queries = rows_.row(row);
    request.n_queries = 1;
    request.weights = rows_.weights;
    request.judge = judge;
    return request;
  }

  void tidy() {
    if (index_.is_due()) index_.organise(rows_.plan);
  }

  const Rows& rows_;
  Index index_;
  std::vector<std::uint8_t> held_;
};

}  // namespace priorcase::search
