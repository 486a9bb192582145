// Attribute weights of one query: those of all queries, bent to tell the targets in the query's neighbourhood.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "relevance/stretch.hpp"

namespace priorcase::relevance {

// w = g exp(delta) for the weights g of all queries: the mean leave-one-out loss among the neighbours, with the sharpness
// of votes that suits g, plus stiffness / m times the sum of delta^2 over m votes, is made small by gradient steps.
class LocalStretch {
 public:
  LocalStretch(const StretchTable& table, const StretchTargets& targets, const double* global, double stiffness,
               std::size_t steps)
      : table_(table), targets_(targets), global_(global), width_(table.columns.size()), steps_(steps),
        penalty_(stiffness / std::accumulate(targets.votes, targets.votes + table.n, 0.0)), rows_(table.n),
        delta_(width_, 0.0), weights_(width_) {
    std::iota(rows_.begin(), rows_.end(), 0);
  }

  // Writes the weights, which weigh as much in all as the global ones.
  void bend(double* out) {
    sharpen();
    std::vector<double> slope(width_), tried(width_), next(width_);
    double best = objective(delta_, slope.data()), step = 1.0;
    for (std::size_t i = 0; i < steps_; ++i) {
      const double length = std::inner_product(slope.begin(), slope.end(), slope.begin(), 0.0);
      if (!(length > 1e-12)) break;
      for (; step > 1e-6; step /= 4.0) {
        for (std::size_t a = 0; a < width_; ++a) tried[a] = delta_[a] - step * slope[a];
        const double found = objective(tried, next.data());
        if (!(found <= best - 1e-4 * step * length)) continue;
        best = found;
        delta_.swap(tried);
        slope.swap(next);
        break;
      }
      step *= 2.0;
    }
    write(out);
  }

 private:
  static constexpr double most = 20.0;  // of delta, so that weights stay finite

  // The sharpness, from wide to narrow votes, with the least loss under the global weights.
  void sharpen() {
    StretchCosts costs(table_);
    double sum = 0.0, count = 0.0;
    for (std::size_t i = 0; i < table_.n; ++i) {
      const double* found = costs.measure(i, global_);
      for (std::size_t j = 0; j < table_.n; ++j) {
        const double often = targets_.votes[i] * (j == i ? std::max(targets_.votes[i] - 1.0, 0.0) : targets_.votes[j]);
        if (often > 0.0 && found[j] < base::infinity) sum += often * found[j], count += often;
      }
    }
    const double unit = sum > 0.0 ? count / sum : 1.0;
    double best = base::infinity, chosen = unit;
    for (double times = 0.5; times < 100.0; times *= 2.0) {
      sharpness_ = unit * times;
      const double loss = objective(delta_, nullptr);
      if (loss < best) best = loss, chosen = sharpness_;
    }
    sharpness_ = chosen;
  }

  double objective(const std::vector<double>& delta, double* slope) {
    double bent = 0.0;
    for (std::size_t a = 0; a < width_; ++a) {
      weights_[a] = sharpness_ * global_[a] * std::exp(std::clamp(delta[a], -most, most));
      bent += delta[a] * delta[a];
    }
    const double loss =
        stretch_loss(table_, targets_, weights_.data(), rows_.data(), table_.n, targets_.votes, 1, slope);
    for (std::size_t a = 0; a < width_ && slope != nullptr; ++a)
      slope[a] = slope[a] * weights_[a] + 2.0 * penalty_ * delta[a];
    return loss + penalty_ * bent;
  }

  void write(double* out) const {
    double before = 0.0, after = 0.0;
    for (std::size_t a = 0; a < width_; ++a) {
      out[a] = global_[a] * std::exp(std::clamp(delta_[a], -most, most));
      before += global_[a];
      after += out[a];
    }
    for (std::size_t a = 0; a < width_; ++a) out[a] *= before / after;
  }

  const StretchTable& table_;
  const StretchTargets& targets_;
  const double* global_;
  const std::size_t width_, steps_;
  const double penalty_;
  std::vector<std::int64_t> rows_;
  std::vector<double> delta_, weights_;
  double sharpness_ = 1.0;
};

}  // namespace priorcase::relevance
