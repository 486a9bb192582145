// Scores of the classes that neighbours vote for: logs, right answers, squares, for every prior and temperature.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "votes/leave_one_out_sums.hpp"
#include "votes/leave_one_out_winner.hpp"
#include "base/sums.hpp"

namespace priorcase::votes {

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

struct ClassTask {
  std::vector<ClassColumn> columns;
  std::vector<std::vector<ClassPrior>> priors;  // of each prior and column
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

  ClassScores(const ClassTask& task, std::size_t n_candidates)
      : task_(task),
        plain_(std::all_of(task.temperatures.begin(), task.temperatures.end(), [](double t) { return t == 1.0; })),
        n_each_(task.priors.size() * task.temperatures.size()),
        logs_(n_candidates * n_each_),
        surprises_(n_candidates * n_each_),
        squares_(n_candidates * n_each_, 0.0),
        rights_(n_candidates * task.priors.size(), 0.0),
        held_(task.columns.size()),
        classes_(task.columns.size()) {
    std::size_t most = 0;
    for (const ClassColumn& column : task.columns) {
      slot_of_.emplace_back(column.n_classes, none);
      shares_of_rest_.push_back(1.0 / static_cast<double>(column.n_classes - 1));
      most = std::max(most, column.n_classes);
    }
    masses_.resize(most + 1);
  }

  const Shares& begin(const RankedList& list, std::size_t query, double times) {
    const std::size_t n = task_.columns.size();
    query_ = query;
    times_ = times / static_cast<double>(n);
    shares_.clear(n);
    for (std::size_t t = 0; t < n; ++t) {
      for (const auto& held : held_[t]) slot_of_[t][held.second] = none;
      held_[t].clear();
      classes_[t].clear();
    }
    shares_.coefficients.resize(list.size() * n, 1.0);
    shares_.slots.resize(list.size() * n);
    std::size_t* slot = shares_.slots.data();
    for (const std::size_t row : list.rows)
      for (std::size_t t = 0; t < n; ++t, ++slot) {
        const std::int64_t c = task_.columns[t].stored[row];
        classes_[t].push_back(c);
        *slot = slot_of_[t][c];
        if (*slot != none) continue;
        *slot = slot_of_[t][c] = shares_.n_slots++;
        held_[t].emplace_back(*slot, c);
      }
    return shares_;
  }

  bool in_range() const { return true; }

  void score(std::size_t candidate, const VoteRuleOf& rule, const RankedList& list, const Cut& cut,
             const std::vector<double>& sums) {
    const std::size_t n_priors = task_.priors.size(), n_temperatures = task_.temperatures.size();
    for (std::size_t t = 0; t < task_.columns.size(); ++t) {
      double total = 0.0;
      for (const auto& [slot, c] : held_[t]) total += sums[slot];
      const double scale = cut.total / total;
      for (std::size_t p = 0; p < n_priors; ++p) {
        const ClassPrior& prior = task_.priors[p][t];
        if (plain_ && prior.equal)
          weigh_equally(t, prior.weights ? prior.weights[0] : 0.0, prior.weights ? scale : 1.0, sums);
        else
          weigh_classes(t, prior, scale, sums);
        const std::size_t at = candidate * n_priors + p;
        if (is_right(t, prior.weights, rule, list, cut)) rights_[at] += times_;
        for (std::size_t m = 0; m < n_temperatures; ++m) {
          const double temperature = task_.temperatures[m];
          add(at * n_temperatures + m, temperature == 1.0 ? of_masses_ : sharpened(temperature));
        }
      }
    }
  }

  Sums take() { return {logs_.take(), surprises_.take(), std::move(squares_), std::move(rights_)}; }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  static constexpr double close = 1e-9;

  std::int64_t own(std::size_t t) const { return task_.columns[t].asked[query_]; }

  // What the scores are made of: the mass of the query's own class, and sums over the others.
  struct Parts {
    double mine = 0.0, others = 0.0, squares = 0.0, largest_other = 0.0;

    void add(double mass, double times) {
      others += mass * times;
      squares += mass * mass * times;
      largest_other = std::max(largest_other, mass);
    }
  };

