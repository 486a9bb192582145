#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include <nanobind/stl/optional.h>

#include "bindings/checks.hpp"
#include "relevance/relief.hpp"
#include "relevance/stretch_local.hpp"

namespace priorcase::bindings {

namespace {

using Doubles = nb::ndarray<nb::numpy, double>;

constexpr std::size_t most_threads = 1024;

std::size_t usable(std::size_t threads) { return std::clamp<std::size_t>(threads, 1, most_threads); }

std::vector<std::uint8_t> marks(const search::Plan& plan, const Flags& coded, const Matrix& cells) {
  plan.require_complete();
  require(plan.size() == coded.size() && cells.shape(1) == coded.size(), "plan and cells differ in width");
  for (std::size_t a = 0; a < coded.size(); ++a) {
    const double end = plan[a].codes_end();
    for (std::size_t i = 0; i < cells.shape(0) && coded.data()[a]; ++i) {
      const double code = cells.data()[i * coded.size() + a];
      require(!(code < 0.0) && !(code > 1e9), "stored codes count from 0");
      require(!(code >= end), "the plan does not know some of the symbols");
    }
  }
  return {coded.data(), coded.data() + coded.size()};
}

void check_rows(const Ids& rows, std::size_t n) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    require(rows.data()[i] >= 0 && static_cast<std::size_t>(rows.data()[i]) < n, "no such row");
}

void check_lists(const Ids& indptr, std::size_t entries) {
  require(indptr.size() > 0 && indptr.data()[0] == 0, "lists begin at 0");
  for (std::size_t i = 1; i < indptr.size(); ++i) require(indptr.data()[i - 1] <= indptr.data()[i], "lists go on");
  require(static_cast<std::size_t>(indptr.data()[indptr.size() - 1]) == entries, "lists end with the entries");
}

void check_weights(const Vector& weights, std::size_t width) {
  const auto good = [](double weight) { return std::isfinite(weight) && weight >= 0.0; };
  require(weights.size() == width && std::all_of(weights.data(), weights.data() + width, good),
          "one finite weight that is not negative per attribute");
}

// Classes or numbers of some rows.
struct Told {
  Told(std::optional<Ids> labels, std::optional<Vector> numbers, Vector shares, int loss, std::size_t n)
      : labels(labels), numbers(numbers), shares(shares), loss(static_cast<relevance::StretchLoss>(loss)) {
    require(labels.has_value() != numbers.has_value() && loss >= 0 && loss <= 2, "either labels or numbers");
    require(numbers.has_value() == (this->loss == relevance::StretchLoss::squared), "squares are for numbers");
    require((labels ? labels->size() : numbers->size()) == n, "one target per row");
    for (std::size_t i = 0; i < n && labels; ++i)
      require(labels->data()[i] >= 0 && static_cast<std::size_t>(labels->data()[i]) < shares.size(), "no such class");
  }

  relevance::StretchTargets targets() const {
    return {loss, labels ? labels->data() : nullptr, numbers ? numbers->data() : nullptr, shares.data(), nullptr};
  }

  const std::optional<Ids> labels;
  const std::optional<Vector> numbers;
  const Vector shares;
  const relevance::StretchLoss loss;
};

// Rows among which weights are tried out.
struct PyStretch : Told {
  PyStretch(const search::Plan& plan, Flags coded, Matrix cells, std::optional<Ids> labels, std::optional<Vector> numbers,
            Vector times, Vector shares, int loss)
      : Told(labels, numbers, shares, loss, cells.shape(0)), cells(cells), times(times),
        table(plan, marks(plan, coded, cells), cells.data(), cells.shape(0)) {
    require(times.size() == table.n, "one count per row");
  }

  nb::tuple evaluate(Vector weights, Ids rows, Vector votes, std::size_t threads, bool wants_gradient) {
    const std::size_t width = table.columns.size();
    check_weights(weights, width);
    check_rows(rows, table.n);
    require(votes.size() == table.n && rows.size() > 0, "one vote per row, and a row to tell");
    relevance::StretchTargets told = targets();
    told.votes = votes.data();
    std::vector<double> gradient(wants_gradient ? width : 0);
    double loss = 0.0;
    {
      nb::gil_scoped_release release;
      loss = relevance::stretch_loss(table, told, weights.data(), rows.data(), rows.size(), times.data(), usable(threads),
                          wants_gradient ? gradient.data() : nullptr);
    }
    return nb::make_tuple(loss, to_numpy(std::move(gradient)));
  }

