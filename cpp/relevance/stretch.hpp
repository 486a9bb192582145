// Attribute weights by the leave-one-out loss of a soft vote among rows: the loss and its gradient, and weights for the
// neighbourhood of one query.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/plan.hpp"

namespace priorcase::relevance {

enum class StretchLoss { log, errors, squared };

// What is to be told, for some rows.
struct StretchTargets {
  StretchLoss loss = StretchLoss::log;
  const std::int64_t* labels = nullptr;  // classes, where the loss is not the squared one
  const double* numbers = nullptr;       // else, with mean 0
  const double* shares = nullptr;        // of each class among all rows
  const double* votes = nullptr;         // how many rows each row stands for when it votes; 0: it does not
};

// Rows by columns: numbers, or places in a list of the codes that occur, which may be few of many; the gap is behind
// them. The plan is the caller's.
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

// The mean loss of some rows, each told by all others of the table, and the gradient of that mean where one is given to
// write to. Sums over rows are taken in their order, whatever the number of threads.
// times: how often each row of the table counts.
double stretch_loss(const StretchTable& table, const StretchTargets& targets, const double* weights,
                    const std::int64_t* rows, std::size_t n_rows, const double* times, std::size_t threads,
                    double* gradient);

// Rows of a table, and those near each of some queries: list q is [indptr[q], indptr[q + 1]) of `near`, each of them
// counted as often as `counts` says.
struct Neighborhoods {
  const search::Plan& plan;
  const std::vector<std::uint8_t>& coded;
  const double* cells;
  const std::int64_t* indptr;
  std::size_t n_queries;
  const std::int64_t* near;
  const double* counts;
};

// Weights of each query, shape (queries, attributes), that weigh as much in all as those of all queries, g:
// w = g exp(delta). The mean leave-one-out loss among the neighbours, with the sharpness of votes that suits g, plus
// stiffness / m times the sum of delta^2 over m votes, is made small by gradient steps. The targets are those of the
// table; their votes do not matter.
std::vector<double> local_weights(const Neighborhoods& around, const StretchTargets& targets, const double* weights,
                                  double stiffness, std::size_t steps, std::size_t threads);

}  // namespace priorcase::relevance
