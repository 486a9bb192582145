// Errors of the numbers that neighbours average to.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "votes/leave_one_out_sums.hpp"

namespace priorcase::votes {

struct NumberTask {
  const double* stored;  // targets of the stored rows, row by row
  const double* asked;   // targets of the queries
  std::size_t n_targets;
};

class NumberScores {
 public:
  // Sums over queries of squared and of absolute errors, for every (vote, k).
  struct Sums {
    std::vector<double> squares, absolutes;
  };

  NumberScores(const NumberTask& task, std::size_t n_candidates) : task_(task) {
    sums_.squares.assign(n_candidates, 0.0);
    sums_.absolutes.assign(n_candidates, 0.0);
  }

  // Slot 0 adds up votes, the others votes times what a target lies above the query's: the mean of that is the error.
  const Shares& begin(const RankedList& list, std::size_t query, double times) {
    const std::size_t n = task_.n_targets;
    times_ = times / static_cast<double>(n);
    shares_.clear(n + 1);
    for (const std::size_t row : list.rows) {
      shares_.slots.push_back(0);
      shares_.coefficients.push_back(1.0);
      for (std::size_t t = 0; t < n; ++t) {
        shares_.slots.push_back(t + 1);
        shares_.coefficients.push_back(task_.stored[row * n + t] - task_.asked[query * n + t]);
      }
    }
    shares_.n_slots = n + 1;
    return shares_;
  }

  // Whether sums of the numbers, and squares of their differences, stay finite.
  bool in_range() const {
    return std::all_of(shares_.coefficients.begin(), shares_.coefficients.end(),
                       [](double number) { return std::abs(number) < 1e150; });
  }

  void score(std::size_t candidate, const VoteRuleOf&, const RankedList&, const Cut&, const std::vector<double>& sums) {
    for (std::size_t t = 0; t < task_.n_targets; ++t) {
      const double error = sums[t + 1] / sums[0];
      sums_.squares[candidate] += times_ * error * error;
      sums_.absolutes[candidate] += times_ * std::abs(error);
    }
  }

  Sums take() { return std::move(sums_); }

 private:
  const NumberTask& task_;
  Sums sums_;
  double times_ = 1.0;
  Shares shares_;
};

}  // namespace priorcase::votes