  // The usual case: every class has the same weight, and nobody asks for single masses.
  void weigh_equally(std::size_t t, double weight, double factor, const std::vector<double>& sums) {
    const std::size_t at = slot_of_[t][own(t)], n = task_.columns[t].n_classes;
    Parts parts;
    parts.mine = (at == none ? 0.0 : sums[at] * factor) + weight;
    for (const auto& held : held_[t])
      if (held.first != at) parts.add(sums[held.first] * factor + weight, 1.0);
    const std::size_t silent = n - held_[t].size() - (at == none);
    if (silent > 0) parts.add(weight, static_cast<double>(silent));
    n_masses_ = n;
    share_of_rest_ = shares_of_rest_[t];
    of_masses_ = parts;
  }

  // Mass 0 is that of the query's own class; the last may be that of several classes each, none of which has votes.
  void weigh_classes(std::size_t t, const ClassPrior& prior, double scale, const std::vector<double>& sums) {
    const std::size_t n = task_.columns[t].n_classes;
    const std::int64_t mine = own(t);
    const std::size_t at = slot_of_[t][mine];
    const double* weights = prior.weights;
    const double factor = weights ? scale : 1.0;
    Parts parts;
    masses_[0] = parts.mine = (at == none ? 0.0 : sums[at] * factor) + (weights ? weights[mine] : 0.0);
    std::size_t count = 1;
    for (const auto& [slot, c] : held_[t])
      if (slot != at) parts.add(masses_[count++] = sums[slot] * factor + (weights ? weights[c] : 0.0), 1.0);
    const std::size_t silent = n - count;
    last_times_ = 1.0;
    if (silent > 0 && (weights == nullptr || prior.equal)) {
      last_times_ = static_cast<double>(silent);
      parts.add(masses_[count++] = weights ? weights[0] : 0.0, last_times_);
    } else if (silent > 0) {
      for (std::size_t c = 0; c < n; ++c)
        if (slot_of_[t][c] == none && static_cast<std::int64_t>(c) != mine) parts.add(masses_[count++] = weights[c], 1.0);
    }
    n_masses_ = count;
    share_of_rest_ = shares_of_rest_[t];
    masses_logs_.clear();
    of_masses_ = parts;
  }

  bool is_right(std::size_t t, const double* prior, const VoteRuleOf& rule, const RankedList& list, const Cut& cut) {
    const double mine = of_masses_.mine, others = of_masses_.largest_other;
    if (mine > others * (1 + close)) return true;
    if (others > mine * (1 + close)) return false;
    const ClassColumn& column = task_.columns[t];
    class_weights_.assign(column.weights, column.weights + column.n_classes);
    class_weights_[own(t)] -= task_.left_out[query_];
    return careful_({rule, list, cut, classes_[t].data(), prior, class_weights_.data(), column.n_classes,
                     task_.ties}) == own(t);
  }

  // The same of masses to the power 1 / T, relative to the largest.
  Parts sharpened(double temperature) {
    const double most = std::max(of_masses_.mine, of_masses_.largest_other);
    if (masses_logs_.empty())
      for (std::size_t i = 0; i < n_masses_; ++i) masses_logs_.push_back(std::log(masses_[i] / most));
    Parts parts;
    parts.mine = std::exp(masses_logs_[0] / temperature);
    for (std::size_t i = 1; i < n_masses_; ++i)
      parts.add(std::exp(masses_logs_[i] / temperature), i + 1 < n_masses_ ? 1.0 : last_times_);
    return parts;
  }

  void add(std::size_t at, const Parts& parts) {
    const double unit = 1.0 / (parts.mine + parts.others), rest = parts.others * unit;
    logs_.add(at, parts.mine * unit, times_);
    squares_[at] += times_ * (rest * rest + parts.squares * unit * unit);
    if (n_masses_ > 1) surprises_.add(at, rest * share_of_rest_, times_);
  }

  const ClassTask& task_;
  const bool plain_;  // no temperature but 1
  const std::size_t n_each_;
  base::LogSums logs_, surprises_;
  std::vector<double> squares_, rights_;
  std::size_t query_ = 0, n_masses_ = 0;
  double times_ = 1.0, last_times_ = 1.0, share_of_rest_ = 1.0;
  Parts of_masses_;
  Shares shares_;
  std::vector<std::vector<std::size_t>> slot_of_;                          // of each column and class
  std::vector<std::vector<std::pair<std::size_t, std::int64_t>>> held_;    // slots and classes of each column
  std::vector<std::vector<std::int64_t>> classes_;                         // of the listed rows
  std::vector<double> masses_, masses_logs_, shares_of_rest_, class_weights_;
  CarefulWinner careful_;
};

}  // namespace priorcase::votes
