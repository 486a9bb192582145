// Iterative case filtering (Brighton & Mellish 2002): rows leave that are solved by more cases than they solve.
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

  // Looks at some rows, each once in a pass: who is of their class and nearer than their nearest enemy. Quicker for
  // rows of one class in a row. Where that is interrupted, none has been looked at.
  void count(const std::vector<std::int64_t>& rows, std::size_t threads);

  // Ends a pass over all rows that are left: how many leave, since more cases reach them than they cover.
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
  std::vector<std::uint8_t> counted_;  // in this pass
  std::vector<std::uint32_t> reachable_;
  std::unique_ptr<std::atomic<std::uint32_t>[]> coverage_;
};

}  // namespace priorcase::reduction
