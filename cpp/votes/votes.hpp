// Predictions from the neighbors of a row: votes, the winning class, the weighted mean, and their losses.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "base/numbers.hpp"
#include "search/nearest.hpp"

namespace priorcase::votes {

// Maps an id to its position in an array of ascending ids. The array must outlive this object.
class Positions {
 public:
  Positions(const std::int64_t* ids, std::size_t n)
      : ids_(ids), n_(static_cast<std::int64_t>(n)), dense_(n_ > 0 && after_first(ids_[n_ - 1]) == n_ - 1) {}

  std::size_t operator()(std::int64_t id) const {
    const std::int64_t at = dense_ ? after_first(id) : std::lower_bound(ids_, ids_ + n_, id) - ids_;
    if (at < 0 || at >= n_ || ids_[at] != id) throw std::out_of_range("a row has no target");
    return static_cast<std::size_t>(at);
  }

 private:
  // Returns the offset of an id from the first one, in unsigned arithmetic: ids may be any integers, and a signed
  // difference could overflow.
  std::int64_t after_first(std::int64_t id) const {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(ids_[0]));
  }

  const std::int64_t* ids_;
  std::int64_t n_;
  bool dense_;
};

// Voters ----------------------------------------------------------------------------------------------------------

enum class VoteRule { uniform, inverse_square };

// The voters on one query: the nearest rows, their distances and their votes.
struct Poll {
  std::vector<std::int64_t> ids;  // nearest first
  std::vector<double> distances, votes;

  void take(const std::vector<search::Found>& found, const base::Root& root, VoteRule rule);

  // Returns the index of the first voter at an infinite distance; the number of voters if there is none.
  std::size_t endless() const {
    return std::find(distances.begin(), distances.end(), base::infinity) - distances.begin();
  }
};

// Sets votes[i] to 1 / d^2 relative to the nearest voter's, which is (distances[0] / distances[i])^2. The votes of rows
// as near as the nearest, whose distance may be 0, are left unchanged: the caller has set them to 1.
void weigh_by_square(const double* distances, std::size_t n, double* votes);

// Classes ---------------------------------------------------------------------------------------------------------

enum class VoteTies { majority, first, nearest, reduce };

struct Electorate {
  const std::int64_t* classes;
  const double* votes;
  const double* distances;
  std::size_t size;  // at least 1
};

// Finds the winning class of the votes on one query: the class with the largest sum, with a rule to break ties.
class Election {
 public:
  // class_weights: number of stored rows of each class; null if it is not known.
  Election(VoteTies ties, const double* class_weights, std::size_t n_classes)
      : ties_(ties), class_weights_(class_weights), mass_(n_classes, 0.0) {}

  // Returns the winning class; -1 for a tie that the caller must break: by dropping the farthest voters, or by the
  // number of rows of each class if `class_weights` is null.
  std::int64_t winner(const Electorate& voters);

  // Returns the first class to win without a tie among the k - 1, k - 2, ... nearest voters; the class of the nearest
  // voter if there is none.
  std::int64_t reduced(const Electorate& voters);

 private:
  std::int64_t among_leaders(const Electorate& voters);
  std::int64_t nearest(const Electorate& voters) const;

  VoteTies ties_;
  const double* class_weights_;
  std::vector<double> mass_;
  std::vector<std::int64_t> leaders_;
};

// Concatenated voters of many queries: those of query q are at starts[q] up to starts[q + 1]. Views.
struct VoteLists {
  const std::int64_t* starts;
  std::size_t n_queries;
  const double* votes;
};

// Returns the winner of each list, -1 as in Election::winner.
std::vector<std::int64_t> elect(const VoteLists& lists, const std::int64_t* classes, const double* distances,
                                Election& election);

// Numbers ---------------------------------------------------------------------------------------------------------

// Returns the mean of the numbers weighted by the votes, added in the given order and clipped to the range of the
// numbers, which rounding could leave.
double weighted_mean(const double* numbers, const double* votes, std::size_t n);

std::vector<double> weighted_means(const VoteLists& lists, const double* numbers);

// Losses ----------------------------------------------------------------------------------------------------------

using Row = std::uint32_t;

// Loss of predicting the target of a row from other rows, its voters, nearest first.
struct Ballot {
  virtual ~Ballot() = default;
  virtual double loss(std::size_t row, const Row* voters, std::size_t n) const = 0;

  // Returns whether two rows are enemies: rows of different classes, or rows whose numeric targets differ by more than
  // `limit`, which is enemy_limit() for the voters of `row`.
  virtual bool are_enemies(std::size_t row, std::size_t other, double limit) const = 0;
  virtual double enemy_limit(const Row* voters, std::size_t n) const = 0;

  // Returns the class of the row, whose members are never enemies of each other; -1 for numeric targets.
  virtual std::int64_t group(std::size_t row) const = 0;
};

// 0-1 loss of the most frequent class. Ties are broken in favor of the smallest class, or of the nearest voter's.
struct Majority final : Ballot {
  Majority(const std::int64_t* labels, bool nearest_breaks_ties) : labels(labels), nearest(nearest_breaks_ties) {}

  double loss(std::size_t row, const Row* voters, std::size_t n) const override;
  bool are_enemies(std::size_t row, std::size_t other, double) const override { return labels[row] != labels[other]; }
  double enemy_limit(const Row*, std::size_t) const override { return 0.0; }
  std::int64_t group(std::size_t row) const override { return labels[row]; }

  const std::int64_t* labels;
  const bool nearest;
};

// Absolute error of the mean, added nearest first. Enemies differ by more than alpha standard deviations of the voters'
// targets.
struct Mean final : Ballot {
  Mean(const double* targets, double alpha) : targets(targets), alpha(alpha) {}

  double loss(std::size_t row, const Row* voters, std::size_t n) const override;
  bool are_enemies(std::size_t row, std::size_t other, double limit) const override {
    return std::fabs(targets[row] - targets[other]) > limit;
  }
  double enemy_limit(const Row* voters, std::size_t n) const override;
  std::int64_t group(std::size_t) const override { return -1; }

  const double* targets;
  const double alpha;
};

}  // namespace priorcase::votes