  const Matrix cells;
  const Vector times;
  const relevance::StretchTable table;
};

// Weights of each of some queries, by the rows listed for it, each counted as often as it says.
Doubles local_weights(const search::Plan& plan, Flags coded, Matrix cells, std::optional<Ids> labels,
                      std::optional<Vector> numbers, Vector shares, int loss, Ids indptr, Ids rows, Vector counts,
                      Vector weights, double stiffness, std::size_t steps, std::size_t threads) {
  const Told told(labels, numbers, shares, loss, cells.shape(0));
  const std::vector<std::uint8_t> flags = marks(plan, coded, cells);
  const std::size_t width = flags.size(), n = indptr.size() - 1;
  check_lists(indptr, rows.size());
  check_rows(rows, cells.shape(0));
  check_weights(weights, width);
  require(counts.size() == rows.size() && stiffness >= 0.0, "one count per listed row");
  std::vector<double> out(n * width);
  const auto bend = [&](std::size_t q) {
    std::vector<double> near, numbers_near, votes;
    std::vector<std::int64_t> labels_near;
    for (std::int64_t e = indptr.data()[q]; e < indptr.data()[q + 1]; ++e) {
      const std::size_t row = static_cast<std::size_t>(rows.data()[e]);
      if (!(counts.data()[e] > 0.0)) continue;
      near.insert(near.end(), cells.data() + row * width, cells.data() + (row + 1) * width);
      votes.push_back(counts.data()[e]);
      if (told.labels) labels_near.push_back(told.labels->data()[row]);
      if (told.numbers) numbers_near.push_back(told.numbers->data()[row]);
    }
    double* written = out.data() + q * width;
    std::copy(weights.data(), weights.data() + width, written);
    if (!(std::accumulate(votes.begin(), votes.end(), 0.0) > 1.0)) return;
    const relevance::StretchTable table(plan, flags, near.data(), votes.size());
    const relevance::StretchTargets targets{told.loss, labels_near.data(), numbers_near.data(), told.shares.data(), votes.data()};
    relevance::LocalStretch(table, targets, weights.data(), stiffness, steps).bend(written);
  };
  {
    nb::gil_scoped_release release;
    base::for_blocks(n, 1, usable(threads), [&] {
      return [&](std::size_t start, std::size_t stop) {
        for (std::size_t q = start; q < stop; ++q) bend(q);
      };
    });
  }
  return to_numpy(std::move(out), {n, width});
}

Doubles relief_sums(const search::Plan& plan, Flags coded, Matrix cells, Ids rows, Ids indptr, Ids others, Vector factors,
                    double power, std::size_t threads) {
  const std::vector<std::uint8_t> flags = marks(plan, coded, cells);
  check_rows(rows, cells.shape(0));
  check_rows(others, cells.shape(0));
  check_lists(indptr, others.size());
  require(indptr.size() == rows.size() + 1 && factors.size() == others.size() && power >= 1.0, "one list per row");
  std::vector<double> sums;
  {
    nb::gil_scoped_release release;
    const relevance::ReliefPairs pairs{plan, flags, cells.data(), rows.data(), rows.size(), indptr.data(), others.data(),
                            factors.data()};
    sums = relevance::summed_differences(pairs, power, usable(threads));
  }
  return to_numpy(std::move(sums), {rows.size(), flags.size()});
}

}  // namespace

void bind_relevance(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<PyStretch>(module, "Stretch", "Rows that tell each other's targets by soft votes.")
      .def(nb::init<const search::Plan&, Flags, Matrix, std::optional<Ids>, std::optional<Vector>, Vector, Vector, int>(),
           "plan"_a, "coded"_a, "cells"_a, "labels"_a.none(), "numbers"_a.none(), "times"_a, "shares"_a, "loss"_a,
           nb::keep_alive<1, 2>())
      .def("evaluate", &PyStretch::evaluate, "weights"_a, "rows"_a, "votes"_a, "threads"_a, "gradient"_a);
  module.def("local_weights", &local_weights, "plan"_a, "coded"_a, "cells"_a, "labels"_a.none(), "numbers"_a.none(),
             "shares"_a, "loss"_a, "indptr"_a, "rows"_a, "counts"_a, "weights"_a, nb::kw_only(), "stiffness"_a, "steps"_a,
             "threads"_a);
  module.def("relief_sums", &relief_sums, "plan"_a, "coded"_a, "cells"_a, "rows"_a, "indptr"_a, "others"_a, "factors"_a,
             nb::kw_only(), "power"_a, "threads"_a);
}

}  // namespace priorcase::bindings
