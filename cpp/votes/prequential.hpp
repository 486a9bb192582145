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
  Prequential(const Prequential&) = delete;  // a running query holds pointers into this object

  std::size_t n_attributes() const { return weights_.size(); }
  const search::Plan& plan() const { return plan_; }

  // Returns the voters on a row from the index; null if the index has no rows, or fewer than k.
  const Poll* ask(search::Index& index, const double* row, search::Version version = 0, base::Gate* gate = nullptr);

  // Returns the id of the first voter whose distance from the row has overflowed to infinity; -1 if there is none.
  // Where missing values are skipped, two rows may be infinitely far apart by definition, since they have no attribute
  // for which both values are known: such voters do not count as too far.
  std::int64_t too_far(const search::Index& index, const double* row);

  void store(search::Index& index, std::int64_t id, const double* row, search::Version version = 0,
             base::Gate* gate = nullptr);

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

// Rows to be predicted and stored one by one, and the ascending ids of all rows with a target, which include them. The
// rows are stored in a new version of an index that others may search meanwhile, but not change.
struct Arrivals {
  const double* cells;
  const std::int64_t* ids;
  std::size_t n;
  const std::int64_t* known;
  std::size_t n_known;
  search::Version version = 0;
  base::Gate* gate = nullptr;
};

// Classes of the rows with a target, for several outputs. class_weights from starts[t] on holds the number of rows of
// each class of output t; it breaks ties and is updated with every stored row.
struct KnownClasses {
  const std::int64_t* codes;
  std::size_t n_outputs;
  const std::int64_t* starts;
  double* class_weights;
  VoteTies ties;
};

// Numeric targets of the rows with a target, for several outputs.
struct KnownNumbers {
  const double* numbers;
  std::size_t n_outputs;
};

// The position of the first row with a voter that is too far away (see Prequential::too_far), and the id of that voter;
// both are -1 if there is none. That row and those after it are neither predicted nor stored.
struct TooFar {
  std::int64_t row = -1, voter = -1;
};

// Predict each row and output: `classify` a class (-1 where there were too few rows to predict from), `average` a mean
// (NaN in that case). After an error or an interrupt, the stream, the index and the class weights are as before the
// call.
TooFar classify(Prequential& stream, search::Index& index, const Arrivals& rows, const KnownClasses& known,
                std::vector<std::int64_t>& classes);
TooFar average(Prequential& stream, search::Index& index, const Arrivals& rows, const KnownNumbers& known,
               std::vector<double>& means);

}  // namespace priorcase::votes
