// Prequential runs: each row of a stream is first predicted from the rows before it, then stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/index.hpp"
#include "votes/votes.hpp"

namespace priorcase::votes {

struct PollRules {
  std::size_t k;  // 0: the square root of the number of rows, rounded down
  bool whole_ties;
  VoteRule vote;
  base::Root root;
  search::Algorithm algorithm;
};

class Prequential {
 public:
  Prequential(search::Plan plan, search::Ranges ranges, std::vector<double> weights, PollRules rules);
  Prequential(const Prequential&) = delete;  // a query under way points into itself

  std::size_t n_attributes() const { return weights_.size(); }
  const search::Plan& plan() const { return plan_; }

  // The voters on a row among those in the index; nobody where there are fewer rows than are to vote.
  const Poll* ask(search::Index& index, const double* row);

  // The first voter whose distance from the row is infinite only because numbers are too large; -1 where there is none.
  // Where gaps are left out, rows without a known value in common are infinitely far apart by rule.
  std::int64_t too_far(const search::Index& index, const double* row);

  void store(search::Index& index, std::int64_t id, const double* row);

  const search::Ranges& ranges() const { return ranges_; }
  void set_ranges(const search::Ranges& ranges);

 private:
  bool shares_something(const search::Index& index, const double* row, std::int64_t id);

  search::Plan plan_;
  search::Ranges ranges_;
  std::vector<double> weights_, other_;
  PollRules rules_;
  search::Seeker seeker_;
  Poll poll_;
};

// Rows to be predicted and stored one by one; and the ids of all rows with a target, ascending, these among them.
struct Arrivals {
  const double* cells;
  const std::int64_t* ids;
  std::size_t n;
  const std::int64_t* known;
  std::size_t n_known;
};

// Classes of the rows with a target, for several outputs. The weights of the classes of output t, from starts[t] on,
// decide ties, and follow the rows.
struct KnownClasses {
  const std::int64_t* codes;
  std::size_t n_outputs;
  const std::int64_t* starts;
  double* class_weights;
  VoteTies ties;
};

// Numbers of the rows with a target, for several outputs.
struct KnownNumbers {
  const double* numbers;
  std::size_t n_outputs;
};

// The row whose voters are not all at a finite distance, and the first of them that is not: -1 where there is none. It
// and the rows after it are neither predicted nor stored.
struct TooFar {
  std::int64_t row = -1, voter = -1;
};

// What is predicted for each row and output: classes (-1 where there were too few rows to predict from), or means (then
// NaN). An error or an interrupt leaves the stream, the index and the weights as they were.
TooFar classify(Prequential& stream, search::Index& index, const Arrivals& rows, const KnownClasses& known,
                std::vector<std::int64_t>& classes);
TooFar average(Prequential& stream, search::Index& index, const Arrivals& rows, const KnownNumbers& known,
               std::vector<double>& means);

}  // namespace priorcase::votes
