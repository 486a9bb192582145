// Decremental reduction (Wilson & Martinez 2000): removes a row if this does not increase the loss of its associates,
// the rows that have it among their neighbors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reduction/neighbors.hpp"

namespace priorcase::reduction {

class Drop {
 public:
  // The k nearest rows vote; neighbor lists hold one more, which votes if one of the k is removed. `stay_on`: whether
  // removed rows are still associates.
  Drop(const search::Rows& rows, const votes::Ballot& ballot, std::size_t k, bool stay_on);

  const std::vector<std::uint8_t>& held() const { return left_.held(); }

  // Fills the neighbor lists of the rows in [first, last), before any row is removed.
  void fill(std::size_t first, std::size_t last, std::size_t threads) { lists_.fill(first, last, threads); }

  // Returns the cost of the nearest remaining enemy of each given row. Faster if rows of the same class are
  // consecutive.
  std::vector<double> enemy_costs(const std::vector<std::int64_t>& rows, std::size_t threads);

  // Processes the given rows in order, and removes those that are not needed; with `noise_only`, only rows whose own
  // neighbors predict them with a loss above 0. If the call is interrupted, no row is removed.
  void consider(const std::vector<std::int64_t>& rows, bool noise_only);

 private:
  std::size_t voters(std::size_t row) const;
  bool is_needed(std::size_t row);

  const std::size_t n_;
  const votes::Ballot& ballot_;
  const std::size_t k_;
  const bool stay_on_;
  search::Subset left_;
  NeighborLists lists_;
  Enemies enemies_;
  std::vector<votes::Row> others_;
};

}  // namespace priorcase::reduction
