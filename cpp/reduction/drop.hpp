// Decremental reduction (Wilson & Martinez 2000): rows leave where those that rely on them lose nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reduction/neighbors.hpp"

namespace priorcase::reduction {

class Drop {
 public:
  // The k nearest vote; lists hold one more, who votes where one of them leaves. Unless they stay on, rows that have
  // left rely on nobody.
  Drop(const search::Rows& rows, const votes::Ballot& ballot, std::size_t k, bool stay_on);

  const std::vector<std::uint8_t>& held() const { return left_.held(); }

  // Fills the lists of some rows, before any row leaves.
  void fill(std::size_t first, std::size_t last, std::size_t threads) { lists_.fill(first, last, threads); }

  // The cost of the nearest enemy that is left, for each of some rows; quicker for rows of one class in a row.
  std::vector<double> enemy_costs(const std::vector<std::int64_t>& rows, std::size_t threads);

  // Lets the rows leave one after the other; with noise_only none that its own neighbours get right. Where that is
  // interrupted, none has left.
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
