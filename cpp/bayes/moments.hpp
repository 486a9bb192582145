// Weight, mean and squared deviations of the numbers of each class, row after row (West 1979).
//
// The sums depend on the order of the rows and on nothing else: rows that come later continue where earlier ones ended,
// and give the same bits as one pass over all of them. The mean is kept in two parts, so that columns far from 0 lose
// nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace priorcase::bayes {

struct RunningMoments {
  double n, mean, low, deviation;  // the mean is mean + low
};

static_assert(sizeof(RunningMoments) == 4 * sizeof(double));

// Adds rows to the moments of their classes, one block of n_classes for each column. Missing numbers, rows of no weight
// and classes below 0 are left out; without weights each row counts once. All rows are added, or none.
void add_moments(const std::vector<const double*>& columns, const std::int32_t* classes, const double* weights,
                 std::size_t rows, RunningMoments* moments, std::size_t n_classes, std::size_t threads);

}  // namespace priorcase::bayes
