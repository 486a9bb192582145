// Classifiers fitted around each query: naive Bayes and logistic regression over the voters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "local/design.hpp"

namespace priorcase::local {

// The voters of each query and their classes. Views. Every query has a voter of positive weight.
struct LocalClassTask {
  LocalTable table;  // without targets
  VoterLists lists;
  const std::int64_t* codes;  // the class of each stored row
  std::size_t n_classes;
  const double* queries;  // NaN is a gap, -1 a value that no stored row has
  std::size_t n_queries;

  const double* query(std::size_t q) const { return queries + q * table.n_attributes; }
};

struct BayesRules {
  const double* class_prior = nullptr;  // what is added to the weight of each class
  const std::int64_t* sizes = nullptr;  // how many values each column has that is counted
  double value_prior = 1;               // what is added to the weight of each value
  bool student = true;                  // the average over normal densities, otherwise the one of mean and variance
  double strength = 1, degrees = 1;     // of Student's prior: how many values its mean and its variance count for
  double smoothing = 0;                 // of the plug-in: share of the overall variance added to each class's own
};

// Probabilities of all classes for each query by naive Bayes: weighted counts, and normal densities of numbers by
// plug-in or by evidence.
std::vector<double> bayes_probabilities(const LocalClassTask& task, const BayesRules& rules, std::size_t threads);

struct LogisticRules {
  double ridge;      // lambda: lambda^2 / 2 times the squared slopes of all classes are added to the loss
  int most_steps;
  double tolerance;  // a step that can gain no more than this share of the voters' weight is the last
};

struct LogisticAnswers {
  std::vector<double> probabilities;   // 0 for classes without a voter
  std::vector<std::uint8_t> reached;   // 0 where the fit was given up
};

// By multinomial logistic regression with a ridge, fitted by Newton's method.
LogisticAnswers logistic_probabilities(const LocalClassTask& task, const LogisticRules& rules, std::size_t threads);

// ln(G(a + 1/2) / G(a)) for a > 0, without the digits that two log-gammas lose.
double log_half_rising(double a);

}  // namespace priorcase::local
