// What a local fit owes to each of its rows, and how far it can be trusted.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "local/fit.hpp"

namespace priorcase::local {

// Statistics of one local fit (after Atkeson, Moore & Schaal 1997), with x the columns and a leading 1,
// C = (sum K x x' + ridge)^-1 and e the residuals. A row with repetitions counts as that many rows of its own.
class LocalStatistics {
 public:
  void take(LocalFit& fit) {
    const Voters& voters = fit.voters();
    const std::size_t n = voters.length();
    const Columns& white = fit.squares().whitened();
    fit.squares().whiten(fit.centre().data(), centre_);
    rows_.reshape(n, 2);
    double *hat = rows_[0], *leverage = rows_[1];
    const double mean_part = 1.0 / fit.total();
    for (std::size_t i = 0; i < n; ++i) hat[i] = leverage[i] = mean_part;
    for (std::size_t k = 0; k < white.count(); ++k) {
      const double along = centre_[k];
      // 0 but for rounding, which a small singular value blows up.
      const double mean = sums_->dot(voters.weights(), white[k], n) * mean_part;
      for (std::size_t i = 0; i < n; ++i) {
        hat[i] -= along * (white[k][i] - mean);
        leverage[i] += white[k][i] * white[k][i];
      }
    }
    const double* weights = voters.weights();
    for (std::size_t i = 0; i < n; ++i) hat[i] *= weights[i];
    for (std::size_t i = 0; i < n; ++i) leverage[i] *= weights[i];
  }

  // s: the value at the query is the sum of s times the targets.
  const double* hat() const { return rows_[0]; }
  // K x'Cx: what a row of this weight contributes to its own fitted value.
  const double* leverage() const { return rows_[1]; }

 private:
  const ColumnSums* sums_ = &column_sums();
  Columns rows_;
  std::vector<double> centre_;
};

// Sums over the rows of a fit. Sums of weights are as the weights were given.
struct LocalSummary {
  double weight = 0.0;      // n_LWR = sum K
  double squares = 0.0;     // sum K^2: weight^2 / squares is the effective number of neighbours
  double parameters = 0.0;  // p_LWR = sum K^2 x'Cx, so that sum K e^2 / (weight - parameters) is unbiased (no ridge)
  double trace = 0.0;       // sum K x'Cx: the rank, less what the ridge takes
  double variance = 0.0;    // s's: the variance of the value in units of that of a target
};

inline LocalSummary summarise(const LocalFit& fit, const LocalStatistics& statistics) {
  const Voters& voters = fit.voters();
  const double *weights = voters.weights(), *shares = voters.shares();
  const double *hat = statistics.hat(), *leverage = statistics.leverage();
  LocalSummary sums;
  for (std::size_t i = 0; i < voters.size(); ++i) {
    const double once = weights[i] * shares[i];
    sums.squares += weights[i] * once;
    sums.parameters += once * leverage[i];
    sums.trace += leverage[i];
    sums.variance += hat[i] * hat[i] * shares[i];
  }
  sums.weight = voters.restore(fit.total());
  sums.squares = voters.restore(voters.restore(sums.squares));
  sums.parameters = voters.restore(sums.parameters);
  return sums;
}

// Residuals of one target, and their sums.
class LocalResiduals {
 public:
  void take(const LocalFit& fit, std::size_t target) {
    const std::size_t n = fit.voters().length();
    residuals_.reshape(n, 1);
    std::copy_n(fit.targets()[target], n, residuals_[0]);
    for (std::size_t j = 0; j < fit.terms().size(); ++j)
      sums_->add_multiple(-fit.coefficients(target)[j], fit.columns()[j], residuals_[0], n);
  }

  // sum K e^2
  double squares(const LocalFit& fit) const {
    double total = 0.0;
    for (std::size_t i = 0; i < fit.voters().size(); ++i)
      total += fit.voters().weights()[i] * residuals_[0][i] * residuals_[0][i];
    return fit.voters().restore(total);
  }

  // sum K (e / (1 - leverage))^2 / sum K: the mean square of residuals from fits without the row, one repetition of it.
  // Where the fit hangs on the row alone (1 - leverage is 0) the mean of the others answers; infinite without any.
  double left_out(const LocalFit& fit, const LocalStatistics& statistics, std::size_t target) const {
    const Voters& voters = fit.voters();
    double total = 0.0;
    for (std::size_t i = 0; i < voters.size(); ++i) {
      const double share = voters.shares()[i], rest = 1.0 - statistics.leverage()[i] * share;
      const double others = 1.0 - voters.weights()[i] * share / fit.total();
      if (rest <= alone && others <= alone) return std::numeric_limits<double>::infinity();
      const double error = rest > alone ? residuals_[0][i] / rest : fit.targets()[target][i] / others;
      total += voters.weights()[i] * error * error;
    }
    return total / fit.total();
  }

 private:
  static constexpr double alone = 1e-9;

  const ColumnSums* sums_ = &column_sums();
  Columns residuals_;
};

}  // namespace priorcase::local
