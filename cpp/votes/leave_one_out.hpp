// Leave-one-out scores of many candidates from one search: the neighbors of each row are searched once, and all vote
// rules and values of k are scored from that list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/numbers.hpp"
#include "search/index.hpp"
#include "votes/vote_sums.hpp"
#include "votes/votes.hpp"

namespace priorcase::votes {

// The queries and the candidates: every combination of a vote rule and a k. Pointers are views.
struct LeaveOneOut {
  const double* queries;
  const std::int64_t* own;        // ids of the queries' own rows; -1: the query is not a stored row
  const double* times;            // how many rows each query stands for: its weight in the sums
  const double* attribute_weights;
  const std::int64_t* stored;     // ids of all rows, ascending
  std::size_t n_stored;
  const double* row_weights;      // null: 1 for each
  base::Root root;
  search::Algorithm algorithm;
  std::size_t threads;
  bool whole_ties;
  std::vector<std::size_t> ks;    // ascending
  std::vector<DistanceVote> rules;
  std::vector<std::size_t> blocks;  // block b: queries blocks[b] up to blocks[b + 1], summed together
  search::Version version = 0;      // see search::Request
  base::Gate* gate = nullptr;

  std::size_t n_candidates() const { return ks.size() * rules.size(); }
  std::size_t n_blocks() const { return blocks.size() - 1; }
};

// One output column: the classes of all stored rows and of the queries.
struct ClassColumn {
  const std::int64_t* stored;  // class of each stored row, by position
  const std::int64_t* asked;   // class of each query
  std::size_t n_classes;
  const double* weights;       // total weight of the stored rows of each class
};

// The weights that a prior adds to the classes of a column; null if there is no prior.
struct ClassPrior {
  const double* weights;
  bool equal;  // the same for all classes
};

struct LeftOutClasses {
  std::vector<ClassColumn> columns;
  std::vector<std::vector<ClassPrior>> priors;  // by prior, then by column
  std::vector<double> temperatures;
  const double* left_out;  // how much each query's own row contributes to the class weights
  VoteTies ties;
};

struct LeftOutNumbers {
  const double* stored;  // targets of the stored rows, rows by targets
  const double* asked;   // targets of the queries
  std::size_t n_targets;
};

// Weighted sums over the queries of each block, one block after another. With p the probability of the query's class
// among K classes, for every (vote, k, prior, temperature): `logs` sums -ln p, `surprises` sums -ln((1 - p) / (K - 1)),
// where (1 - p) / (K - 1) is the mean probability of the other classes, and `squares` sums the Brier scores. For every
// (vote, k, prior): `rights` sums the correct predictions.
struct ClassSums {
  std::vector<double> logs, surprises, squares, rights;
  std::vector<std::int64_t> odd;  // queries left to the caller: no neighbor, or one at an infinite distance
};

// Sums of squared and of absolute errors for every (vote, k).
struct NumberSums {
  std::vector<double> squares, absolutes;
  std::vector<std::int64_t> odd;  // as in ClassSums, and queries whose differences of targets are too large
};

// The sums are bit-identical for any number of threads and any order of the search.
ClassSums leave_one_out(search::Index& index, const search::Plan& plan, const LeaveOneOut& work,
                        const LeftOutClasses& classes);
NumberSums leave_one_out(search::Index& index, const search::Plan& plan, const LeaveOneOut& work,
                         const LeftOutNumbers& numbers);

}  // namespace priorcase::votes
