// How well all other rows, each with a vote exp(-cost), tell the target of one row; and how the loss changes with costs.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/plan.hpp"

namespace priorcase::relevance {

enum class StretchLoss { log, errors, squared };

// What is to be told, for some rows.
struct StretchTargets {
  StretchLoss loss = StretchLoss::log;
  const std::int64_t* labels = nullptr;  // classes, where the loss is not the squared one
  const double* numbers = nullptr;       // else, with mean 0
  const double* shares = nullptr;        // of each class among all rows
  const double* votes = nullptr;         // how many rows each row stands for when it votes; 0: it does not
};

class SoftVote {
 public:
  // A row and the derivative of the loss by its cost.
  struct Voter {
    std::size_t row;
    double pull;
  };

  // The part of the probability that does not come from votes, so that one odd row does not decide everything.
  static constexpr double doubt = 0.01;

  // The loss of one of n rows, given their costs: of this row one repetition is left out. Where nobody votes, it is told
  // by the shares of the classes, or by the mean. Afterwards voters are those whose votes matter.
  double operator()(const StretchTargets& targets, std::size_t own, std::size_t n, double* costs) {
    voters.clear();
    const double left = targets.votes[own] - 1.0;
    if (!(left > 0.0)) costs[own] = base::infinity;
    double nearest = base::infinity;
    for (std::size_t j = 0; j < n; ++j)
      if (targets.votes[j] > 0.0 && costs[j] < nearest) nearest = costs[j];
    if (!(nearest < base::infinity)) return untold(targets, own);
    total_ = 0.0;
    for (std::size_t j = 0; j < n; ++j) {
      const double beyond = costs[j] - nearest;
      if (!(beyond < reach) || !(targets.votes[j] > 0.0)) continue;
      const double vote = std::exp(-beyond) * (j == own ? left : targets.votes[j]);
      total_ += vote;
      voters.push_back({j, vote});
    }
    return targets.loss == StretchLoss::squared ? of_number(targets, own) : of_class(targets, own);
  }

  std::vector<Voter> voters;

 private:
  static constexpr double reach = 25.0;  // exp(-25) is next to nothing beside 1

  static double untold(const StretchTargets& targets, std::size_t own) {
    if (targets.loss == StretchLoss::squared) return targets.numbers[own] * targets.numbers[own];
    const double share = targets.shares[targets.labels[own]];
    return targets.loss == StretchLoss::log ? -std::log(share) : 1.0 - share;
  }

  double of_class(const StretchTargets& targets, std::size_t own) {
    const std::int64_t label = targets.labels[own];
    double right = 0.0;
    for (const Voter& voter : voters)
      if (targets.labels[voter.row] == label) right += voter.pull;
    const double p = right / total_;
    const double sure = (1.0 - doubt) * p + doubt * targets.shares[label];
    const bool is_log = targets.loss == StretchLoss::log;
    const double slope = is_log ? (1.0 - doubt) / sure : 1.0;  // minus the derivative of the loss by p
    for (Voter& voter : voters) voter.pull *= slope * ((targets.labels[voter.row] == label ? 1.0 : 0.0) - p) / total_;
    return is_log ? -std::log(sure) : 1.0 - p;
  }

  double of_number(const StretchTargets& targets, std::size_t own) {
    double sum = 0.0;
    for (const Voter& voter : voters) sum += voter.pull * targets.numbers[voter.row];
    const double told = sum / total_, off = targets.numbers[own] - told;
    for (Voter& voter : voters) voter.pull *= 2.0 * off * (targets.numbers[voter.row] - told) / total_;
    return off * off;
  }

  double total_ = 0.0;
};

}  // namespace priorcase::relevance
