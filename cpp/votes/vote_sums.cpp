#include "votes/vote_sums.hpp"

#include <algorithm>
#include <cmath>

#include "base/threads.hpp"

namespace priorcase::votes {

namespace {

template <int degree>
double raised(double x) {
  return degree == 1 ? x : degree == 2 ? x * x : x * x * x;
}

double kernel(const DistanceVote& rule, double u) {
  const double inside = std::min(u, 1.0);
  switch (rule.kind) {
    case VoteKind::triangular: return 1.0 - inside;
    case VoteKind::epanechnikov: return 1.0 - inside * inside;
    case VoteKind::biweight: return raised<2>(1.0 - inside * inside);
    case VoteKind::tricube: return raised<3>(1.0 - inside * inside * inside);
    case VoteKind::box: return u < 1.0 ? 1.0 : 0.0;
    case VoteKind::gaussian: {
      const double v = rule.parameter == 1.0 ? u : u / rule.parameter;
      return std::exp(-(v * v));
    }
    case VoteKind::exponential: return std::exp(-u);
    case VoteKind::power: return 1.0 / std::pow(u, rule.parameter);
    default: return 1.0;
  }
}

// Returns h^p - d^p without cancellation where the two are close.
template <int power>
double power_difference(double h, double d) {
  const double gap = h - d;
  return power == 1 ? gap : power == 2 ? gap * (h + d) : gap * (h * h + h * d + d * d);
}

// Returns a factor that brings cubes of distances into the range of doubles: a power of two, so that ratios stay exact.
double unit_of(double farthest) { return farthest > 0.0 ? std::ldexp(1.0, -std::ilogb(farthest)) : 1.0; }

// Updates the sums of (g - x)^j to those of (g + e - x)^j, see RunningSums.
template <int degree>
void widen(std::size_t n, double e, const double* counts, double* first, double* second, double* third) {
  for (std::size_t s = 0; s < n; ++s) {
    if (degree == 3) third[s] += e * (3.0 * second[s] + e * (3.0 * first[s] + e * counts[s]));
    if (degree >= 2) second[s] += e * (2.0 * first[s] + e * counts[s]);
    first[s] += e * counts[s];
  }
}

// Calls add(slot, coefficient) for each slot of a row.
template <class Add>
void for_slots(const Shares& shares, std::size_t row, const Add& add) {
  for (std::size_t i = row * shares.width; i < (row + 1) * shares.width; ++i)
    add(shares.slots[i], shares.coefficients[i]);
}

}  // namespace

void weigh(const DistanceVote& rule, const double* distances, std::size_t n, double bandwidth,
           std::vector<double>& votes) {
  votes.assign(n, 1.0);
  if (rule.kind == VoteKind::inverse_square) return weigh_by_square(distances, n, votes.data());
  if (!rule.is_kernel() || bandwidth == 0.0) return;
  for (std::size_t i = 0; i < n; ++i) votes[i] = kernel(rule, distances[i] / bandwidth);
  const double largest = votes[0];  // no kernel increases with the distance
  if (largest == base::infinity)
    for (double& vote : votes) vote = vote == base::infinity ? 1.0 : 0.0;
  else if (largest == 0.0)
    votes.assign(n, 1.0);
  else if (largest > 1e100 || largest < 1e-100)
    for (double& vote : votes) vote /= largest;
}

// The list --------------------------------------------------------------------------------------------------------

void RankedList::take(const std::vector<search::Found>& found, const base::Root& root, const Positions& position,
                      const double* row_weights, std::int64_t own) {
  rows.resize(found.size());
  for (auto* numbers : {&costs_, &distances, &counts, &reach_}) numbers->resize(found.size());
  weighted_ = row_weights != nullptr;
  crowded_ = -1;
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

bool RankedList::is_crowded() const {
  if (crowded_ < 0) {
    crowded_ = 0;
    for (std::size_t i = 0; i + 1 < size(); ++i)
      if (const double gap = distances[i + 1] - distances[i]; gap > 0.0 && gap < 1e-7 * distances[i + 1]) crowded_ = 1;
  }
  return crowded_ > 0;
}

Cut RankedList::cut(std::size_t k, bool whole_ties) const {
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

// Returns how many rows precede the one at which the sum of counts reaches k.
std::size_t RankedList::below(std::size_t k) const {
  if (!weighted_) return std::min(k - 1, size());
  const double wanted = static_cast<double>(k) * (1 - slack);
  return std::lower_bound(reach_.begin(), reach_.end(), wanted) - reach_.begin();
}

// The sums --------------------------------------------------------------------------------------------------------

void RunningSums::fill(const DistanceVote& rule, const RankedList& list, const Shares& shares,
                       const std::vector<Cut>& cuts, std::vector<double>& out) {
  rule_ = &rule;
  list_ = &list;
  shares_ = &shares;
  out.resize(shares.n_slots * cuts.size());
  if (!rule.follows_neighbours() || rule.kind == VoteKind::power) return fixed(cuts, out.data());
  if (list.is_crowded()) return afresh(cuts, out.data());
  switch (rule.kind) {
    case VoteKind::triangular: return compact<1, 1>(cuts, out.data());
    case VoteKind::epanechnikov: return compact<2, 1>(cuts, out.data());
    case VoteKind::biweight: return compact<2, 2>(cuts, out.data());
    case VoteKind::tricube: return compact<3, 3>(cuts, out.data());
    default: return afresh(cuts, out.data());
  }
}

// Votes that do not change with k.
void RunningSums::fixed(const std::vector<Cut>& cuts, double* out) {
  weigh(*rule_, list_->distances.data(), list_->size(), rule_->bandwidth, votes_);
  if (rule_->kind == VoteKind::power && rule_->bandwidth == 0.0) weigh_by_power();
  const std::size_t n = cuts.size(), n_slots = shares_->n_slots;
  first_.assign(n_slots, 0.0);
  std::size_t taken = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Cut& cut = cuts[i];
    for (; taken < cut.whole; ++taken) {
      const double count = list_->counts[taken], vote = votes_[taken];
      for_slots(*shares_, taken, [&](std::size_t slot, double c) { first_[slot] += c * count * vote; });
    }
    for (std::size_t s = 0; s < n_slots; ++s) out[s * n + i] = first_[s];
    if (cut.part > 0.0) {
      const double vote = votes_[cut.whole];
      for_slots(*shares_, cut.whole, [&](std::size_t slot, double c) { out[slot * n + i] += c * cut.part * vote; });
    }
  }
}

// Computes votes 1 / u^p relative to the nearest row's: these ratios do not depend on the bandwidth.
void RunningSums::weigh_by_power() {
  const std::vector<double>& d = list_->distances;
  for (std::size_t i = 0; i < d.size(); ++i)
    votes_[i] = d[i] == d[0] ? 1.0 : d[0] == 0.0 ? 0.0 : std::pow(d[0] / d[i], rule_->parameter);
}

// Compact kernels (1 - u^p)^degree whose bandwidth follows the neighbors.
template <int power, int degree>
void RunningSums::compact(const std::vector<Cut>& cuts, double* out) {
  if (shares_->one_slot && shares_->n_slots <= 2) return compact_lanes<power, degree, 2>(cuts, out);
  if (shares_->one_slot && shares_->n_slots <= 4) return compact_lanes<power, degree, 4>(cuts, out);
  const std::size_t n = cuts.size(), n_slots = shares_->n_slots;
  const double* distances = list_->distances.data();
  const double unit = unit_of(list_->distances.back()), nearest = distances[0] * unit;
  for (auto* sums : {&counts_, &first_, &second_, &third_}) sums->assign(n_slots, 0.0);
  double *counts = counts_.data(), *first = first_.data(), *second = second_.data(), *third = third_.data();
  const double* sums = degree == 1 ? first : degree == 2 ? second : third;
  std::size_t taken = 0;
  double reach = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const Cut& cut = cuts[i];
    if (const double bandwidth = cut.bandwidth * unit; bandwidth != reach) {
      const double e = power_difference<power>(bandwidth, reach);
      reach = bandwidth;
      widen<degree>(n_slots, e, counts, first, second, third);
    }
    for (; taken < cut.whole; ++taken) {
      const double count = list_->counts[taken], rest = power_difference<power>(reach, distances[taken] * unit);
      for_slots(*shares_, taken, [&](std::size_t slot, double c) {
        const double times = c * count;
        counts[slot] += times;
        first[slot] += times * rest;
        if (degree >= 2) second[slot] += times * rest * rest;
        if (degree == 3) third[slot] += times * rest * rest * rest;
      });
    }
    const bool has_votes = reach > nearest;  // if not even the nearest row has a vote, all rows count equally
    const double* found = has_votes ? sums : counts;
    for (std::size_t s = 0; s < n_slots; ++s) out[s * n + i] = found[s];
    if (cut.part > 0.0) {
      const double rest = power_difference<power>(reach, distances[cut.whole] * unit);
      const double vote = has_votes ? raised<degree>(rest) : 1.0;
      for_slots(*shares_, cut.whole, [&](std::size_t slot, double c) { out[slot * n + i] += c * cut.part * vote; });
    }
  }
}

// The same for a few classes, whose sums stay in registers: a row adds 0 to the sums of all classes but its own.
template <int power, int degree, std::size_t lanes>
void RunningSums::compact_lanes(const std::vector<Cut>& cuts, double* out) {
  const std::size_t n = cuts.size(), n_slots = shares_->n_slots;
  const double *distances = list_->distances.data(), *row_counts = list_->counts.data();
  const std::size_t* slots = shares_->slots.data();
  const double unit = unit_of(list_->distances.back()), nearest = distances[0] * unit;
  double unit_vectors[lanes][lanes] = {};
  for (std::size_t l = 0; l < lanes; ++l) unit_vectors[l][l] = 1.0;
  double counts[lanes] = {}, first[lanes] = {}, second[lanes] = {}, third[lanes] = {};
  std::size_t taken = 0;
  double reach = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const Cut& cut = cuts[i];
    if (const double bandwidth = cut.bandwidth * unit; bandwidth != reach) {
      const double e = power_difference<power>(bandwidth, reach);
      reach = bandwidth;
      widen<degree>(lanes, e, counts, first, second, third);
    }
    for (; taken < cut.whole; ++taken) {
      const double times = row_counts[taken], rest = power_difference<power>(reach, distances[taken] * unit);
      const double one = times * rest, two = one * rest, three = two * rest;
      const double* own = unit_vectors[slots[taken]];
      for (std::size_t l = 0; l < lanes; ++l) {
        counts[l] += own[l] * times;
        first[l] += own[l] * one;
        if (degree >= 2) second[l] += own[l] * two;
        if (degree == 3) third[l] += own[l] * three;
      }
    }
    const bool has_votes = reach > nearest;
    const double* sums = degree == 1 ? first : degree == 2 ? second : third;
    for (std::size_t l = 0; l < n_slots; ++l) out[l * n + i] = has_votes ? sums[l] : counts[l];
    if (cut.part > 0.0) {
      const double rest = power_difference<power>(reach, distances[cut.whole] * unit);
      const double vote = has_votes ? raised<degree>(rest) : 1.0;
      out[slots[cut.whole] * n + i] += cut.part * vote;
    }
  }
}

void RunningSums::afresh(const std::vector<Cut>& cuts, double* out) {
  const std::size_t n = cuts.size(), n_slots = shares_->n_slots;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t voters = cuts[i].n_voters();
    if (voters > 1000) base::check_interrupt();
    weigh(*rule_, list_->distances.data(), voters, cuts[i].bandwidth, votes_);
    sums_.assign(n_slots, 0.0);
    for (std::size_t v = 0; v < voters; ++v) {
      const double times = votes_[v] * (v < cuts[i].whole ? list_->counts[v] : cuts[i].part);
      for_slots(*shares_, v, [&](std::size_t slot, double c) { sums_[slot] += c * times; });
    }
    for (std::size_t s = 0; s < n_slots; ++s) out[s * n + i] = sums_[s];
  }
}

}  // namespace priorcase::votes
