// Lists that say for each term which values hold it, and how much: what a sparse question is multiplied with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace priorcase::cases {

// Term t is held by the values holders[starts[t]] up to holders[starts[t + 1]], each below n_values; once each where
// there are no weights.
struct Postings {
  const std::int64_t* starts;
  const std::int32_t* holders;
  const double* weights;
  std::size_t n_values;

  // For each value the sum over the terms asked about of the term's weight times its weight there, in the terms' order.
  std::vector<double> products(const std::int64_t* terms, const double* term_weights, std::size_t n) const {
    std::vector<double> sums(n_values, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      const std::int64_t stop = starts[terms[i] + 1];
      for (std::int64_t e = starts[terms[i]]; e < stop; ++e)
        sums[static_cast<std::size_t>(holders[e])] += weights ? term_weights[i] * weights[e] : term_weights[i];
    }
    return sums;
  }
};

}  // namespace priorcase::cases
