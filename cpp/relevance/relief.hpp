// Sums of the differences between rows and their neighbors in each attribute, for Relief.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/plan.hpp"

namespace priorcase::relevance {

// A table, and some of its rows, each with a list of other rows and a factor for each of these.
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

// Returns the sum of factor times difference d over each list, for each attribute, shape (rows, attributes). If the
// plan skips missing values, a pair adds nothing to an attribute that is missing in one of its rows.
std::vector<double> summed_differences(const ReliefPairs& pairs, double power, std::size_t threads);

}  // namespace priorcase::relevance
