// Scores of the classes that neighbours vote for: logs, right answers, squares, for every prior and temperature.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "priorcase/leave_one_out_sums.hpp"
#include "priorcase/leave_one_out_winner.hpp"

namespace priorcase {

// One column of classes, of all stored rows and of the queries.
struct ClassColumn {
  const std::int64_t* stored;  // class of each stored row, by position
  const std::int64_t* asked;   // class of each query
  std::size_t n_classes;
  const double* weights;       // rows of each class
};

struct ClassTask {
  std::vector<ClassColumn> columns;
  std::vector<std::vector<const double*>> priors;  // of each prior and column, the weights of the classes; none: null
  std::vector<double> temperatures;
  const double* left_out;  // how much of each query's own row is among the class weights
  VoteTies ties;
};

class ClassScores {
 public:
  // Sums over queries: of -ln p of the class, of what -ln p would have been on average had it been another one, and of
  // squared differences, for every (vote, k, prior, temperature); of right answers for every (vote, k, prior).
  struct Sums {
    std::vector<double> logs, surprises, squares, rights;
  };

  ClassScores(const ClassTask& task, std::size_t n_candidates) : task_(task) {
    const std::size_t each = task.priors.size() * task.temperatures.size();
    for (auto* sums : {&sums_.logs, &sums_.surprises, &sums_.squares}) sums->assign(n_candidates * each, 0.0);
    sums_.rights.assign(n_candidates * task.priors.size(), 0.0);
    for (const ClassColumn& column : task.columns) slot_of_.emplace_back(column.n_classes, none);
  }

  const Shares& begin(const RankedList& list, std::size_t query, double times) {
    query_ = query;
    times_ = times / static_cast<double>(task_.columns.size());
    for (const auto& [t, c] : held_) slot_of_[t][c] = none;
    held_.clear();
    shares_.clear(task_.columns.size());
    classes_.resize(task_.columns.size());
    for (auto& classes : classes_) classes.clear();
    for (const std::size_t row : list.rows)
      for (std::size_t t = 0; t < task_.columns.size(); ++t) {
        const std::int64_t c = task_.columns[t].stored[row];
        classes_[t].push_back(c);
        if (slot_of_[t][c] == none) {
          slot_of_[t][c] = held_.size();
          held_.emplace_back(t, c);
        }
        shares_.slots.push_back(slot_of_[t][c]);
        shares_.coefficients.push_back(1.0);
      }
    shares_.n_slots = held_.size();
    return shares_;
  }

  bool in_range() const { return true; }

  void score(std::size_t candidate, const VoteRuleOf& rule, const RankedList& list, const Cut& cut,
             const std::vector<double>& sums) {
    for (std::size_t t = 0; t < task_.columns.size(); ++t) {
      double total = 0.0;
      for (std::size_t s = 0; s < sums.size(); ++s)
        if (held_[s].first == t) total += sums[s];
      for (std::size_t p = 0; p < task_.priors.size(); ++p) {
        weigh_classes(t, task_.priors[p][t], cut.total / total, sums);
        sums_.rights[candidate * task_.priors.size() + p] += times_ * is_right(t, p, rule, list, cut);
        score_probabilities(t, (candidate * task_.priors.size() + p) * task_.temperatures.size());
      }
    }
  }

  Sums take() { return std::move(sums_); }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  static constexpr double close = 1e-9;

  // A class's mass, or the mass that several classes without votes have each.
  struct Entry {
    double mass, times;
  };

  std::int64_t own(std::size_t t) const { return task_.columns[t].asked[query_]; }

  // Entry 0 is the query's own class.
  void weigh_classes(std::size_t t, const double* prior, double scale, const std::vector<double>& sums) {
    const std::size_t n = task_.columns[t].n_classes, at = slot_of_[t][own(t)];
    entries_.clear();
    const auto mass = [&](std::size_t s, std::int64_t c) { return prior ? sums[s] * scale + prior[c] : sums[s]; };
    entries_.push_back({at != none ? mass(at, own(t)) : prior ? prior[own(t)] : 0.0, 1.0});
    std::size_t voted = at != none;
    for (std::size_t s = 0; s < sums.size(); ++s)
      if (held_[s].first == t && s != at) {
        entries_.push_back({mass(s, held_[s].second), 1.0});
        ++voted;
      }
    const double silent = static_cast<double>(n - voted - (at == none));
    if (silent == 0.0) return;
    if (prior == nullptr || std::all_of(prior, prior + n, [&](double weight) { return weight == prior[0]; })) {
      entries_.push_back({prior ? prior[0] : 0.0, silent});
      return;
    }
    for (std::size_t c = 0; c < n; ++c)
      if (slot_of_[t][c] == none && static_cast<std::int64_t>(c) != own(t)) entries_.push_back({prior[c], 1.0});
  }

  bool is_right(std::size_t t, std::size_t p, const VoteRuleOf& rule, const RankedList& list, const Cut& cut) {
    double others = 0.0;
    for (std::size_t i = 1; i < entries_.size(); ++i) others = std::max(others, entries_[i].mass);
    const double mine = entries_[0].mass;
    if (mine > others * (1 + close)) return true;
    if (others > mine * (1 + close)) return false;
    const ClassColumn& column = task_.columns[t];
    class_weights_.assign(column.weights, column.weights + column.n_classes);
    class_weights_[own(t)] -= task_.left_out[query_];
    return careful_({rule, list, cut, classes_[t].data(), task_.priors[p][t], class_weights_.data(), column.n_classes,
                     task_.ties}) == own(t);
  }

  void score_probabilities(std::size_t t, std::size_t first) {
    double most = 0.0;
    for (const Entry& entry : entries_) most = std::max(most, entry.mass);
    logs_.clear();
    for (std::size_t m = 0; m < task_.temperatures.size(); ++m) {
      const double temperature = task_.temperatures[m];
      shares_of_.clear();
      if (temperature == 1.0) {
        for (const Entry& entry : entries_) shares_of_.push_back(entry.mass / most);
      } else {
        if (logs_.empty())
          for (const Entry& entry : entries_) logs_.push_back(std::log(entry.mass / most));
        for (const double log : logs_) shares_of_.push_back(std::exp(log / temperature));
      }
      add(t, first + m);
    }
  }

  void add(std::size_t t, std::size_t at) {
    const double mine = shares_of_[0];
    double others = 0.0, squares = 0.0;
    for (std::size_t i = 1; i < entries_.size(); ++i) {
      others += shares_of_[i] * entries_[i].times;
      squares += shares_of_[i] * shares_of_[i] * entries_[i].times;
    }
    const double total = mine + others;
    sums_.logs[at] += times_ * -std::log(mine / total);
    sums_.squares[at] += times_ * (others * others + squares) / (total * total);
    const double rest = static_cast<double>(task_.columns[t].n_classes) - 1.0;
    if (rest > 0.0) sums_.surprises[at] += times_ * -std::log(others / total / rest);
  }

  const ClassTask& task_;
  Sums sums_;
  std::size_t query_ = 0;
  double times_ = 1.0;
  Shares shares_;
  std::vector<std::vector<std::size_t>> slot_of_;
  std::vector<std::pair<std::size_t, std::int64_t>> held_;
  std::vector<std::vector<std::int64_t>> classes_;
  std::vector<Entry> entries_;
  std::vector<double> logs_, shares_of_, class_weights_;
  CarefulWinner careful_;
};

}  // namespace priorcase
