// What the neighbours of a row say about it, as a loss: wrong or right, or how far off.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "search/plan.hpp"

namespace priorcase::votes {

using Row = std::uint32_t;

// The loss of a row whose target is told by some others, nearest first.
struct Ballot {
  virtual ~Ballot() = default;
  virtual double loss(std::size_t row, const Row* voters, std::size_t n) const = 0;

  // Whether the target of one row is so far from that of another that they are enemies; the voters are the first one's.
  virtual bool are_enemies(std::size_t row, std::size_t other, double limit) const = 0;
  virtual double enemy_limit(const Row* voters, std::size_t n) const = 0;

  // The number of the class whose rows are no enemies of each other; -1 where there are no classes.
  virtual std::int64_t group(std::size_t row) const = 0;
};

// The most frequent class. Of equally frequent ones the smallest, or that of the nearest voter.
struct Majority final : Ballot {
  Majority(const std::int64_t* labels, bool nearest_breaks_ties) : labels(labels), nearest(nearest_breaks_ties) {}

  std::int64_t winner(const Row* voters, std::size_t n) const {
    std::int64_t best = -1;
    std::size_t most = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::int64_t label = labels[voters[i]];
      std::size_t first = 0, votes = 1;
      while (labels[voters[first]] != label) ++first;
      if (first < i) continue;  // counted with its first voter
      for (std::size_t j = i + 1; j < n; ++j) votes += labels[voters[j]] == label;
      if (votes > most || (votes == most && !nearest && label < best)) {
        best = label;
        most = votes;
      }
    }
    return best;
  }

  double loss(std::size_t row, const Row* voters, std::size_t n) const override {
    return winner(voters, n) == labels[row] ? 0.0 : 1.0;
  }

  bool are_enemies(std::size_t row, std::size_t other, double) const override { return labels[row] != labels[other]; }
  double enemy_limit(const Row*, std::size_t) const override { return 0.0; }
  std::int64_t group(std::size_t row) const override { return labels[row]; }

  const std::int64_t* labels;
  const bool nearest;
};

// The mean, added nearest first; enemies differ by more than alpha standard deviations of the voters.
struct Mean final : Ballot {
  Mean(const double* targets, double alpha) : targets(targets), alpha(alpha) {}

  double mean(const Row* voters, std::size_t n) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) sum += targets[voters[i]];
    return sum / static_cast<double>(n);
  }

  double loss(std::size_t row, const Row* voters, std::size_t n) const override {
    return n == 0 ? base::infinity : std::fabs(targets[row] - mean(voters, n));
  }

  bool are_enemies(std::size_t row, std::size_t other, double limit) const override {
    return std::fabs(targets[row] - targets[other]) > limit;
  }

  double enemy_limit(const Row* voters, std::size_t n) const override {
    if (n == 0) return 0.0;
    const double centre = mean(voters, n);
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) sum += (targets[voters[i]] - centre) * (targets[voters[i]] - centre);
    return alpha * std::sqrt(sum / static_cast<double>(n));
  }

  std::int64_t group(std::size_t) const override { return -1; }

  const double* targets;
  const double alpha;
};

}  // namespace priorcase::votes
