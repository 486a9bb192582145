#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include <nanobind/stl/optional.h>

#include "bindings/checks.hpp"
#include "reduction/case_filter.hpp"
#include "reduction/condensing.hpp"
#include "reduction/drop.hpp"

namespace priorcase::bindings {

namespace {

using Mask = nb::ndarray<nb::numpy, std::uint8_t>;

constexpr std::size_t most_threads = 1024;

std::size_t usable(std::size_t threads) { return std::clamp<std::size_t>(threads, 1, most_threads); }

// The arrays that the rows are views of, kept as long as they are looked at. The plan is kept by Python.
struct Table {
  Table(const search::Plan& plan, Flags coded, Matrix cells, Vector weights)
      : rows{plan, {coded.data(), coded.data() + coded.size()}, cells.data(), cells.shape(0), weights.data()},
        cells(cells), weights(weights) {
    plan.require_complete();
    const std::size_t n = coded.size();
    require(plan.size() == n && cells.shape(1) == n && weights.size() == n, "plan, cells and weights differ in width");
    require(cells.shape(0) > 0, "there must be a row");
    const auto good = [](double weight) { return std::isfinite(weight) && weight >= 0.0; };
    require(std::all_of(weights.data(), weights.data() + n, good), "weights are finite and not negative");
  }

  void check_part(std::size_t first, std::size_t last) const {
    require(first <= last && last <= rows.n, "no such rows");
  }

  void check_rows(const Ids& wanted) const {
    const auto known = [this](std::int64_t row) { return row >= 0 && row < static_cast<std::int64_t>(rows.n); };
    require(std::all_of(wanted.data(), wanted.data() + wanted.size(), known), "no such rows");
  }

  // They are used as positions in tables of classes.
  void check_labels(const Ids& labels) const {
    require(labels.size() == rows.n, "one label per row");
    const auto good = [](std::int64_t label) { return label >= 0 && label <= std::numeric_limits<std::int32_t>::max(); };
    require(std::all_of(labels.data(), labels.data() + rows.n, good), "labels are classes from 0 on");
  }

  const search::Rows rows;
  const Matrix cells;
  const Vector weights;
};

struct Labelled : Table {
  Labelled(const search::Plan& plan, Flags coded, Matrix cells, Vector weights, Ids labels)
      : Table(plan, coded, cells, weights), labels(labels) {
    check_labels(labels);
  }

  const Ids labels;
};

Mask mask_of(const std::vector<std::uint8_t>& held) { return to_numpy(std::vector<std::uint8_t>(held)); }

struct PyCondensed : Labelled {
  PyCondensed(const search::Plan& plan, Flags coded, Matrix cells, Vector weights, Ids labels)
      : Labelled(plan, coded, cells, weights, labels), core(rows, labels.data()) {}

  std::size_t take_in(std::size_t first, std::size_t last, std::size_t threads) {
    check_part(first, last);
    nb::gil_scoped_release release;
    return core.take_in(first, last, usable(threads));
  }

  reduction::Condensed core;
};

struct PyReduced : Labelled {
  PyReduced(const search::Plan& plan, Flags coded, Matrix cells, Vector weights, Ids labels, Flags members)
      : Labelled(plan, coded, cells, weights, labels), core(rows, labels.data(), checked(members, rows.n)) {}

  static const std::uint8_t* checked(const Flags& members, std::size_t n) {
    require(members.size() == n && std::any_of(members.data(), members.data() + n, [](auto m) { return m != 0; }),
            "one mark per row, and a member");
    return members.data();
  }

  void fill(std::size_t first, std::size_t last, std::size_t threads) {
    check_part(first, last);
    nb::gil_scoped_release release;
    core.fill(first, last, usable(threads));
  }

  void consider(std::size_t first, std::size_t last) {
    check_part(first, last);
    nb::gil_scoped_release release;
    core.consider(first, last);
  }

  reduction::Reduced core;
};

struct PyCaseFilter : Labelled {
  PyCaseFilter(const search::Plan& plan, Flags coded, Matrix cells, Vector weights, Ids labels)
      : Labelled(plan, coded, cells, weights, labels), core(rows, labels.data()) {}

  void count(Ids wanted, std::size_t threads) {
    check_rows(wanted);
    nb::gil_scoped_release release;
    core.count(wanted.data(), wanted.size(), usable(threads));
  }

  std::size_t filter() {
    nb::gil_scoped_release release;
    return core.filter();
  }

