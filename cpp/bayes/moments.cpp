#include "bayes/moments.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

#include "base/threads.hpp"

namespace priorcase::bayes {

namespace {

// Each addition waits for the one before it: a few columns together keep the processor busy meanwhile.
constexpr std::size_t side_by_side = 4;
constexpr std::size_t step_values = std::size_t{1} << 22;    // added between two looks for Ctrl-C
constexpr std::size_t thread_values = std::size_t{1} << 14;  // added in the time that starting a thread takes

void add(RunningMoments& to, double x, double w) {
  const double before = to.n, away = (x - to.mean) - to.low;
  to.n += w;
  if (before == 0) {
    to.mean = x;
    return;
  }
  // The smaller part moves the mean: a row of most of the weight is not reached from afar.
  const double from = w > before ? x : to.mean;
  to.low = w > before ? before / to.n * -away : to.low + w / to.n * away;
  to.mean = from + to.low;
  to.low -= to.mean - from;
  to.deviation += before * w / to.n * (away * away);
  // Too small to square.
  if (away != 0 && to.deviation == 0) to.deviation = std::numeric_limits<double>::denorm_min();
}

// Some rows of a few columns.
void add_rows(const double* const* columns, std::size_t n_columns, const std::int32_t* classes, const double* weights,
              std::size_t start, std::size_t stop, RunningMoments* moments, std::size_t n_classes) {
  for (std::size_t row = start; row < stop; ++row) {
    const std::int32_t code = classes[row];
    const double w = weights == nullptr ? 1.0 : weights[row];
    if (code < 0 || w == 0) continue;
    for (std::size_t c = 0; c < n_columns; ++c) {
      const double x = columns[c][row];
      if (x == x) add(moments[c * n_classes + static_cast<std::size_t>(code)], x, w);
    }
  }
}

}  // namespace

void add_moments(const std::vector<const double*>& columns, const std::int32_t* classes, const double* weights,
                 std::size_t rows, RunningMoments* moments, std::size_t n_classes, std::size_t threads) {
  if (rows == 0 || columns.empty()) return;
  const std::size_t groups = (columns.size() + side_by_side - 1) / side_by_side;
  const auto add_step = [&](std::size_t start, std::size_t stop) {
    std::atomic<std::size_t> next{0};
    const std::size_t worth = std::max<std::size_t>(1, (stop - start) * columns.size() / thread_values);
    base::run_on_threads(std::min({threads, groups, worth}), [&](const std::atomic<bool>&) {
      for (std::size_t group; (group = next++) < groups;) {
        const std::size_t first = group * side_by_side, n = std::min(side_by_side, columns.size() - first);
        add_rows(columns.data() + first, n, classes, weights, start, stop, moments + first * n_classes, n_classes);
      }
    });
  };
  const std::size_t step = std::max<std::size_t>(step_values / columns.size(), 1);
  if (rows <= step) return add_step(0, rows);
  const std::vector<RunningMoments> before(moments, moments + columns.size() * n_classes);
  try {
    for (std::size_t start = 0; start < rows; start += step) {
      base::check_interrupt();
      add_step(start, std::min(rows, start + step));
    }
  } catch (...) {
    std::copy(before.begin(), before.end(), moments);
    throw;
  }
}

}  // namespace priorcase::bayes
