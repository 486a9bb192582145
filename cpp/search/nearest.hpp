// The rows that a search keeps: the k nearest (cost, id) pairs, with ties on request, or all pairs within a limit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/numbers.hpp"

namespace priorcase::search {

using Found = std::pair<double, std::int64_t>;

// For a large k: rows are counted by cost as they come, and sorted once at the end. Costs fall into bins of equal
// width. Once the bins up to some bin hold k rows, no row beyond that bin can be kept. So the limit shrinks by
// counting, while a heap would compare rows and mispredict half of the branches.
class NearestMany {
 public:
  void start(std::size_t k, bool ties, double limit) {
    k_ = most_ = k;
    ties_ = ties;
    limit_ = limit;
    factor_ = 0.0;
    size_ = 0;
  }

  // No row with a larger cost can be kept. It may be slightly above the k-th smallest cost.
  double limit() const { return limit_; }

  void guess(double limit) { limit_ = limit; }

  bool has_enough() const {
    const auto end = found_.begin() + static_cast<std::ptrdiff_t>(size_);
    const auto within = [this](const Found& row) { return row.first <= limit_; };
    return static_cast<std::size_t>(std::count_if(found_.begin(), end, within)) >= k_;
  }

  // The cost must not exceed the limit.
  void offer(const Found& row) {
    if (size_ == found_.size()) found_.resize(2 * size_ + 64);
    found_[size_++] = row;
    if (factor_ > 0.0) {
      const std::size_t bin = bin_of(row.first);
      ++counts_[bin];
      inside_ += bin <= last_;
      if (inside_ - counts_[last_] >= k_) shrink();
    }
    if (size_ == most_) settle();
  }

  // Returns the kept rows, ordered by cost, then by id.
  std::vector<Found> take() {
    std::vector<Found> sorted = factor_ > 0.0 ? by_bin() : all();
    std::size_t end = std::min(k_, sorted.size());
    while (ties_ && end < sorted.size() && sorted[end].first == sorted[k_ - 1].first) ++end;
    sorted.resize(end);
    return sorted;
  }

 private:
  static constexpr std::size_t bins = 256;
  // If fewer bins than this are left, the limit is too coarse, and the bins are laid out again.
  static constexpr std::size_t coarse = 16;
  // Slack for rounding, so that no cost in a bin exceeds the bin's upper end.
  static constexpr double slack = 1.0 + 1e-14;

  // Monotonic: a larger cost never falls into an earlier bin.
  std::size_t bin_of(double cost) const { return static_cast<std::size_t>(std::min(cost * factor_, bins - 1.0)); }

  void shrink() {
    do inside_ -= counts_[last_--];
    while (inside_ - counts_[last_] >= k_);
    limit_ = std::min(limit_, static_cast<double>(last_ + 1) / factor_ * slack);
    if (last_ < coarse) settle();
  }

  // Drops the rows that cannot be kept, and lays the bins out between 0 and the k-th smallest cost so far.
  void settle() {
    const auto begin = found_.begin(), last = begin + static_cast<std::ptrdiff_t>(k_) - 1;
    auto end = begin + static_cast<std::ptrdiff_t>(size_);
    if (size_ == k_)
      std::iter_swap(std::max_element(begin, end), last);
    else
      std::nth_element(begin, last, end);
    limit_ = std::min(limit_, last->first);
    if (ties_)
      end = std::partition(last + 1, end, [this](const Found& row) { return row.first == limit_; });
    else
      end = last + 1;
    size_ = static_cast<std::size_t>(end - begin);
    most_ = 4 * size_;
    const bool countable = limit_ > 1e-250 && limit_ < 1e250;
    factor_ = countable ? static_cast<double>(bins) / limit_ : 0.0;
    if (!countable) return;
    std::fill(counts_, counts_ + bins, std::size_t{0});
    for (std::size_t i = 0; i < size_; ++i) ++counts_[bin_of(found_[i].first)];
    last_ = bins - 1;
    inside_ = size_;
  }

  std::vector<Found> all() const {
    std::vector<Found> sorted(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(size_));
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }

  // Returns the rows up to the bin `last_`, sorted by bin and then within each bin.
  std::vector<Found> by_bin() {
    std::vector<Found> sorted(inside_);
    std::size_t starts[bins + 1], at = 0;
    for (std::size_t bin = 0; bin <= last_; ++bin) {
      starts[bin] = at;
      at += counts_[bin];
    }
    for (std::size_t i = 0; i < size_; ++i)
      if (const std::size_t bin = bin_of(found_[i].first); bin <= last_) sorted[starts[bin]++] = found_[i];
    for (std::size_t bin = 0, from = 0; bin <= last_; from += counts_[bin++])
      if (counts_[bin] > 1) std::sort(sorted.begin() + from, sorted.begin() + from + counts_[bin]);
    return sorted;
  }

  std::size_t k_ = 0, size_ = 0, most_ = 0, last_ = 0, inside_ = 0;
  bool ties_ = false;
  double limit_ = base::infinity, factor_ = 0.0;
  std::size_t counts_[bins];
  std::vector<Found> found_;
};

class Nearest {
 public:
  // Looks for the k nearest rows. At least k rows must be known to have a cost within the limit.
  void start(std::size_t k, bool ties, double limit = base::infinity) {
    k_ = k;
    ties_ = ties;
    limit_ = limit;
    found_.clear();
    tied_.clear();
    if (k > few)
      many_.start(k, ties, limit);
    else
      found_.reserve(k);
  }

  // Looks for all rows within the limit, however many there are.
  void start_within(double limit) {
    k_ = 0;
    limit_ = limit;
    found_.clear();
    tied_.clear();
  }

  // Starts again with the same k. At least k rows must be known to have a cost within the limit.
  void start_again(double limit) { start(k_, ties_, limit); }

  // Lowers the limit to a guess. There may turn out to be fewer than k rows within it: check has_enough at the end.
  void guess(double limit) {
    limit_ = limit;
    many_.guess(limit);
  }

  // Whether k rows within the limit were found.
  bool has_enough() const {
    if (k_ == 0 || limit_ == base::infinity) return true;
    return k_ > few ? many_.has_enough() : found_.size() == k_ && found_.back().first <= limit_;
  }

  std::size_t wanted() const { return k_; }

  // No row with a larger cost can be kept.
  double limit() const { return limit_; }

  void offer(double cost, std::int64_t id) {
    if (cost <= limit_) keep({cost, id});
  }

  // Returns the kept rows, ordered by cost, then by id.
  std::vector<Found> take() {
    if (k_ > few) return many_.take();
    found_.insert(found_.end(), tied_.begin(), tied_.end());
    std::sort(found_.begin(), found_.end());
    return std::move(found_);
  }

 private:
  // Up to this k, rows are kept sorted.
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
      if (found_.size() == k_) limit_ = std::min(limit_, found_.back().first);
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
    limit_ = std::min(limit_, found_.back().first);
    if (lost.first > limit_)
      tied_.clear();
    else if (ties_)
      tied_.push_back(lost);
  }

  // Moves the last row to its position among the sorted ones.
  void sift_left() {
    const Found row = found_.back();
    std::size_t hole = found_.size() - 1;
    for (; hole > 0 && row < found_[hole - 1]; --hole) found_[hole] = found_[hole - 1];
    found_[hole] = row;
  }

  std::size_t k_ = 0;
  bool ties_ = false;
  double limit_ = base::infinity;
  std::vector<Found> found_, tied_;
  NearestMany many_;
};

}  // namespace priorcase::search