  reduction::CaseFilter core;
};

struct PyDrop : Table {
  PyDrop(const search::Plan& plan, Flags coded, Matrix cells, Vector weights, std::optional<Ids> labels,
         std::optional<Vector> targets, std::size_t k, bool nearest_breaks_ties, double alpha, bool stay_on)
      : Table(plan, coded, cells, weights), labels(labels), targets(targets) {
    require(labels.has_value() != targets.has_value(), "either labels or targets");
    require((labels ? labels->size() : targets->size()) == rows.n && k > 0, "one label or target per row");
    if (labels) check_labels(*labels);
    if (labels)
      ballot = std::make_unique<votes::Majority>(labels->data(), nearest_breaks_ties);
    else
      ballot = std::make_unique<votes::Mean>(targets->data(), alpha);
    // Nobody has more others than there are rows.
    core = std::make_unique<reduction::Drop>(rows, *ballot, std::min(k, rows.n), stay_on);
  }

  void fill(std::size_t first, std::size_t last, std::size_t threads) {
    check_part(first, last);
    nb::gil_scoped_release release;
    core->fill(first, last, usable(threads));
  }

  nb::ndarray<nb::numpy, double> enemy_costs(Ids wanted, std::size_t threads) {
    check_rows(wanted);
    std::vector<double> costs(wanted.size());
    {
      nb::gil_scoped_release release;
      core->enemy_costs(wanted.data(), wanted.size(), usable(threads), costs.data());
    }
    return to_numpy(std::move(costs));
  }

  void consider(Ids order, bool noise_only) {
    check_rows(order);
    nb::gil_scoped_release release;
    core->consider(order.data(), order.size(), noise_only);
  }

  const std::optional<Ids> labels;
  const std::optional<Vector> targets;
  std::unique_ptr<votes::Ballot> ballot;
  std::unique_ptr<reduction::Drop> core;
};

}  // namespace

void bind_reduction(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<PyCondensed>(module, "Condensed", "Rows taken in because the nearest one before them got them wrong.")
      .def(nb::init<const search::Plan&, Flags, Matrix, Vector, Ids>(), "plan"_a, "coded"_a, "cells"_a, "weights"_a,
           "labels"_a, nb::keep_alive<1, 2>())
      .def("take_in", &PyCondensed::take_in, "first"_a, "last"_a, "threads"_a)
      .def("held", [](const PyCondensed& self) { return mask_of(self.core.held()); });
  nb::class_<PyReduced>(module, "Reduced", "Members that leave where no row becomes wrong by that.")
      .def(nb::init<const search::Plan&, Flags, Matrix, Vector, Ids, Flags>(), "plan"_a, "coded"_a, "cells"_a, "weights"_a,
           "labels"_a, "members"_a, nb::keep_alive<1, 2>())
      .def("fill", &PyReduced::fill, "first"_a, "last"_a, "threads"_a)
      .def("consider", &PyReduced::consider, "first"_a, "last"_a)
      .def("held", [](const PyReduced& self) { return mask_of(self.core.held()); });
  nb::class_<PyCaseFilter>(module, "CaseFilter", "Rows that leave where more rows solve them than they solve.")
      .def(nb::init<const search::Plan&, Flags, Matrix, Vector, Ids>(), "plan"_a, "coded"_a, "cells"_a, "weights"_a,
           "labels"_a, nb::keep_alive<1, 2>())
      .def("count", &PyCaseFilter::count, "rows"_a, "threads"_a)
      .def("filter", &PyCaseFilter::filter)
      .def("held", [](const PyCaseFilter& self) { return mask_of(self.core.held()); });
  nb::class_<PyDrop>(module, "Drop", "Rows that leave where those that rely on them lose nothing.")
      .def(nb::init<const search::Plan&, Flags, Matrix, Vector, std::optional<Ids>, std::optional<Vector>, std::size_t, bool,
                    double, bool>(),
           "plan"_a, "coded"_a, "cells"_a, "weights"_a, "labels"_a.none(), "targets"_a.none(), nb::kw_only(), "k"_a,
           "nearest_breaks_ties"_a, "alpha"_a, "stay_on"_a, nb::keep_alive<1, 2>())
      .def("fill", &PyDrop::fill, "first"_a, "last"_a, "threads"_a)
      .def("enemy_costs", &PyDrop::enemy_costs, "rows"_a, "threads"_a)
      .def("consider", &PyDrop::consider, "order"_a, "noise_only"_a)
      .def("held", [](const PyDrop& self) { return mask_of(self.core->held()); });
}

}  // namespace priorcase::bindings
