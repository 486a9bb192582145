// Attribute weights that minimize the leave-one-out loss of soft votes: the loss and its gradient, and weights for
// single queries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/plan.hpp"

namespace priorcase::relevance {

enum class StretchLoss { log, errors, squared };

// The targets of the rows of a table, and their votes.
struct StretchTargets {
  StretchLoss loss = StretchLoss::log;
  const std::int64_t* labels = nullptr;  // classes, unless the loss is `squared`
  const double* numbers = nullptr;       // numbers with mean 0, if the loss is `squared`
  const double* shares = nullptr;        // frequency of each class among all rows
  const double* votes = nullptr;         // number of rows that each row stands for as a voter; 0: it does not vote
};

// Rows stored by columns. Codes are replaced by their positions among the codes that occur, which may be few of many; a
// missing code has the position after the last. The plan must outlive this object.
class StretchTable {
 public:
  StretchTable(const search::Plan& plan, std::vector<std::uint8_t> coded, const double* cells, std::size_t n);

  struct Column {
    std::vector<double> numbers;
    std::vector<double> values;  // the codes that occur, ascending
    std::vector<std::uint32_t> codes;
    std::uint32_t gap = 0;
    bool has_gaps = false;
  };

  double cell(std::size_t row, std::size_t a) const;

  const search::Plan& plan;
  const std::size_t n;
  const std::vector<std::uint8_t> coded;
  std::vector<Column> columns;
};

// Returns the mean loss of some rows, each predicted by all other rows of the table, and writes the gradient of that
// mean unless `gradient` is null. Sums over rows are computed in the order of the rows, for any number of threads.
// times: how often each row of the table counts in the mean.
double stretch_loss(const StretchTable& table, const StretchTargets& targets, const double* weights,
                    const std::int64_t* rows, std::size_t n_rows, const double* times, std::size_t threads,
                    double* gradient);

// A table, and the rows near each of some queries: those of query q are in [indptr[q], indptr[q + 1]) of `near`.
// `counts` says how often each of them counts.
struct Neighborhoods {
  const search::Plan& plan;
  const std::vector<std::uint8_t>& coded;
  const double* cells;
  const std::int64_t* indptr;
  std::size_t n_queries;
  const std::int64_t* near;
  const double* counts;
};

// Returns the weights of each query, shape (queries, attributes): w = g exp(delta), scaled to the sum of the global
// weights g. Gradient steps for delta decrease the mean leave-one-out loss among the rows near the query, with the
// sharpness of votes that is best for g, plus stiffness / m times the sum of delta^2, where m is the sum of the counts.
// `targets` are those of all rows of the table; their votes are ignored.
std::vector<double> local_weights(const Neighborhoods& around, const StretchTargets& targets, const double* weights,
                                  double stiffness, std::size_t steps, std::size_t threads);

}  // namespace priorcase::relevance
