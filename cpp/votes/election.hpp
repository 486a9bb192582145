// Which class the votes on one query are for: the largest sum wins, and a rule decides between equal sums.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace priorcase::votes {

enum class VoteTies { majority, first, nearest, reduce };

// The voters on one query.
struct Electorate {
  const std::int64_t* classes;
  const double* votes;
  const double* distances;
  std::size_t size;
};

class Election {
 public:
  // class_weights: how many stored rows each class has; none where nobody counted them.
  Election(VoteTies ties, const double* class_weights, std::size_t n_classes)
      : ties_(ties), class_weights_(class_weights), mass_(n_classes, 0.0) {}

  // The winner; -1 where votes are equal and farther voters are to be left out, or the rows of classes to be counted.
  std::int64_t winner(const Electorate& voters) {
    double most = 0.0;
    for (std::size_t i = 0; i < voters.size; ++i) mass_[voters.classes[i]] += voters.votes[i];
    for (std::size_t i = 0; i < voters.size; ++i) most = std::max(most, mass_[voters.classes[i]]);
    leaders_.clear();
    for (std::size_t i = 0; i < voters.size; ++i)
      if (const std::int64_t c = voters.classes[i]; mass_[c] == most) {
        leaders_.push_back(c);
        mass_[c] = leads;
      }
    const std::int64_t chosen = leaders_.size() == 1 ? leaders_.front() : among_leaders(voters);
    for (std::size_t i = 0; i < voters.size; ++i) mass_[voters.classes[i]] = 0.0;
    return chosen;
  }

  // The winner among the k - 1, k - 2, ... nearest voters, whichever lead alone first; else the nearest voter's class.
  std::int64_t reduced(const Electorate& voters) {
    for (std::size_t fewer = voters.size - 1; fewer > 0; --fewer)
      if (const std::int64_t c = winner({voters.classes, voters.votes, voters.distances, fewer}); c >= 0) return c;
    return voters.classes[0];
  }

 private:
  static constexpr double leads = -1.0;  // in place of the mass of a leading class

  std::int64_t among_leaders(const Electorate& voters) {
    if (ties_ == VoteTies::reduce || (ties_ == VoteTies::majority && class_weights_ == nullptr)) return -1;
    if (ties_ == VoteTies::nearest) return nearest(voters);
    std::sort(leaders_.begin(), leaders_.end());
    if (ties_ == VoteTies::first) return leaders_.front();
    const auto fewer = [&](std::int64_t one, std::int64_t other) { return class_weights_[one] < class_weights_[other]; };
    return *std::max_element(leaders_.begin(), leaders_.end(), fewer);  // the first of the largest
  }

  std::int64_t nearest(const Electorate& voters) const {
    std::size_t best = voters.size;
    for (std::size_t i = 0; i < voters.size; ++i)
      if (mass_[voters.classes[i]] == leads && (best == voters.size || voters.distances[i] < voters.distances[best]))
        best = i;
    return voters.classes[best];
  }

  VoteTies ties_;
  const double* class_weights_;
  std::vector<double> mass_;
  std::vector<std::int64_t> leaders_;
};

}  // namespace priorcase::votes
