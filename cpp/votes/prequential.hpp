// Each row of a stream is first a question to the rows before it, then one of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
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
  Prequential(search::Plan plan, search::Ranges ranges, std::vector<double> weights, PollRules rules)
      : plan_(std::move(plan)), ranges_(std::move(ranges)), weights_(std::move(weights)), rules_(rules) {
    ranges_.set(plan_);
  }
  Prequential(const Prequential&) = delete;  // a query under way points into itself

  const search::Plan& plan() const { return plan_; }

  // The voters on a row among those in the index; nobody where there are fewer rows than are to vote.
  const Poll* ask(search::Index& index, const double* row) {
    const std::size_t k = rules_.k > 0 ? rules_.k : root_of(index.n_rows());
    if (k == 0 || index.n_rows() < k) return nullptr;
    if (index.is_due()) index.organise(plan_);
    search::Request request;
    request.queries = row;
    request.n_queries = 1;
    request.weights = weights_.data();
    request.k = k;
    request.ties = rules_.whole_ties;
    request.algorithm = rules_.algorithm;
    poll_.take(index.find(plan_, seeker_, request), rules_.root, rules_.vote);
    return &poll_;
  }

  // The first voter whose distance from the row is infinite only because numbers are too large; -1 where there is none.
  // Where gaps are left out, rows without a known value in common are infinitely far apart by rule.
  std::int64_t too_far(const search::Index& index, const double* row) {
    for (std::size_t i = poll_.endless(); i < poll_.ids.size(); ++i)
      if (!plan_.skip || plan_.nothing_shared < base::infinity || shares_something(index, row, poll_.ids[i])) return poll_.ids[i];
    return -1;
  }

  void store(search::Index& index, std::int64_t id, const double* row) {
    ranges_.widen(row, plan_);
    index.append(&id, row, 1);
  }

 private:
  bool shares_something(const search::Index& index, const double* row, std::int64_t id) {
    other_.resize(weights_.size());
    index.copy_row(id, other_.data());
    for (std::size_t a = 0; a < weights_.size(); ++a)
      if (weights_[a] > 0.0 && !std::isnan(row[a]) && !std::isnan(other_[a])) return true;
    return false;
  }

  static std::size_t root_of(std::size_t n) {
    std::size_t root = static_cast<std::size_t>(std::sqrt(static_cast<double>(n)));
    while (root * root > n) --root;
    while ((root + 1) * (root + 1) <= n) ++root;
    return root;
  }

  search::Plan plan_;
  search::Ranges ranges_;
  std::vector<double> weights_, other_;
  PollRules rules_;
  search::Seeker seeker_;
  Poll poll_;
};

}  // namespace priorcase::votes
