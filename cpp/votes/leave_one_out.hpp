// Leave-one-out scores of many candidates from one search: each row is asked about once, and all votes and numbers of
// neighbours are scored from its list while that lies in near memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/index.hpp"
#include "votes/leave_one_out_sums.hpp"
#include "base/threads.hpp"

namespace priorcase::votes {

struct LeaveOneOut {
  const double* queries;
  const std::int64_t* own;        // ids of the queries' own rows; -1: the query is no stored row
  const double* times;            // how many rows each query stands for
  const double* attribute_weights;
  const std::int64_t* stored;     // ids of all rows
  std::size_t n_stored;
  const double* row_weights;      // none: null
  base::Root root;
  search::Algorithm algorithm;
  std::size_t threads;
  bool whole_ties;
  std::vector<std::size_t> ks;    // ascending
  std::vector<VoteRuleOf> rules;
  std::vector<std::size_t> blocks;  // queries blocks[b] to blocks[b + 1] are added up together

  std::size_t n_candidates() const { return ks.size() * rules.size(); }
  std::size_t n_blocks() const { return blocks.size() - 1; }

  std::size_t wanted() const {
    const bool beyond = std::any_of(rules.begin(), rules.end(), [](const auto& rule) { return rule.follows_neighbours(); });
    return ks.back() + beyond;
  }
};

// The queries of one block, asked and scored on one thread.
template <class Scores>
class BlockOfRows {
 public:
  BlockOfRows(search::Index& index, const search::Plan& plan, const LeaveOneOut& task, Scores& scores)
      : index_(index), plan_(plan), task_(task), scores_(scores), position_(task.stored, task.n_stored) {}

  // Queries that have a row infinitely far away, or numbers too large: they are left to the caller.
  std::vector<std::int64_t> odd;

  void run(std::size_t first, std::size_t last) {
    for (std::size_t start = first; start < last; start += at_once) {
      const std::size_t count = std::min(at_once, last - start);
      const std::size_t k = std::min(task_.wanted() + (task_.row_weights != nullptr), task_.n_stored);
      std::vector<std::vector<search::Found>> found = index_.search(plan_, request(start, count, k));
      for (std::size_t i = 0; i < count; ++i) score(start + i, found[i], k);
    }
  }

 private:
  static constexpr std::size_t at_once = 256;

  search::Request request(std::size_t start, std::size_t count, std::size_t k) const {
    search::Request request;
    request.queries = task_.queries + start * index_.n_attributes();
    request.n_queries = count;
    request.weights = task_.attribute_weights;
    request.k = k;
    request.ties = task_.whole_ties;
    request.exclude = task_.row_weights ? nullptr : task_.own + start;
    request.algorithm = task_.algorithm;
    return request;
  }

  // Rows of small weights: more of them are searched until they count for as many as wanted.
  void take(std::size_t query, const std::vector<search::Found>& found, std::size_t k) {
    list_.take(found, task_.root, position_, task_.row_weights, task_.own[query]);
    while (task_.row_weights && k < task_.n_stored && !list_.reaches(static_cast<double>(task_.wanted()))) {
      k = std::min(2 * k, task_.n_stored);
      list_.take(index_.search(plan_, request(query, 1, k))[0], task_.root, position_, task_.row_weights,
                 task_.own[query]);
    }
  }

  void score(std::size_t query, const std::vector<search::Found>& found, std::size_t k) {
    take(query, found, k);
    if (list_.size() == 0 || list_.is_endless()) return odd.push_back(static_cast<std::int64_t>(query));
    cuts_.clear();
    for (const std::size_t neighbours : task_.ks) cuts_.push_back(list_.cut(neighbours, task_.whole_ties));
    const Shares& shares = scores_.begin(list_, query, task_.times[query]);
    if (!scores_.in_range()) return odd.push_back(static_cast<std::int64_t>(query));
    for (std::size_t v = 0; v < task_.rules.size(); ++v) {
      sums_.start(task_.rules[v], list_, shares);
      for (std::size_t i = 0; i < cuts_.size(); ++i)
        scores_.score(v * cuts_.size() + i, task_.rules[v], list_, cuts_[i], sums_.at(cuts_[i]));
    }
  }

  search::Index& index_;
  const search::Plan& plan_;
  const LeaveOneOut& task_;
  Scores& scores_;
  Positions position_;
  RankedList list_;
  std::vector<Cut> cuts_;
  RunningSums sums_;
};

// Calls done(block, sums, odd queries) for every block, on any thread and in any order.
template <class Scores, class Task, class Done>
void leave_one_out(search::Index& index, const search::Plan& plan, const LeaveOneOut& work, const Task& task, const Done& done) {
  base::for_blocks(work.n_blocks(), 1, work.threads, [&] {
    return [&](std::size_t block, std::size_t) {
      Scores scores(task, work.n_candidates());
      BlockOfRows<Scores> rows(index, plan, work, scores);
      rows.run(work.blocks[block], work.blocks[block + 1]);
      done(block, scores.take(), std::move(rows.odd));
    };
  });
}

}  // namespace priorcase::votes
