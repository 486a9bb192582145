#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include <nanobind/stl/optional.h>

#include "bindings/checks.hpp"
#include "relevance/relief.hpp"
#include "relevance/stretch.hpp"

namespace priorcase::bindings {

namespace {

using Doubles = nb::ndarray<nb::numpy, double>;

bool are_counts(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), is_weight);
}

// Arguments are copied before they are checked, so that other threads cannot change them after the checks. All of this
// is done without the GIL.
struct Cells {
  Cells(const search::Plan& plan, const Flags& flags, const Matrix& matrix)
      : coded(copy(flags)), cells(copy(matrix)), n(matrix.shape(0)) {
    require(matrix.shape(1) == plan.size(), "plan and cells differ in width");
    plan.require_rows(coded, cells.data(), n);
  }

  const std::vector<std::uint8_t> coded;
  const std::vector<double> cells;
  const std::size_t n;
};

// Concatenated lists of rows.
struct Lists {
  Lists(const Ids& indptr, const Ids& rows, std::size_t n) : starts(copy(indptr)), rows(copy(rows)) {
    require_lists(starts, rows.size());
    require_below(this->rows, static_cast<std::int64_t>(n), "no such row");
  }

  std::size_t size() const { return starts.size() - 1; }

  const std::vector<std::int64_t> starts, rows;
};

std::vector<double> checked_weights(const Vector& given, std::size_t width) {
  std::vector<double> weights = copy(given);
  require(weights.size() == width && are_counts(weights), "one finite weight that is not negative per attribute");
  return weights;
}

// The targets of the rows: classes or numbers.
struct Told {
  Told(const std::optional<Ids>& given_labels, const std::optional<Vector>& given_numbers, const Vector& given_shares,
       int given_loss, std::size_t n)
      : shares(copy(given_shares)),
        loss(checked_option(given_loss, relevance::StretchLoss::squared, "no such loss")) {
    require(given_labels.has_value() != given_numbers.has_value(), "either labels or numbers");
    require(given_numbers.has_value() == (loss == relevance::StretchLoss::squared),
            "the squared loss is for numbers, the other losses are for classes");
    if (given_labels) labels = copy(*given_labels);
    if (given_numbers) numbers = copy(*given_numbers);
    require(labels.size() + numbers.size() == n, "one target per row");
    require_below(labels, static_cast<std::int64_t>(shares.size()), "no such class");
    require(std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); }),
            "targets must be finite");
    require(are_counts(shares), "shares are finite and not negative");
  }

  relevance::StretchTargets targets(const double* votes) const {
    const bool has_labels = loss != relevance::StretchLoss::squared;
    return {loss, has_labels ? labels.data() : nullptr, has_labels ? nullptr : numbers.data(), shares.data(), votes};
  }

  std::vector<std::int64_t> labels;
  std::vector<double> numbers;
  const std::vector<double> shares;
  const relevance::StretchLoss loss;
};

// The rows on which the loss of attribute weights is evaluated.
struct Stretch {
  Stretch(const search::Plan& plan, Flags coded, Matrix cells, std::optional<Ids> labels, std::optional<Vector> numbers,
          Vector given_times, Vector shares, int loss) {
    nb::gil_scoped_release release;
    const Cells checked(plan, coded, cells);
    require(checked.n > 0, "there must be a row");
    told.emplace(labels, numbers, shares, loss, checked.n);
    times = copy(given_times);
    require(times.size() == checked.n && are_counts(times), "one finite count that is not negative per row");
    table.emplace(plan, checked.coded, checked.cells.data(), checked.n);
  }

  nb::tuple evaluate(Vector given_weights, Ids given_rows, Vector given_votes, std::size_t threads,
                     bool wants_gradient) const {
    const std::size_t width = table->columns.size();
    std::vector<double> gradient(wants_gradient ? width : 0);
    double loss = 0.0;
    {
      nb::gil_scoped_release release;
      const std::vector<double> weights = checked_weights(given_weights, width), votes = copy(given_votes);
      const std::vector<std::int64_t> rows = copy(given_rows);
      require_below(rows, static_cast<std::int64_t>(table->n), "no such row");
      require(votes.size() == table->n && are_counts(votes), "one finite vote that is not negative per row");
      const auto counts = [this](std::int64_t row) { return times[static_cast<std::size_t>(row)] > 0.0; };
      require(std::any_of(rows.begin(), rows.end(), counts), "one of the rows must have times above 0");
      loss = relevance::stretch_loss(*table, told->targets(votes.data()), weights.data(), rows.data(), rows.size(),
                                     times.data(), usable_threads(threads), wants_gradient ? gradient.data() : nullptr);
    }
    return nb::make_tuple(loss, to_numpy(std::move(gradient)));
  }

