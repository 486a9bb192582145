// Sums of votes over the k nearest rows for growing k, without weighing the rows afresh for each k.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "votes/leave_one_out_list.hpp"
#include "votes/leave_one_out_votes.hpp"

namespace priorcase::votes {

// What each row adds to: `width` slots, each times a coefficient. A class is a slot; so is a target's weighted sum.
struct Shares {
  std::size_t width = 1, n_slots = 0;
  std::vector<std::size_t> slots;
  std::vector<double> coefficients;

  void clear(std::size_t each) {
    width = each;
    n_slots = 0;
    slots.clear();
    coefficients.clear();
  }

  template <class Add>
  void each(std::size_t row, const Add& add) const {
    for (std::size_t i = row * width; i < (row + 1) * width; ++i) add(slots[i], coefficients[i]);
  }
};

// Cuts must come with growing k. Compact kernels are polynomials in x = d^p: with g = h^p, the sums of (g - x)^j follow
// from those at a smaller g by additions of numbers of one sign only,
//   sum (g + e - x)^2 = sum (g - x)^2 + 2 e sum (g - x) + n e^2,
// so that nothing cancels and voters at the bandwidth itself count exactly 0. Where distances differ by hardly more than
// their rounding, each k is weighed afresh, so that what rounding makes of 1 - u^p is the same as in any other vote.
class RunningSums {
 public:
  void start(const VoteRuleOf& rule, const RankedList& list, const Shares& shares) {
    rule_ = &rule;
    fixed_ = !rule.follows_neighbours() || rule.vote == Vote::power;
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
    if (fixed_ && rule.vote == Vote::power && rule.bandwidth == 0.0) weigh_by_power();
  }

  // The sum of each slot's votes among the voters of a cut.
  const std::vector<double>& at(const Cut& cut) {
    if (!fixed_ && (power_ == 0 || crowded_)) return afresh(cut);
    if (!fixed_) widen(cut.bandwidth * unit_);
    for (; taken_ < cut.whole; ++taken_) {
      const double count = list_->counts[taken_];
      shares_->each(taken_, [&](std::size_t slot, double c) { add(slot, c * count, taken_); });
    }
    const std::vector<double>& sums = fixed_ || degree_ == 1 ? first_ : degree_ == 2 ? second_ : third_;
    if (cut.part == 0.0 && has_votes()) return sums;
    sums_ = sums;
    if (cut.part > 0.0)
      shares_->each(cut.whole, [&](std::size_t slot, double c) { sums_[slot] += c * cut.part * vote(cut.whole); });
    return has_votes() ? sums_ : equally(cut);
  }

 private:
  // 1 / u^p relative to the nearest row's, which no bandwidth changes.
  void weigh_by_power() {
    const std::vector<double>& d = list_->distances;
    for (std::size_t i = 0; i < d.size(); ++i)
      votes_[i] = d[i] == d[0] ? 1.0 : d[0] == 0.0 ? 0.0 : std::pow(d[0] / d[i], rule_->parameter);
  }

  // h^p - d^p without the loss of digits where the two are close.
  double difference(double h, double d) const {
    const double gap = h - d;
    return power_ == 1 ? gap : power_ == 2 ? gap * (h + d) : gap * (h * h + h * d + d * d);
  }

  void widen(double bandwidth) {
    if (bandwidth == reach_) return;
    const double e = difference(bandwidth, reach_);
    reach_ = bandwidth;
    for (std::size_t s = 0; s < counts_.size(); ++s) {
      if (degree_ == 3) third_[s] += e * (3.0 * second_[s] + e * (3.0 * first_[s] + e * counts_[s]));
      if (degree_ >= 2) second_[s] += e * (2.0 * first_[s] + e * counts_[s]);
      first_[s] += e * counts_[s];
    }
  }

  void add(std::size_t slot, double times, std::size_t row) {
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

  double vote(std::size_t row) const {
    if (fixed_) return votes_[row];
    const double rest = difference(reach_, list_->distances[row] * unit_);
    return degree_ == 1 ? rest : degree_ == 2 ? rest * rest : rest * rest * rest;
  }

  const std::vector<double>& afresh(const Cut& cut) {
    const std::size_t voters = cut.n_voters();
    weigh(*rule_, list_->distances.data(), voters, cut.bandwidth, votes_);
    sums_.assign(shares_->n_slots, 0.0);
    for (std::size_t i = 0; i < voters; ++i) {
      const double times = votes_[i] * (i < cut.whole ? list_->counts[i] : cut.part);
      shares_->each(i, [&](std::size_t slot, double c) { sums_[slot] += c * times; });
    }
    return sums_;
  }

  const std::vector<double>& equally(const Cut& cut) {
    sums_ = counts_;
    if (cut.part > 0.0)
      shares_->each(cut.whole, [&](std::size_t slot, double c) { sums_[slot] += c * cut.part; });
    return sums_;
  }

  // Whoever is nearest has a vote where anybody has.
  bool has_votes() const { return fixed_ || reach_ > nearest_; }

  const VoteRuleOf* rule_ = nullptr;
  bool fixed_ = true;  // votes do not change with k
  int power_ = 0, degree_ = 1;
  const RankedList* list_ = nullptr;
  const Shares* shares_ = nullptr;
  std::size_t taken_ = 0;
  bool crowded_ = false;
  double reach_ = 0.0, unit_ = 1.0, nearest_ = 0.0;
  std::vector<double> votes_, counts_, first_, second_, third_, sums_;
};

}  // namespace priorcase::votes
