// Differences between rows and their neighbours, summed attribute by attribute: what Relief counts.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/difference.hpp"
#include "base/threads.hpp"

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
inline std::vector<double> summed_differences(const ReliefPairs& pairs, double power, std::size_t threads) {
  const std::size_t width = pairs.plan.size();
  std::vector<double> sums(pairs.n_rows * width, 0.0);
  const auto rooted = [power](double f) {
    return power == 1.0 ? f : power == 2.0 ? std::sqrt(f) : std::pow(f, 1.0 / power);
  };
  base::for_blocks(pairs.n_rows, 64, threads, [&] {
    return [&, difference = search::Difference()](std::size_t start, std::size_t stop) mutable {
      for (std::size_t i = start; i < stop; ++i) {
        const double* row = pairs.cells + static_cast<std::size_t>(pairs.rows[i]) * width;
        for (std::size_t a = 0; a < width; ++a) {
          difference.prepare(pairs.plan, a, pairs.coded[a] != 0, row[a]);
          double sum = 0.0;
          for (std::int64_t e = pairs.indptr[i]; e < pairs.indptr[i + 1]; ++e) {
            const double x = pairs.cells[static_cast<std::size_t>(pairs.others[e]) * width + a];
            if (pairs.plan.skip && (x != x || row[a] != row[a])) continue;
            sum += pairs.factors[e] * rooted(x == x ? difference.against(x) : difference.against_missing());
          }
          sums[i * width + a] = sum;
        }
      }
    };
  });
  return sums;
}

}  // namespace priorcase::relevance
