// Weight, mean and squared deviations of the numbers of each class, row after row (West 1979).
//
// The sums depend on the order of the rows and on nothing else: rows that come later continue where earlier ones ended,
// and give the same bits as one pass over all of them. The mean is kept in two parts, so that columns far from 0 lose
// nothing.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/threads.hpp"

namespace priorcase::bayes {

struct RunningMoments {
  static constexpr double least = std::numeric_limits<double>::denorm_min();
  double n, mean, low, deviation;  // the mean is mean + low

  void add(double x, double w) {
    const double before = n, away = (x - mean) - low;
    n += w;
    if (before == 0) {
      mean = x;
      return;
    }
    // The smaller part moves the mean: a row of most of the weight is not reached from afar.
    const double from = w > before ? x : mean;
    low = w > before ? before / n * -away : low + w / n * away;
    mean = from + low;
    low -= mean - from;
    deviation += before * w / n * (away * away);
    if (away != 0 && deviation == 0) deviation = least;  // too small to square
  }
};

static_assert(sizeof(RunningMoments) == 4 * sizeof(double));

// Adds rows to the moments of their classes, one block of n_classes for each column. Missing numbers, rows of no weight and classes below 0 are left out.
class MomentsAdder {
 public:
  MomentsAdder(std::vector<const double*> columns, const std::int32_t* codes, const double* weights)
      : columns_(std::move(columns)), codes_(codes), weights_(weights) {}

  void add(std::size_t n, RunningMoments* moments, std::size_t n_classes, std::size_t threads) const {
    const std::size_t groups = (columns_.size() + side_by_side - 1) / side_by_side;
    std::atomic<std::size_t> next{0};
    base::run_on_threads(std::min(threads, groups), [&](const std::atomic<bool>&) {
      for (std::size_t g; (g = next.fetch_add(1)) < groups;) add_group(g * side_by_side, n, moments, n_classes);
    });
  }

 private:
  // Each addition waits for the one before it: a few columns together keep the processor busy meanwhile.
  static constexpr std::size_t side_by_side = 4;

  void add_group(std::size_t first, std::size_t n, RunningMoments* moments, std::size_t n_classes) const {
    const std::size_t last = std::min(first + side_by_side, columns_.size());
    for (std::size_t row = 0; row < n; ++row) {
      const std::int32_t code = codes_[row];
      const double w = weights_ == nullptr ? 1.0 : weights_[row];
      if (code < 0 || w == 0) continue;
      for (std::size_t c = first; c < last; ++c) {
        const double x = columns_[c][row];
        if (x == x) moments[c * n_classes + static_cast<std::size_t>(code)].add(x, w);
      }
    }
  }

  std::vector<const double*> columns_;
  const std::int32_t* codes_;
  const double* weights_;
};

}  // namespace priorcase::bayes
