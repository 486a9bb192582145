#include "votes/vote_sums.hpp"

#include <algorithm>
#include <cmath>

namespace priorcase::votes {

namespace {

double kernel(const DistanceVote& rule, double u) {
  const double inside = std::min(u, 1.0);
  switch (rule.kind) {
    case VoteKind::triangular: return 1.0 - inside;
    case VoteKind::epanechnikov: return 1.0 - inside * inside;
    case VoteKind::biweight: {
      const double rest = 1.0 - inside * inside;
      return rest * rest;
    }
    case VoteKind::tricube: {
      const double rest = 1.0 - inside * inside * inside;
      return rest * rest * rest;
    }
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

// Calls add(slot, coefficient) for each slot of a row.
template <class Add>
void for_slots(const Shares& shares, std::size_t row, const Add& add) {
  for (std::size_t i = row * shares.width; i < (row + 1) * shares.width; ++i)
    add(shares.slots[i], shares.coefficients[i]);
}

}  // namespace

int DistanceVote::polynomial() const {
  switch (kind) {
    case VoteKind::triangular: return 1;
    case VoteKind::epanechnikov:
    case VoteKind::biweight: return 2;
    case VoteKind::tricube: return 3;
    default: return 0;
  }
}

void weigh(const DistanceVote& rule, const double* distances, std::size_t n, double bandwidth,
           std::vector<double>& votes) {
  votes.assign(n, 1.0);
  if (rule.kind == VoteKind::inverse_square) return weigh_by_square(distances, n, votes.data());
  if (!rule.is_kernel() || bandwidth == 0.0) return;
  for (std::size_t i = 0; i < n; ++i) votes[i] = kernel(rule, distances[i] / bandwidth);
  const double largest = votes[0];  // no kernel grows with the distance
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
  for (std::size_t i = 0; i + 1 < size(); ++i)
    if (const double gap = distances[i + 1] - distances[i]; gap > 0.0 && gap < 1e-7 * distances[i + 1]) return true;
  return false;
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

// How many rows come before the count reaches k.
std::size_t RankedList::below(std::size_t k) const {
  if (!weighted_) return std::min(k - 1, size());
  const double wanted = static_cast<double>(k) * (1 - slack);
  return std::lower_bound(reach_.begin(), reach_.end(), wanted) - reach_.begin();
}

// The sums --------------------------------------------------------------------------------------------------------

void RunningSums::start(const DistanceVote& rule, const RankedList& list, const Shares& shares) {
  rule_ = &rule;
  fixed_ = !rule.follows_neighbours() || rule.kind == VoteKind::power;
  power_ = rule.polynomial();
  degree_ = rule.degree();
  list_ = &list;
  shares_ = &shares;
  taken_ = 0;
  reach_ = 0.0;
  crowded_ = rule.polynomial() > 0 && list.is_crowded();
  // A power of two, so that ratios stay, brings cubes of distances into range.
  unit_ = list.distances.back() > 0.0 ? std::ldexp(1.0, -std::ilogb(list.distances.back())) : 1.0;
  nearest_ = list.distances[0] * unit_;
  for (auto* sums : {&counts_, &first_, &second_, &third_}) sums->assign(shares.n_slots, 0.0);
  if (fixed_) weigh(rule, list.distances.data(), list.size(), rule.bandwidth, votes_);
  if (fixed_ && rule.kind == VoteKind::power && rule.bandwidth == 0.0) weigh_by_power();
}

const std::vector<double>& RunningSums::at(const Cut& cut) {
  if (!fixed_ && (power_ == 0 || crowded_)) return afresh(cut);
  if (!fixed_) widen(cut.bandwidth * unit_);
  for (; taken_ < cut.whole; ++taken_) {
    const double count = list_->counts[taken_];
    for_slots(*shares_, taken_, [&](std::size_t slot, double c) { add(slot, c * count, taken_); });
  }
  const std::vector<double>& sums = fixed_ || degree_ == 1 ? first_ : degree_ == 2 ? second_ : third_;
  if (cut.part == 0.0 && has_votes()) return sums;
  sums_ = sums;
  if (cut.part > 0.0)
    for_slots(*shares_, cut.whole, [&](std::size_t slot, double c) { sums_[slot] += c * cut.part * vote(cut.whole); });
  return has_votes() ? sums_ : equally(cut);
}

// 1 / u^p relative to the nearest row's, which no bandwidth changes.
void RunningSums::weigh_by_power() {
  const std::vector<double>& d = list_->distances;
  for (std::size_t i = 0; i < d.size(); ++i)
    votes_[i] = d[i] == d[0] ? 1.0 : d[0] == 0.0 ? 0.0 : std::pow(d[0] / d[i], rule_->parameter);
}

// h^p - d^p without the loss of digits where the two are close.
double RunningSums::difference(double h, double d) const {
  const double gap = h - d;
  return power_ == 1 ? gap : power_ == 2 ? gap * (h + d) : gap * (h * h + h * d + d * d);
}

void RunningSums::widen(double bandwidth) {
  if (bandwidth == reach_) return;
  const double e = difference(bandwidth, reach_);
  reach_ = bandwidth;
  for (std::size_t s = 0; s < counts_.size(); ++s) {
    if (degree_ == 3) third_[s] += e * (3.0 * second_[s] + e * (3.0 * first_[s] + e * counts_[s]));
    if (degree_ >= 2) second_[s] += e * (2.0 * first_[s] + e * counts_[s]);
    first_[s] += e * counts_[s];
  }
}

void RunningSums::add(std::size_t slot, double times, std::size_t row) {
  counts_[slot] += times;
  if (fixed_) {
    first_[slot] += times * votes_[row];
    return;
  }
  const double rest = difference(reach_, list_->distances[row] * unit_);
  first_[slot] += times * rest;
  second_[slot] += times * rest * rest;
  third_[slot] += times * rest * rest * rest;
}

double RunningSums::vote(std::size_t row) const {
  if (fixed_) return votes_[row];
  const double rest = difference(reach_, list_->distances[row] * unit_);
  return degree_ == 1 ? rest : degree_ == 2 ? rest * rest : rest * rest * rest;
}

const std::vector<double>& RunningSums::afresh(const Cut& cut) {
  const std::size_t voters = cut.n_voters();
  weigh(*rule_, list_->distances.data(), voters, cut.bandwidth, votes_);
  sums_.assign(shares_->n_slots, 0.0);
  for (std::size_t i = 0; i < voters; ++i) {
    const double times = votes_[i] * (i < cut.whole ? list_->counts[i] : cut.part);
    for_slots(*shares_, i, [&](std::size_t slot, double c) { sums_[slot] += c * times; });
  }
  return sums_;
}

const std::vector<double>& RunningSums::equally(const Cut& cut) {
  sums_ = counts_;
  if (cut.part > 0.0) for_slots(*shares_, cut.whole, [&](std::size_t slot, double c) { sums_[slot] += c * cut.part; });
  return sums_;
}

}  // namespace priorcase::votes
