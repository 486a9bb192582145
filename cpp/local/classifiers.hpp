// Local classifiers: naive Bayes and logistic regression, fitted to the voters of each query.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "local/design.hpp"

namespace priorcase::local {

// The voters of each query and their classes. The pointers are views. Every query must have a voter of positive
// weight.
struct LocalClassTask {
  LocalTable table;  // without targets
  VoterLists lists;
  const std::int64_t* codes;  // the class of each stored row
  std::size_t n_classes;
  const double* queries;  // NaN: missing; -1: unseen value
  std::size_t n_queries;

  const double* query(std::size_t q) const { return queries + q * table.n_attributes; }
};

struct BayesRules {
  const double* class_prior = nullptr;  // added to the weight of each class
  const std::int64_t* sizes = nullptr;  // number of values of each nominal or ordinal column
  double value_prior = 1;               // added to the weight of each value
  bool student = true;                  // Student's t (posterior predictive); otherwise a normal density with estimates
  double strength = 1, degrees = 1;     // Student's t: number of values that the prior mean and variance count for
  double smoothing = 0;                 // normal: share of the overall variance added to the variance of each class
};

// Returns the probabilities of all classes for each query by naive Bayes, with weighted counts of nominal and ordinal
// values and densities of numbers.
std::vector<double> bayes_probabilities(const LocalClassTask& task, const BayesRules& rules, std::size_t threads);

struct LogisticRules {
  double ridge;      // lambda: the penalty is lambda^2 / 2 times the sum of squared slopes of all classes
  int most_steps;
  double tolerance;  // the last step is the first that can gain at most this share of the voters' weight
};

struct LogisticAnswers {
  std::vector<double> probabilities;   // 0 for classes without voters
  std::vector<std::uint8_t> reached;   // 0 if the fit did not converge
};

// Returns probabilities by multinomial logistic regression with a ridge penalty, fitted by Newton's method.
LogisticAnswers logistic_probabilities(const LocalClassTask& task, const LogisticRules& rules, std::size_t threads);

// Returns ln(Gamma(a + 1/2) / Gamma(a)) for a > 0. The difference of two log-gammas would lose digits.
double log_half_rising(double a);

}  // namespace priorcase::local
