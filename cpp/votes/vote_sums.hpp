// Sums of votes over the k nearest rows for growing k, without recomputing every vote for each k.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/numbers.hpp"
#include "search/nearest.hpp"
#include "votes/votes.hpp"

namespace priorcase::votes {

// Relative tolerance for sums of row weights: ten rows of weight 0.1 must reach a count of 1, although their
// floating-point sum is slightly less.
inline constexpr double slack = 1e-9;

enum class VoteKind {
  uniform, inverse_square, triangular, epanechnikov, biweight, tricube, box, gaussian, exponential, power
};

// The vote of a neighbor as a function of its distance d, for kernels of u = d / bandwidth.
struct DistanceVote {
  VoteKind kind = VoteKind::uniform;
  double parameter = 1.0;  // the width of a Gaussian, the exponent of 1 / u^p
  double bandwidth = 0.0;  // 0: the distance of the first row that does not vote

  bool is_kernel() const { return kind != VoteKind::uniform && kind != VoteKind::inverse_square; }
  bool follows_neighbours() const { return is_kernel() && bandwidth == 0.0; }
};

// Computes the votes of neighbors at ascending finite distances. At least one vote is positive, and none is infinite.
void weigh(const DistanceVote& rule, const double* distances, std::size_t n, double bandwidth,
           std::vector<double>& votes);

// The voters for one k: the first `whole` rows with their full counts, then one row with a count of `part` (0: no such
// row).
struct Cut {
  std::size_t k, whole;
  double part;
  double total;      // sum of the voters' counts
  double bandwidth;  // for kernels whose bandwidth follows the neighbors

  std::size_t n_voters() const { return whole + (part > 0.0); }
};

// The neighbors of one query, nearest first; the voters for any k are a prefix of this list.
class RankedList {
 public:
  std::vector<std::size_t> rows;  // positions
  std::vector<double> distances, counts;  // counts: row weights

  // Fills the list with search results. One repetition of the query's own row `own` is left out: if its weight is 2, it
  // stays with weight 1. Without row weights the search has already excluded it.
  void take(const std::vector<search::Found>& found, const base::Root& root, const Positions& position,
            const double* row_weights, std::int64_t own);

  std::size_t size() const { return rows.size(); }
  bool reaches(double wanted) const { return !rows.empty() && reach_.back() >= wanted * (1 - slack); }
  bool is_endless() const { return distances.back() == base::infinity; }

  // Returns whether some successive distances differ by little more than their rounding error.
  bool is_crowded() const;

  Cut cut(std::size_t k, bool whole_ties) const;

 private:
  std::size_t below(std::size_t k) const;

  bool weighted_ = false;
  mutable std::int8_t crowded_ = -1;  // -1: not computed yet
  std::vector<double> costs_, reach_;
};

// The sums, called slots, that the vote of each row is added to: `width` slots for each row, each with a coefficient
// that multiplies the vote. A slot is a class, or the weighted sum of a numeric target.
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

// Compact kernels are polynomials in x = d^p. With bandwidth h and g = h^p, the sums of (g - x)^j for a larger g follow
// from those for a smaller one by adding numbers of the same sign only,
//   sum (g + e - x)^2 = sum (g - x)^2 + 2 e sum (g - x) + n e^2,
// so that nothing cancels and voters at exactly the bandwidth count 0. Where distances differ by little more than their
// rounding error, the votes are recomputed for each k, so that 1 - u^p is rounded in the same way as in any other vote.
class RunningSums {
 public:
  // Writes the sum of votes of each slot s over the voters of each cut i to out[s * cuts.size() + i]. The cuts are in
  // ascending order of k.
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
