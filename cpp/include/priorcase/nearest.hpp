// What a search keeps: the k nearest (cost, id) pairs, ties on request, or all within a limit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "priorcase/plan.hpp"

namespace priorcase {

using Found = std::pair<double, std::int64_t>;

class Nearest {
 public:
  void start(std::size_t k, bool ties) {
    k_ = k;
    ties_ = ties;
    limit_ = infinity;
    found_.clear();
    tied_.clear();
  }

  // Keeps all rows with a cost of at most the limit, however many.
  void start_within(double limit) {
    k_ = 0;
    limit_ = limit;
    found_.clear();
    tied_.clear();
  }

  // A row with a larger cost cannot be kept any more.
  double limit() const { return limit_; }

  void offer(double cost, std::int64_t id) {
    if (!(cost <= limit_)) return;
    const Found row{cost, id};
    if (k_ == 0) {
      found_.push_back(row);
    } else if (found_.size() < k_) {
      found_.push_back(row);
      std::push_heap(found_.begin(), found_.end());
      if (found_.size() == k_) limit_ = found_.front().first;
    } else if (row < found_.front()) {
      const Found lost = found_.front();
      replace_farthest(row);
      limit_ = found_.front().first;
      if (lost.first > limit_)
        tied_.clear();
      else if (ties_)
        tied_.push_back(lost);
    } else if (ties_ && cost == limit_) {
      tied_.push_back(row);
    }
  }

  // The rows kept, by cost and then by id.
  std::vector<Found> take() {
    found_.insert(found_.end(), tied_.begin(), tied_.end());
    std::sort(found_.begin(), found_.end());
    return std::move(found_);
  }

 private:
  // One walk down the heap in place of a pop and a push.
  void replace_farthest(const Found& row) {
    std::size_t hole = 0;
    for (std::size_t child = 1; child < k_; child = 2 * hole + 1) {
      if (child + 1 < k_ && found_[child] < found_[child + 1]) ++child;
      if (found_[child] < row) break;
      found_[hole] = found_[child];
      hole = child;
    }
    found_[hole] = row;
  }

  std::size_t k_ = 0;
  bool ties_ = false;
  double limit_ = infinity;
  std::vector<Found> found_, tied_;
};

}  // namespace priorcase
