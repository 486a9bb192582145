// Naive Bayes over the voters of each query: weighted counts, and normal densities of numbers by plug-in or by evidence.
#pragma once

#include <algorithm>
#include <limits>
#include <numbers>

#include "base/numbers.hpp"
#include "local/classify_task.hpp"

namespace priorcase::local {

struct BayesRules {
  const double* class_prior = nullptr;    // what is added to the weight of each class
  const std::int64_t* sizes = nullptr;    // how many values each column has that is counted
  double value_prior = 1;                 // what is added to the weight of each value
  bool student = true;                    // the average over normal densities, otherwise the one of mean and variance
  double strength = 1, degrees = 1;       // of Student's prior: how many values its mean and its variance count for
  double smoothing = 0;                   // of the plug-in: share of the overall variance that each class gets in addition
};

// ln(G(a + 1/2) / G(a)) for a > 0, without the digits that two log-gammas lose.
inline double log_half_rising(double a) {
  double ratio = 1;
  for (; a < 16; a += 1) ratio *= a / (a + 0.5);
  const double u = 1 / a, v = u * u;
  const double series = u * (-1.0 / 8 + v * (1.0 / 192 + v * (-1.0 / 640 + v * (17.0 / 14336))));
  return std::log(ratio) + 0.5 * std::log(a) + series;
}

class LocalBayes {
 public:
  LocalBayes(const ClassTask& task, const BayesRules& rules) : task_(task), rules_(rules), voters_(task) {}

  // Probabilities of all classes for one query. Classes without a voter share one score, but for their priors.
  void answer(std::size_t q, double* out) {
    voters_.take(q);
    const std::size_t lines = voters_.present().size() + 1;
    scores_.assign(lines, 0.0);
    for (std::size_t a = 0; a < task_.table.n_attributes; ++a) {
      const double asked = task_.query(q)[a];
      if (std::isnan(asked)) continue;
      if (task_.table.kinds[a] == LocalTable::numeric) add_density(a, asked);
      else add_share(a, asked);
    }
    for (std::size_t c = 0; c < task_.n_classes; ++c) out[c] = std::log(rules_.class_prior[c]) + scores_.back();
    for (std::size_t l = 0; l + 1 < lines; ++l) {
      const std::size_t c = voters_.present()[l];
      out[c] = std::log(voters_.mass(l) + rules_.class_prior[c]) + scores_[l];
    }
    normalise(out);
  }

 private:
  void clear() {
    const std::size_t lines = voters_.present().size() + 1;
    known_.assign(lines, 0.0), sums_.assign(lines, 0.0), spread_.assign(lines, 0.0);
  }

  // (f + s) / (n + K s), with K one larger for a value that no stored row has.
  void add_share(std::size_t a, double asked) {
    clear();
    for (std::size_t i = 0; i < voters_.size(); ++i) {
      const double cell = voters_.cell(i, a);
      if (std::isnan(cell)) continue;
      known_[voters_.of(i)] += voters_.weight(i);
      if (cell == asked) sums_[voters_.of(i)] += voters_.weight(i);
    }
    const double values = static_cast<double>(rules_.sizes[a] + (asked < 0)), s = rules_.value_prior;
    for (std::size_t l = 0; l < scores_.size(); ++l) scores_[l] += std::log((sums_[l] + s) / (known_[l] + values * s));
  }

  // Numbers are measured from the query, in units of the column's spread: the query lies at 0.
  void add_density(std::size_t a, double asked) {
    clear();
    numbers_.resize(voters_.size());
    double n = 0, sum = 0, low = base::infinity, high = -base::infinity;
    for (std::size_t i = 0; i < voters_.size(); ++i) {
      const double z = numbers_[i] = (voters_.cell(i, a) - asked) / task_.table.scales[a], w = voters_.weight(i);
      if (std::isnan(z)) continue;
      known_[voters_.of(i)] += w, sums_[voters_.of(i)] += w * z;
      n += w, sum += w * z;
      low = std::min(low, z), high = std::max(high, z);
    }
    if (!(low < high)) return;  // values that do not differ say nothing
    const double mean = sum / n;
    means_.assign(scores_.size(), mean);
    for (std::size_t l = 0; l < scores_.size(); ++l) if (known_[l] > 0) means_[l] = sums_[l] / known_[l];
    double all = 0;
    for (std::size_t i = 0; i < voters_.size(); ++i) {
      if (std::isnan(numbers_[i])) continue;
      const double away = numbers_[i] - means_[voters_.of(i)], far = numbers_[i] - mean;
      spread_[voters_.of(i)] += voters_.weight(i) * (away * away), all += voters_.weight(i) * (far * far);
    }
    add_terms(n, mean, all);
  }

  // A column on which float64 cannot tell the densities says nothing.
  void add_terms(double n, double mean, double all) {
    bool finite = true;
    for (std::size_t l = 0; l < scores_.size(); ++l) {
      sums_[l] = rules_.student ? averaged(l, n, mean, all) : plugged(l, n, all);
      finite = finite && std::isfinite(sums_[l]);
    }
    for (std::size_t l = 0; finite && l < scores_.size(); ++l) scores_[l] += sums_[l];
  }

  // Student's t of the next value under a Normal-Gamma prior around all voters' mean and variance, at 0.
  double averaged(std::size_t l, double n_all, double mean, double all) const {
    const double n = known_[l], k = rules_.strength + n, away = means_[l] - mean;
    const double location = mean + n / k * away, a = 0.5 * (rules_.degrees + n);
    const double b = 0.5 * (rules_.degrees * (all / n_all) + spread_[l] + rules_.strength * (n / k) * (away * away));
    const double q = k / (2 * b * (k + 1));
    return log_half_rising(a) + 0.5 * std::log(q / std::numbers::pi) - (a + 0.5) * std::log1p(location * location * q);
  }

  // The normal density at 0; a class whose values weigh less than two takes the variance of all voters.
  double plugged(std::size_t l, double n_all, double all) const {
    const double overall = all / std::max(n_all - 1, n_all / 2), n = known_[l];
    const double variance = n >= 2 ? spread_[l] / (n - 1) + rules_.smoothing * overall : overall;
    return -0.5 * (std::log(2 * std::numbers::pi * variance) + means_[l] * means_[l] / variance);
  }

  void normalise(double* out) const {
    const double most = *std::max_element(out, out + task_.n_classes);
    double total = 0;
    for (std::size_t c = 0; c < task_.n_classes; ++c) total += out[c] = std::exp(out[c] - most);
    for (std::size_t c = 0; c < task_.n_classes; ++c) out[c] /= total;
  }


  const ClassTask& task_;
  const BayesRules& rules_;
  ClassVoters voters_;
  std::vector<double> scores_, known_, sums_, means_, spread_, numbers_;
};

}  // namespace priorcase::local
