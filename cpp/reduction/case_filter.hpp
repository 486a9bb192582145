// Iterative case filtering (Brighton & Mellish 2002): removes rows that are solved by more rows than they solve.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "reduction/neighbors.hpp"

namespace priorcase::reduction {

class CaseFilter {
 public:
  CaseFilter(const search::Rows& rows, const std::vector<std::int64_t>& labels);

  const std::vector<std::uint8_t>& held() const { return left_.held(); }

  // Counts the reachable rows of the given rows: those of the same class that are nearer than the nearest enemy. Each
  // row must be counted once per pass. Faster if rows of the same class are consecutive. If the call is interrupted,
  // none of its rows has been counted.
  void count(const std::vector<std::int64_t>& rows, std::size_t threads);

  // Ends a pass over all remaining rows: removes each row with more reachable rows than rows from which it is
  // reachable. Returns the number of removed rows.
  std::size_t filter();

 private:
  static constexpr std::int64_t unknown = -2;

  void reach(search::Seeker& seeker, std::size_t row);

  const std::size_t n_;
  const std::vector<std::int64_t> classes_;
  const votes::Majority ballot_;
  search::Subset left_;
  Enemies enemies_;
  std::vector<search::Found> enemy_;
  std::vector<std::uint8_t> counted_;  // whether each row was counted in this pass
  std::vector<std::uint32_t> reachable_;
  std::unique_ptr<std::atomic<std::uint32_t>[]> coverage_;
};

}  // namespace priorcase::reduction
