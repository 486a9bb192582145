// What a neighbour's word counts, for every vote that leave-one-out knows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "search/nearest.hpp"
#include "base/numbers.hpp"

namespace priorcase::votes {

enum class Vote { uniform, inverse_square, triangular, epanechnikov, biweight, tricube, box, gaussian, exponential, power };

struct VoteRuleOf {
  Vote vote = Vote::uniform;
  double parameter = 1.0;  // the width of a Gaussian, the exponent of 1 / u^p
  double bandwidth = 0.0;  // 0: the distance of the first row that does not vote

  bool is_kernel() const { return vote != Vote::uniform && vote != Vote::inverse_square; }
  bool follows_neighbours() const { return is_kernel() && bandwidth == 0.0; }

  // Polynomials in d^p that are 0 from the bandwidth on: p, or 0 for other votes.
  int polynomial() const {
    switch (vote) {
      case Vote::triangular: return 1;
      case Vote::epanechnikov:
      case Vote::biweight: return 2;
      case Vote::tricube: return 3;
      default: return 0;
    }
  }

  // (1 - u^p)^degree
  int degree() const { return vote == Vote::tricube ? 3 : vote == Vote::biweight ? 2 : 1; }

  double kernel(double u) const {
    const double inside = std::min(u, 1.0);
    switch (vote) {
      case Vote::triangular: return 1.0 - inside;
      case Vote::epanechnikov: return 1.0 - inside * inside;
      case Vote::biweight: {
        const double rest = 1.0 - inside * inside;
        return rest * rest;
      }
      case Vote::tricube: {
        const double rest = 1.0 - inside * inside * inside;
        return rest * rest * rest;
      }
      case Vote::box: return u < 1.0 ? 1.0 : 0.0;
      case Vote::gaussian: {
        const double v = parameter == 1.0 ? u : u / parameter;
        return std::exp(-(v * v));
      }
      case Vote::exponential: return std::exp(-u);
      case Vote::power: return 1.0 / std::pow(u, parameter);
      default: return 1.0;
    }
  }
};

// The votes of voters at ascending finite distances, as one list says them: positive somewhere, and never infinite.
inline void weigh(const VoteRuleOf& rule, const double* distances, std::size_t n, double bandwidth,
                  std::vector<double>& votes) {
  votes.assign(n, 1.0);
  if (rule.vote == Vote::inverse_square) {
    for (std::size_t i = 0; i < n; ++i) {
      if (distances[i] == distances[0]) continue;
      const double ratio = distances[0] / distances[i];
      votes[i] = ratio * ratio;
    }
    return;
  }
  if (!rule.is_kernel() || bandwidth == 0.0) return;
  for (std::size_t i = 0; i < n; ++i) votes[i] = rule.kernel(distances[i] / bandwidth);
  const double largest = votes[0];  // no kernel grows with the distance
  if (largest == base::infinity)
    for (double& vote : votes) vote = vote == base::infinity ? 1.0 : 0.0;
  else if (largest == 0.0)
    votes.assign(n, 1.0);
  else if (largest > 1e100 || largest < 1e-100)
    for (double& vote : votes) vote /= largest;
}

}  // namespace priorcase::votes
