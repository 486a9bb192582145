// The rows near one query, nearest first, from which the voters for any k are cut.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/nearest.hpp"
#include "votes/poll.hpp"
#include "votes/positions.hpp"

namespace priorcase::votes {

// Repetitions are floats: ten rows of weight 0.1 must reach one although their sum falls short of it.
constexpr double slack = 1e-9;

// The voters for one k: the first `whole` rows, and then one row that counts `part` times (0: none).
struct Cut {
  std::size_t k, whole;
  double part;
  double total;      // how much counts in all
  double bandwidth;  // for kernels that follow the neighbours

  std::size_t n_voters() const { return whole + (part > 0.0); }
};

class RankedList {
 public:
  std::vector<std::size_t> rows;  // positions
  std::vector<double> distances, counts;

  // `own` is left out once: a row of weight 2 stays with weight 1. Without weights the search has left it out.
  void take(const std::vector<search::Found>& found, const base::Root& root, const Positions& position, const double* row_weights,
            std::int64_t own) {
    rows.resize(found.size());
    for (auto* numbers : {&costs_, &distances, &counts, &reach_}) numbers->resize(found.size());
    weighted_ = row_weights != nullptr;
    double reached = 0.0;
    std::size_t n = 0;
    for (const auto& [cost, id] : found) {
      const std::size_t row = position(id);
      double count = row_weights ? row_weights[row] : 1.0;
      if (row_weights && id == own) count -= std::min(count, 1.0);
      if (count <= 0.0) continue;
      rows[n] = row;
      costs_[n] = cost;
      distances[n] = root(cost);
      counts[n] = count;
      reach_[n++] = reached += count;
    }
    rows.resize(n);
    for (auto* numbers : {&costs_, &distances, &counts, &reach_}) numbers->resize(n);
  }

  std::size_t size() const { return rows.size(); }
  bool reaches(double wanted) const { return !rows.empty() && reach_.back() >= wanted * (1 - slack); }
  bool is_endless() const { return distances.back() == base::infinity; }

  // Whether some distances differ by hardly more than their rounding.
  bool is_crowded() const {
    for (std::size_t i = 0; i + 1 < size(); ++i)
      if (const double gap = distances[i + 1] - distances[i]; gap > 0.0 && gap < 1e-7 * distances[i + 1]) return true;
    return false;
  }

  Cut cut(std::size_t k, bool whole_ties) const {
    const std::size_t last = std::min(below(k), size() - 1), following = below(k + 1);
    const double bandwidth = following < size() ? distances[following] : distances[last] * (1 + slack);
    std::size_t stop = last + 1;
    if (whole_ties) {
      while (stop < size() && costs_[stop] == costs_[last]) ++stop;
      return {k, stop, 0.0, reach_[stop - 1], bandwidth};
    }
    const double missing = static_cast<double>(k) - (reach_[last] - counts[last]);
    if (missing < counts[last]) return {k, last, missing, (last > 0 ? reach_[last - 1] : 0.0) + missing, bandwidth};
    return {k, stop, 0.0, reach_[last], bandwidth};
  }

 private:
  // How many rows come before the count reaches k.
  std::size_t below(std::size_t k) const {
    if (!weighted_) return std::min(k - 1, size());
    const double wanted = static_cast<double>(k) * (1 - slack);
    return std::lower_bound(reach_.begin(), reach_.end(), wanted) - reach_.begin();
  }

  bool weighted_ = false;
  std::vector<double> costs_, reach_;
};

}  // namespace priorcase::votes
