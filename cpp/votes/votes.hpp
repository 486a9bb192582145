// What the neighbours of a row say about it: their votes, the class that wins, the mean, and how wrong these are.
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

// Where a row lies among some rows with ascending ids, which must outlive it.
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
  // How far an id is from the first one; any number may be an id, and the difference may overflow.
  std::int64_t after_first(std::int64_t id) const {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(ids_[0]));
  }

  const std::int64_t* ids_;
  std::int64_t n_;
  bool dense_;
};

// Voters ----------------------------------------------------------------------------------------------------------

enum class VoteRule { uniform, inverse_square };

// The voters on one query: the nearest rows, how far away they are, and how much the word of each counts.
struct Poll {
  std::vector<std::int64_t> ids;  // nearest first
  std::vector<double> distances, votes;

  void take(const std::vector<search::Found>& found, const base::Root& root, VoteRule rule);

  // The first voter at an infinite distance; the number of voters where there is none.
  std::size_t endless() const {
    return std::find(distances.begin(), distances.end(), base::infinity) - distances.begin();
  }
};

// votes[i] = 1 / d^2 relative to the nearest voter's, which is 1; rows as near as that count the same.
void weigh_by_square(const double* distances, std::size_t n, double* votes);

// Classes ---------------------------------------------------------------------------------------------------------

enum class VoteTies { majority, first, nearest, reduce };

struct Electorate {
  const std::int64_t* classes;
  const double* votes;
  const double* distances;
  std::size_t size;  // at least 1
};

// Which class the votes on one query are for: the largest sum wins, and a rule decides between equal sums.
class Election {
 public:
  // class_weights: how many stored rows each class has; null where nobody counted them.
  Election(VoteTies ties, const double* class_weights, std::size_t n_classes)
      : ties_(ties), class_weights_(class_weights), mass_(n_classes, 0.0) {}

  // The winner; -1 where votes are equal and farther voters are to be left out, or the rows of classes to be counted.
  std::int64_t winner(const Electorate& voters);

  // The winner among the k - 1, k - 2, ... nearest voters, whichever lead alone first; else the nearest voter's class.
  std::int64_t reduced(const Electorate& voters);

 private:
  std::int64_t among_leaders(const Electorate& voters);
  std::int64_t nearest(const Electorate& voters) const;

  VoteTies ties_;
  const double* class_weights_;
  std::vector<double> mass_;
  std::vector<std::int64_t> leaders_;
};

// Voters of many queries, one list behind the other: query q's are at starts[q] up to starts[q + 1]. Views.
struct VoteLists {
  const std::int64_t* starts;
  std::size_t n_queries;
  const double* votes;
};

// The winner of each list, -1 where it is open.
std::vector<std::int64_t> elect(const VoteLists& lists, const std::int64_t* classes, const double* distances,
                                Election& election);

// Numbers ---------------------------------------------------------------------------------------------------------

// Added one by one in their order; never outside the range of the numbers, which rounding could leave.
double weighted_mean(const double* numbers, const double* votes, std::size_t n);

std::vector<double> weighted_means(const VoteLists& lists, const double* numbers);

// Losses ----------------------------------------------------------------------------------------------------------

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

  double loss(std::size_t row, const Row* voters, std::size_t n) const override;
  bool are_enemies(std::size_t row, std::size_t other, double) const override { return labels[row] != labels[other]; }
  double enemy_limit(const Row*, std::size_t) const override { return 0.0; }
  std::int64_t group(std::size_t row) const override { return labels[row]; }

  const std::int64_t* labels;
  const bool nearest;
};

// The mean, added nearest first; enemies differ by more than alpha standard deviations of the voters.
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
