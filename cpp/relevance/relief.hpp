// Differences between rows and their neighbours, summed attribute by attribute: what Relief counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/plan.hpp"

namespace priorcase::relevance {

// Rows, and for each of some of them a list of others, each with a factor.
struct ReliefPairs {
  const search::Plan& plan;
  const std::vector<std::uint8_t>& coded;
  const double* cells;
  const std::int64_t* rows;
  std::size_t n_rows;
  const std::int64_t* indptr;
  const std::int64_t* others;
  const double* factors;
};

// The sum of factor times difference d over each list and attribute, shape (rows, attributes). Where gaps are left out,
// an attribute that is unknown in one of the two adds nothing.
std::vector<double> summed_differences(const ReliefPairs& pairs, double power, std::size_t threads);

}  // namespace priorcase::relevance
