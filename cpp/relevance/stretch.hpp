// The leave-one-out loss of a soft vote among rows, and its gradient by the attribute weights.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "relevance/stretch_costs.hpp"
#include "base/threads.hpp"

namespace priorcase::relevance {

// The mean loss of some rows, each told by all others of the table, and the gradient of that mean. Sums over rows are
// taken in their order, whatever the number of threads.
// times: how often each row of the table counts.
inline double stretch_loss(const StretchTable& table, const StretchTargets& targets, const double* weights,
                           const std::int64_t* rows, std::size_t n_rows, const double* times, std::size_t threads,
                           double* gradient) {
  const std::size_t width = table.columns.size();
  std::vector<double> losses(n_rows), slopes(gradient != nullptr ? n_rows * width : 0, 0.0);
  base::for_blocks(n_rows, 4, threads, [&] {
    return [&, costs = StretchCosts(table), vote = SoftVote()](std::size_t start, std::size_t stop) mutable {
      for (std::size_t i = start; i < stop; ++i) {
        const std::size_t row = static_cast<std::size_t>(rows[i]);
        losses[i] = vote(targets, row, table.n, costs.measure(row, weights));
        if (gradient != nullptr) costs.pull(vote.voters, slopes.data() + i * width);
      }
    };
  });
  double loss = 0.0, count = 0.0;
  if (gradient != nullptr) std::fill_n(gradient, width, 0.0);
  for (std::size_t i = 0; i < n_rows; ++i) {
    const double often = times[rows[i]];
    loss += often * losses[i];
    count += often;
    for (std::size_t a = 0; a < width && gradient != nullptr; ++a) gradient[a] += often * slopes[i * width + a];
  }
  for (std::size_t a = 0; a < width && gradient != nullptr; ++a) gradient[a] /= count;
  return loss / count;
}

}  // namespace priorcase::relevance
