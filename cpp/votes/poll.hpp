// The voters on one query: the nearest rows, how far away they are, and how much the word of each counts.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/nearest.hpp"

namespace priorcase::votes {

enum class VoteRule { uniform, inverse_square };

struct Poll {
  std::vector<std::int64_t> ids;  // nearest first
  std::vector<double> distances, votes;

  void take(const std::vector<search::Found>& found, const base::Root& root, VoteRule rule) {
    ids.clear();
    distances.clear();
    for (const auto& [cost, id] : found) {
      ids.push_back(id);
      distances.push_back(root(cost));
    }
    votes.assign(ids.size(), 1.0);
    if (rule == VoteRule::inverse_square) weigh_by_square();
  }

  // The first voter at an infinite distance; the number of voters where there is none.
  std::size_t endless() const { return std::find(distances.begin(), distances.end(), base::infinity) - distances.begin(); }

 private:
  // 1 / d^2 relative to the nearest voter's, which is 1; rows as near as that count the same.
  void weigh_by_square() {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (distances[i] == distances[0]) continue;
      const double ratio = distances[0] / distances[i];
      votes[i] = ratio * ratio;
    }
  }
};

}  // namespace priorcase::votes
