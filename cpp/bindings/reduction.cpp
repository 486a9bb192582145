#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <nanobind/stl/optional.h>

#include "bindings/checks.hpp"
#include "reduction/case_filter.hpp"
#include "reduction/condensing.hpp"
#include "reduction/drop.hpp"

namespace priorcase::bindings {

namespace {

// A reduction and its rows, which are copied so that no other thread can change them. It is made and used without the
// GIL, by one thread at a time.
template <class Core>
struct Reduction {
  template <class Make>
  Reduction(const search::Plan& plan, const Flags& coded, const Matrix& cells, const Vector& weights,
            const Make& make) {
    require(cells.shape(1) == coded.size(), "plan, cells and weights differ in width");
    nb::gil_scoped_release release;
    rows.emplace(plan, copy(coded), copy(cells), copy(weights));
    core = make(*rows);
  }

  template <class Work>
  auto use(const Work& work) {
    nb::gil_scoped_release release;
    const std::lock_guard hold(lock);
    return work(*core);
  }

  nb::ndarray<nb::numpy, std::uint8_t> held() {
    return to_numpy(use([](Core& core) { return core.held(); }));
  }

  std::optional<search::Rows> rows;
  std::unique_ptr<Core> core;
  std::mutex lock;
};

template <class Core>
auto make_of_classes(const Ids& labels) {
  return [&labels](const search::Rows& rows) {
    return std::make_unique<Core>(rows, copy(labels));
  };
}

struct Condensed : Reduction<reduction::Condensed> {
  Condensed(const search::Plan& plan, Flags coded, Matrix cells, Vector weights, Ids labels)
      : Reduction(plan, coded, cells, weights, make_of_classes<reduction::Condensed>(labels)) {}

  std::size_t take_in(std::size_t first, std::size_t last, std::size_t threads) {
    return use([&](reduction::Condensed& core) { return core.take_in(first, last, usable_threads(threads)); });
  }
};

struct Reduced : Reduction<reduction::Reduced> {
  Reduced(const search::Plan& plan, Flags coded, Matrix cells, Vector weights, Ids labels, Flags members)
      : Reduction(plan, coded, cells, weights, [&](const search::Rows& rows) {
          return std::make_unique<reduction::Reduced>(rows, copy(labels), copy(members));
        }) {}

  void fill(std::size_t first, std::size_t last, std::size_t threads) {
    use([&](reduction::Reduced& core) { core.fill(first, last, usable_threads(threads)); });
  }

  void consider(std::size_t first, std::size_t last) {
    use([&](reduction::Reduced& core) { core.consider(first, last); });
  }
};

struct CaseFilter : Reduction<reduction::CaseFilter> {
  CaseFilter(const search::Plan& plan, Flags coded, Matrix cells, Vector weights, Ids labels)
      : Reduction(plan, coded, cells, weights, make_of_classes<reduction::CaseFilter>(labels)) {}

  void count(Ids wanted, std::size_t threads) {
    use([&](reduction::CaseFilter& core) { core.count(copy(wanted), usable_threads(threads)); });
  }

  std::size_t filter() {
    return use([](reduction::CaseFilter& core) { return core.filter(); });
  }
};

// The targets that rows vote on: classes or numbers.
struct Voting {
  void set(std::vector<std::int64_t> labels, bool nearest_breaks_ties) {
    classes = reduction::numbered_classes(labels);
    ballot = std::make_unique<votes::Majority>(classes.data(), nearest_breaks_ties);
  }

  void set(std::vector<double> targets, double alpha) {
    numbers = std::move(targets);
    const auto finite = [](double number) { return std::isfinite(number); };
    require(std::all_of(numbers.begin(), numbers.end(), finite), "targets must be finite");
    ballot = std::make_unique<votes::Mean>(numbers.data(), alpha);
  }

