#include "relevance/relief.hpp"

#include <algorithm>
#include <cmath>

#include "base/threads.hpp"
#include "search/difference.hpp"

namespace priorcase::relevance {

std::vector<double> summed_differences(const ReliefPairs& pairs, double power, std::size_t threads) {
  constexpr std::size_t block = 16;
  const std::size_t width = pairs.plan.size();
  std::vector<double> sums(pairs.n_rows * width, 0.0);
  const auto rooted = [power](double f) {
    return power == 1.0 ? f : power == 2.0 ? std::sqrt(f) : std::pow(f, 1.0 / power);
  };
  // A pair takes about 10 nanoseconds per attribute; a thread is worth starting for 100 microseconds of work.
  const std::size_t n_pairs = static_cast<std::size_t>(pairs.indptr[pairs.n_rows]);
  const std::size_t cells_each = width * (n_pairs / std::max<std::size_t>(pairs.n_rows, 1) + 1);
  const std::size_t least = std::max(block, 10'000 / (cells_each + 1));
  const auto make = [&] {
    return [&, difference = search::Difference()](std::size_t start, std::size_t stop) mutable {
      for (std::size_t i = start; i < stop; ++i) {
        const double* row = pairs.cells + static_cast<std::size_t>(pairs.rows[i]) * width;
        for (std::size_t a = 0; a < width; ++a) {
          base::check_interrupt();
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
  };
  base::for_blocks(pairs.n_rows, block, threads, make, least);
  return sums;
}

}  // namespace priorcase::relevance
