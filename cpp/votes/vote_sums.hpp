// Sums of votes over the k nearest rows for growing k, without weighing the rows afresh for each k.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/numbers.hpp"
#include "search/nearest.hpp"
#include "votes/votes.hpp"

namespace priorcase::votes {

// Repetitions are floats: ten rows of weight 0.1 must reach one although their sum falls short of it.
inline constexpr double slack = 1e-9;

enum class VoteKind {
  uniform, inverse_square, triangular, epanechnikov, biweight, tricube, box, gaussian, exponential, power
};

// What a neighbour's word counts, by its distance.
struct DistanceVote {
  VoteKind kind = VoteKind::uniform;
  double parameter = 1.0;  // the width of a Gaussian, the exponent of 1 / u^p
  double bandwidth = 0.0;  // 0: the distance of the first row that does not vote

  bool is_kernel() const { return kind != VoteKind::uniform && kind != VoteKind::inverse_square; }
  bool follows_neighbours() const { return is_kernel() && bandwidth == 0.0; }
};

// The votes of voters at ascending finite distances: positive somewhere, and never infinite.
void weigh(const DistanceVote& rule, const double* distances, std::size_t n, double bandwidth,
           std::vector<double>& votes);

// The voters for one k: the first `whole` rows, and then one row that counts `part` times (0: none).
struct Cut {
  std::size_t k, whole;
  double part;
  double total;      // how much counts in all
  double bandwidth;  // for kernels that follow the neighbours

  std::size_t n_voters() const { return whole + (part > 0.0); }
};

// The rows near one query, nearest first, from which the voters for any k are cut.
class RankedList {
 public:
  std::vector<std::size_t> rows;  // positions
  std::vector<double> distances, counts;

  // `own` is left out once: a row of weight 2 stays with weight 1. Without weights the search has left it out.
  void take(const std::vector<search::Found>& found, const base::Root& root, const Positions& position,
            const double* row_weights, std::int64_t own);

  std::size_t size() const { return rows.size(); }
  bool reaches(double wanted) const { return !rows.empty() && reach_.back() >= wanted * (1 - slack); }
  bool is_endless() const { return distances.back() == base::infinity; }

  // Whether some distances differ by hardly more than their rounding.
  bool is_crowded() const;

  Cut cut(std::size_t k, bool whole_ties) const;

 private:
  std::size_t below(std::size_t k) const;

  bool weighted_ = false;
  mutable std::int8_t crowded_ = -1;  // -1: not asked yet
  std::vector<double> costs_, reach_;
};

// What each row adds to: `width` slots, each times a coefficient. A class is a slot; so is a target's weighted sum.
struct Shares {
  std::size_t width = 1, n_slots = 0;
  bool one_slot = false;  // every row adds to one slot, with coefficient 1
  std::vector<std::size_t> slots;
  std::vector<double> coefficients;

  void clear(std::size_t each) {
    width = each;
    n_slots = 0;
    one_slot = false;
    slots.clear();
    coefficients.clear();
  }
};

// Compact kernels are polynomials in x = d^p: with g = h^p, the sums of (g - x)^j follow
// from those at a smaller g by additions of numbers of one sign only,
//   sum (g + e - x)^2 = sum (g - x)^2 + 2 e sum (g - x) + n e^2,
// so that nothing cancels and voters at the bandwidth itself count exactly 0. Where distances differ by hardly more
// than their rounding, each k is weighed afresh, so that what rounding makes of 1 - u^p is the same as in any other
// vote.
class RunningSums {
 public:
  // The sum of each slot's votes among the voters of each cut, by growing k: that of slot s and cut i is at
  // out[s * cuts.size() + i].
  void fill(const DistanceVote& rule, const RankedList& list, const Shares& shares, const std::vector<Cut>& cuts,
            std::vector<double>& out);

 private:
  void fixed(const std::vector<Cut>& cuts, double* out);
  template <int power, int degree>
  void compact(const std::vector<Cut>& cuts, double* out);
  template <int power, int degree, std::size_t lanes>
  void compact_lanes(const std::vector<Cut>& cuts, double* out);
  void afresh(const std::vector<Cut>& cuts, double* out);
  void weigh_by_power();

  const DistanceVote* rule_ = nullptr;
  const RankedList* list_ = nullptr;
  const Shares* shares_ = nullptr;
  std::vector<double> votes_, counts_, first_, second_, third_, sums_;
};

}  // namespace priorcase::votes
