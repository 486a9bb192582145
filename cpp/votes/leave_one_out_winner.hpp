// Which class the neighbours of a left-out row elect, where sums are too close to tell without adding them up in order.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "votes/election.hpp"
#include "votes/leave_one_out_list.hpp"
#include "votes/leave_one_out_votes.hpp"

namespace priorcase::votes {

// The voters' classes and what else decides.
struct Ballots {
  const VoteRuleOf& rule;
  const RankedList& list;
  const Cut& cut;
  const std::int64_t* classes;    // of the listed rows
  const double* prior;            // of each class; none: null
  const double* class_weights;    // of the rows of each class, the left-out row not counted
  std::size_t n_classes;
  VoteTies ties;
};

class CarefulWinner {
 public:
  std::int64_t operator()(const Ballots& ballots) {
    const std::size_t n = ballots.cut.n_voters();
    const double bandwidth = ballots.rule.bandwidth > 0.0 ? ballots.rule.bandwidth : ballots.cut.bandwidth;
    weigh(ballots.rule, ballots.list.distances.data(), n, bandwidth, votes_);
    mass_.assign(ballots.n_classes, 0.0);
    for (std::size_t i = 0; i < n; ++i) mass_[ballots.classes[i]] += votes_[i] * count(ballots, i);
    lead(ballots, ballots.cut.total);
    if (leaders_.size() == 1) return leaders_.front();
    switch (ballots.ties) {
      case VoteTies::first: return leaders_.front();
      case VoteTies::nearest: return nearest(ballots, n);
      case VoteTies::reduce: return reduced(ballots, n);
      default: break;
    }
    const double* weights = ballots.class_weights;
    return *std::max_element(leaders_.begin(), leaders_.end(),
                             [&](std::int64_t a, std::int64_t b) { return weights[a] < weights[b]; });
  }

 private:
  static double count(const Ballots& ballots, std::size_t i) {
    return i < ballots.cut.whole ? ballots.list.counts[i] : ballots.cut.part;
  }

  // The classes of the largest mass, in ascending order, once masses sum to `total` and the prior is added.
  void lead(const Ballots& ballots, double total) {
    double sum = 0.0;
    for (const double mass : mass_) sum += mass;
    if (ballots.prior != nullptr && sum > 0.0)
      for (std::size_t c = 0; c < mass_.size(); ++c) mass_[c] = mass_[c] * (total / sum) + ballots.prior[c];
    const double most = *std::max_element(mass_.begin(), mass_.end());
    leaders_.clear();
    for (std::size_t c = 0; c < mass_.size(); ++c)
      if (mass_[c] == most) leaders_.push_back(static_cast<std::int64_t>(c));
  }

  std::int64_t nearest(const Ballots& ballots, std::size_t n) const {
    for (std::size_t i = 0; i < n; ++i)
      if (std::find(leaders_.begin(), leaders_.end(), ballots.classes[i]) != leaders_.end()) return ballots.classes[i];
    return leaders_.front();  // only the prior stands behind them
  }

  // The farthest neighbours are dropped one by one until a class leads alone.
  std::int64_t reduced(const Ballots& ballots, std::size_t n) {
    double reach = 0.0;
    reach_.clear();
    for (std::size_t i = 0; i < n; ++i) reach_.push_back(reach += count(ballots, i));
    for (auto fewer = static_cast<std::int64_t>(std::nearbyint(reach)) - 1; fewer > 0; --fewer) {
      const double wanted = static_cast<double>(fewer);
      const std::size_t last = std::min<std::size_t>(
          std::lower_bound(reach_.begin(), reach_.end(), wanted * (1 - slack)) - reach_.begin(), n - 1);
      mass_.assign(ballots.n_classes, 0.0);
      for (std::size_t i = 0; i < last; ++i) mass_[ballots.classes[i]] += votes_[i] * count(ballots, i);
      const double times = count(ballots, last);
      mass_[ballots.classes[last]] += votes_[last] * std::min(times, wanted - (reach_[last] - times));
      lead(ballots, wanted);
      if (leaders_.size() == 1) return leaders_.front();
    }
    return ballots.classes[0];
  }

  std::vector<double> votes_, mass_, reach_;
  std::vector<std::int64_t> leaders_;
};

}  // namespace priorcase::votes
