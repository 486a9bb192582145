// What a search keeps: the k nearest (cost, id) pairs, ties on request, or all within a limit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "priorcase/nearest_many.hpp"
#include "priorcase/plan.hpp"

namespace priorcase {

class Nearest {
 public:
  void start(std::size_t k, bool ties) {
    k_ = k;
    ties_ = ties;
    limit_ = infinity;
    found_.clear();
    tied_.clear();
    if (k > few) many_.start(k, ties);
  }

  // Keeps all rows with a cost of at most the limit, however many.
  void start_within(double limit) {
    k_ = 0;
    limit_ = limit;
    found_.clear();
    tied_.clear();
  }

  std::size_t wanted() const { return k_; }

  // A row with a larger cost cannot be kept any more.
  double limit() const { return limit_; }

  void offer(double cost, std::int64_t id) {
    if (cost <= limit_) keep({cost, id});
  }

  // The rows kept, by cost and then by id.
  std::vector<Found> take() {
    if (k_ > few) return many_.take();
    found_.insert(found_.end(), tied_.begin(), tied_.end());
    std::sort(found_.begin(), found_.end());
    return std::move(found_);
  }

 private:
  // Up to this many are kept sorted.
  static constexpr std::size_t few = 32;

  void keep(const Found& row) {
    if (k_ == 0) {
      found_.push_back(row);
    } else if (k_ > few) {
      many_.offer(row);
      limit_ = many_.limit();
    } else if (found_.size() < k_) {
      found_.push_back(row);
      sift_left();
      if (found_.size() == k_) limit_ = found_.back().first;
    } else if (row < found_.back()) {
      replace_farthest(row);
    } else if (ties_ && row.first == limit_) {
      tied_.push_back(row);
    }
  }

  void replace_farthest(const Found& row) {
    const Found lost = found_.back();
    found_.back() = row;
    sift_left();
    limit_ = found_.back().first;
    if (lost.first > limit_)
      tied_.clear();
    else if (ties_)
      tied_.push_back(lost);
  }

  // Moves the last row to its place among the sorted ones.
  void sift_left() {
    const Found row = found_.back();
    std::size_t hole = found_.size() - 1;
    for (; hole > 0 && row < found_[hole - 1]; --hole) found_[hole] = found_[hole - 1];
    found_[hole] = row;
  }

  std::size_t k_ = 0;
  bool ties_ = false;
  double limit_ = infinity;
  std::vector<Found> found_, tied_;
  NearestMany many_;
};

}  // namespace priorcase
