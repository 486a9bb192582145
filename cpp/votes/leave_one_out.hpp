// Leave-one-out scores of many candidates from one search: each row is asked about once, and all votes and numbers of
// neighbours are scored from its list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/numbers.hpp"
#include "search/index.hpp"
#include "votes/vote_sums.hpp"
#include "votes/votes.hpp"

namespace priorcase::votes {

// The queries and the candidates. Views.
struct LeaveOneOut {
  const double* queries;
  const std::int64_t* own;        // ids of the queries' own rows; -1: the query is no stored row
  const double* times;            // how many rows each query stands for
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
  std::vector<std::size_t> blocks;  // queries blocks[b] to blocks[b + 1] are added up together

  std::size_t n_candidates() const { return ks.size() * rules.size(); }
  std::size_t n_blocks() const { return blocks.size() - 1; }
};

// One column of classes, of all stored rows and of the queries.
struct ClassColumn {
  const std::int64_t* stored;  // class of each stored row, by position
  const std::int64_t* asked;   // class of each query
  std::size_t n_classes;
  const double* weights;       // rows of each class
};

// The weights that a prior adds to the classes of a column; none: null.
struct ClassPrior {
  const double* weights;
  bool equal;  // the same for all classes
};

struct LeftOutClasses {
  std::vector<ClassColumn> columns;
  std::vector<std::vector<ClassPrior>> priors;  // of each prior and column
  std::vector<double> temperatures;
  const double* left_out;  // how much of each query's own row is among the class weights
  VoteTies ties;
};

struct LeftOutNumbers {
  const double* stored;  // targets of the stored rows, row by row
  const double* asked;   // targets of the queries
  std::size_t n_targets;
};

// Sums over the queries of each block, block after block. For every (vote, k, prior, temperature): of -ln p of the
// class, of what -ln p would have been on average had it been another one, and of squared differences; for every
// (vote, k, prior): of right answers.
struct ClassSums {
  std::vector<double> logs, surprises, squares, rights;
  std::vector<std::int64_t> odd;  // queries that are left to the caller: one of their rows is infinitely far away
};

// Sums of squared and of absolute errors for every (vote, k).
struct NumberSums {
  std::vector<double> squares, absolutes;
  std::vector<std::int64_t> odd;  // also queries whose targets are too large
};

// Neither the threads nor the order of the search change a bit of the sums.
ClassSums leave_one_out(search::Index& index, const search::Plan& plan, const LeaveOneOut& work,
                        const LeftOutClasses& classes);
NumberSums leave_one_out(search::Index& index, const search::Plan& plan, const LeaveOneOut& work,
                         const LeftOutNumbers& numbers);

}  // namespace priorcase::votes