  std::optional<Told> told;
  std::vector<double> times;
  std::optional<relevance::StretchTable> table;
};

// Fits weights for each query to the rows listed for it, each counted as often as `given_counts` says.
Doubles local_weights(const search::Plan& plan, Flags coded, Matrix cells, std::optional<Ids> labels,
                      std::optional<Vector> numbers, Vector shares, int loss, Ids indptr, Ids rows, Vector given_counts,
                      Vector given_weights, double stiffness, std::size_t steps, std::size_t threads) {
  std::vector<double> found;
  {
    nb::gil_scoped_release release;
    const Cells checked(plan, coded, cells);
    const Told told(labels, numbers, shares, loss, checked.n);
    const Lists lists(indptr, rows, checked.n);
    const std::vector<double> weights = checked_weights(given_weights, plan.size()), counts = copy(given_counts);
    require(std::accumulate(weights.begin(), weights.end(), 0.0) > 0.0, "there must be a weight above 0");
    require(counts.size() == lists.rows.size() && are_counts(counts),
            "one finite count that is not negative per listed row");
    require(std::isfinite(stiffness) && stiffness >= 0.0, "stiffness must be a finite number of 0 or more");
    const relevance::Neighborhoods around{plan,         checked.coded,     checked.cells.data(), lists.starts.data(),
                                          lists.size(), lists.rows.data(), counts.data()};
    found = relevance::local_weights(around, told.targets(nullptr), weights.data(), stiffness, steps,
                                     usable_threads(threads));
  }
  return to_numpy(std::move(found), {indptr.size() - 1, plan.size()});
}

Doubles relief_sums(const search::Plan& plan, Flags coded, Matrix cells, Ids given_rows, Ids indptr, Ids others,
                    Vector given_factors, double power, std::size_t threads) {
  std::vector<double> sums;
  {
    nb::gil_scoped_release release;
    const Cells checked(plan, coded, cells);
    const Lists lists(indptr, others, checked.n);
    const std::vector<std::int64_t> rows = copy(given_rows);
    const std::vector<double> factors = copy(given_factors);
    require_below(rows, static_cast<std::int64_t>(checked.n), "no such row");
    require(lists.size() == rows.size() && factors.size() == lists.rows.size(), "one list per row");
    require(power >= 1.0 && power < base::infinity, "the power must be a finite number of 1 or more");
    const relevance::ReliefPairs pairs{plan,        checked.coded,       checked.cells.data(), rows.data(),
                                       rows.size(), lists.starts.data(), lists.rows.data(),    factors.data()};
    sums = relevance::summed_differences(pairs, power, usable_threads(threads));
  }
  return to_numpy(std::move(sums), {given_rows.size(), plan.size()});
}

}  // namespace

void bind_relevance(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<Stretch>(module, "Stretch",
                      "Leave-one-out loss of attribute weights: rows predict each other's targets by soft votes "
                      "``exp(-cost)``.")
      .def(nb::init<const search::Plan&, Flags, Matrix, std::optional<Ids>, std::optional<Vector>, Vector, Vector,
                    int>(),
           "plan"_a, "coded"_a, "cells"_a, "labels"_a.none(), "numbers"_a.none(), "times"_a, "shares"_a, "loss"_a,
           nb::keep_alive<1, 2>())
      .def("evaluate", &Stretch::evaluate, "weights"_a, "rows"_a, "votes"_a, "threads"_a, "gradient"_a);
  module.def("local_weights", &local_weights, "plan"_a, "coded"_a, "cells"_a, "labels"_a.none(), "numbers"_a.none(),
             "shares"_a, "loss"_a, "indptr"_a, "rows"_a, "counts"_a, "weights"_a, nb::kw_only(), "stiffness"_a,
             "steps"_a, "threads"_a);
  module.def("relief_sums", &relief_sums, "plan"_a, "coded"_a, "cells"_a, "rows"_a, "indptr"_a, "others"_a, "factors"_a,
             nb::kw_only(), "power"_a, "threads"_a);
}

}  // namespace priorcase::bindings