  std::vector<std::int64_t> classes;
  std::vector<double> numbers;
  std::unique_ptr<votes::Ballot> ballot;
};

struct Drop : Voting, Reduction<reduction::Drop> {
  Drop(const search::Plan& plan, Flags coded, Matrix cells, Vector weights, std::optional<Ids> labels,
       std::optional<Vector> targets, std::size_t k, bool nearest_breaks_ties, double alpha, bool stay_on)
      : Reduction(plan, coded, cells, weights, [&](const search::Rows& rows) {
          require(labels.has_value() != targets.has_value(), "either labels or targets");
          require(std::isfinite(alpha) && alpha >= 0.0, "alpha must be a finite number of 0 or more");
          require(k > 0, "k must be at least 1");
          require((labels ? labels->size() : targets->size()) == rows.n, "one label or target per row");
          labels ? set(copy(*labels), nearest_breaks_ties) : set(copy(*targets), alpha);
          return std::make_unique<reduction::Drop>(rows, *ballot, k, stay_on);
        }) {}

  void fill(std::size_t first, std::size_t last, std::size_t threads) {
    use([&](reduction::Drop& core) { core.fill(first, last, usable_threads(threads)); });
  }

  nb::ndarray<nb::numpy, double> enemy_costs(Ids wanted, std::size_t threads) {
    return to_numpy(use([&](reduction::Drop& core) {
      return core.enemy_costs(copy(wanted), usable_threads(threads));
    }));
  }

  void consider(Ids order, bool noise_only) {
    use([&](reduction::Drop& core) { core.consider(copy(order), noise_only); });
  }
};

}  // namespace

void bind_reduction(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<Condensed>(module, "Condensed",
                        "A condensed subset: rows are added if their nearest row in the subset has another class.")
      .def(nb::init<const search::Plan&, Flags, Matrix, Vector, Ids>(), "plan"_a, "coded"_a, "cells"_a, "weights"_a,
           "labels"_a, nb::keep_alive<1, 2>())
      .def("take_in", &Condensed::take_in, "first"_a, "last"_a, "threads"_a)
      .def("held", &Condensed::held);
  nb::class_<Reduced>(module, "Reduced",
                      "A reduced subset: members are removed if no row becomes misclassified by that.")
      .def(nb::init<const search::Plan&, Flags, Matrix, Vector, Ids, Flags>(), "plan"_a, "coded"_a, "cells"_a,
           "weights"_a, "labels"_a, "members"_a, nb::keep_alive<1, 2>())
      .def("fill", &Reduced::fill, "first"_a, "last"_a, "threads"_a)
      .def("consider", &Reduced::consider, "first"_a, "last"_a)
      .def("held", &Reduced::held);
  nb::class_<CaseFilter>(module, "CaseFilter",
                         "Iterative case filtering: rows are removed if more rows solve them than they solve.")
      .def(nb::init<const search::Plan&, Flags, Matrix, Vector, Ids>(), "plan"_a, "coded"_a, "cells"_a, "weights"_a,
           "labels"_a, nb::keep_alive<1, 2>())
      .def("count", &CaseFilter::count, "rows"_a, "threads"_a)
      .def("filter", &CaseFilter::filter)
      .def("held", &CaseFilter::held);
  nb::class_<Drop>(module, "Drop",
                   "Decremental reduction: rows are removed if the rows that have them as neighbors lose no accuracy "
                   "in total.")
      .def(nb::init<const search::Plan&, Flags, Matrix, Vector, std::optional<Ids>, std::optional<Vector>, std::size_t,
                    bool, double, bool>(),
           "plan"_a, "coded"_a, "cells"_a, "weights"_a, "labels"_a.none(), "targets"_a.none(), nb::kw_only(), "k"_a,
           "nearest_breaks_ties"_a, "alpha"_a, "stay_on"_a, nb::keep_alive<1, 2>())
      .def("fill", &Drop::fill, "first"_a, "last"_a, "threads"_a)
      .def("enemy_costs", &Drop::enemy_costs, "rows"_a, "threads"_a)
      .def("consider", &Drop::consider, "order"_a, "noise_only"_a)
      .def("held", &Drop::held);
}

}  // namespace priorcase::bindings
