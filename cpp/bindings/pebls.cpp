#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <stdexcept>

#include <nanobind/stl/optional.h>

#include "bindings/checks.hpp"
#include "concepts/exemplars.hpp"

namespace priorcase::bindings {

namespace {

// Exemplars that several Python threads may ask: searches share them, changes have them alone.
struct SharedExemplars {
  SharedExemplars(const search::Plan& plan, Vector weights) : plan(plan), exemplars(checked(plan, weights)) {}

  static std::vector<double> checked(const search::Plan& plan, const Vector& weights) {
    require(plan.size() > 0, "exemplars have at least one attribute");
    plan.require_complete();
    require(plan.size() == weights.size(), "plan and weights differ in width");
    const double* const end = weights.data() + weights.size();
    require(std::all_of(weights.data(), end, is_weight), "weights are finite and not negative");
    return copy(weights);
  }

  // Rows for a call without the GIL: a copy, so that what is checked is what is used.
  std::vector<double> rows_of(const Matrix& rows) const {
    require(rows.shape(1) == exemplars.n_attributes(), "rows and plan differ in width");
    return copy(rows);
  }

  // To be called with the lock.
  void check(const std::vector<double>& cells, bool queries) const {
    const std::size_t count = cells.size() / exemplars.n_attributes();
    require(exemplars.takes(plan, cells.data(), count, queries), "the plan does not know some of the symbols");
  }

  const search::Plan& plan;  // kept alive by the binding
  concepts::Exemplars exemplars;
  mutable std::shared_mutex lock;
};

void arrive(SharedExemplars& self, Matrix rows, Ids labels, bool inherit) {
  require(rows.shape(0) == labels.size(), "one label for each row");
  const std::vector<double> cells = self.rows_of(rows);
  const std::vector<std::int64_t> classes = copy(labels);
  nb::gil_scoped_release release;
  const std::unique_lock hold(self.lock);
  self.check(cells, false);
  self.exemplars.arrive(self.plan, cells.data(), classes.data(), classes.size(), inherit);
}

void store(SharedExemplars& self, Matrix rows, Ids labels, Ids used, Ids correct) {
  require(rows.shape(0) == labels.size(), "one label for each row");
  require(used.size() == labels.size() && correct.size() == labels.size(), "one record for each row");
  const std::vector<double> cells = self.rows_of(rows);
  const std::vector<std::int64_t> classes = copy(labels), uses = copy(used), right = copy(correct);
  nb::gil_scoped_release release;
  const std::unique_lock hold(self.lock);
  self.check(cells, false);
  self.exemplars.store(self.plan, cells.data(), classes.data(), uses.data(), right.data(), classes.size());
}

void sweep(SharedExemplars& self, Matrix rows, std::size_t first) {
  const std::vector<double> cells = self.rows_of(rows);
  const std::size_t count = rows.shape(0);
  nb::gil_scoped_release release;
  const std::unique_lock hold(self.lock);
  self.check(cells, false);
  const std::size_t stored = self.exemplars.size();
  if (first > stored || count > stored - first) throw std::out_of_range("no such exemplar");
  self.exemplars.sweep(self.plan, cells.data(), first, count);
}

nb::tuple records(const SharedExemplars& self) {
  std::vector<std::int64_t> used, correct;
  {
    nb::gil_scoped_release release;
    const std::shared_lock hold(self.lock);
    used = self.exemplars.reliability().used();
    correct = self.exemplars.reliability().correct();
  }
  return nb::make_tuple(to_numpy(std::move(used)), to_numpy(std::move(correct)));
}

nb::tuple kneighbors(SharedExemplars& self, Matrix queries, std::size_t k, bool ties, std::optional<Ids> exclude,
                     std::size_t threads) {
  require(k > 0, "k must be at least 1");
  require(!exclude || exclude->size() == queries.shape(0), "one row to exclude per query");
  const std::vector<double> cells = self.rows_of(queries);
  search::Request request;
  request.queries = cells.data();
  request.n_queries = queries.shape(0);
  request.k = k;
  request.ties = ties;
  request.exclude = exclude ? exclude->data() : nullptr;
  request.threads = usable_threads(threads);
  std::optional<PackedLists> found;
  {
    nb::gil_scoped_release release;
    const std::shared_lock hold(self.lock);
    self.check(cells, true);
    found.emplace(self.exemplars.search(self.plan, request));
  }
  return found->take();
}

}  // namespace

void bind_pebls(nb::module_& module) {
  nb::class_<SharedExemplars>(module, "Exemplars", "Stored rows whose records of use push the unreliable ones away.")
      .def(nb::init<const search::Plan&, Vector>(), nb::arg("plan"), nb::arg("weights"), nb::keep_alive<1, 2>())
      .def("arrive", &arrive, nb::arg("rows"), nb::arg("labels"), nb::arg("inherit"))
      .def("store", &store, nb::arg("rows"), nb::arg("labels"), nb::arg("used"), nb::arg("correct"))
      .def("sweep", &sweep, nb::arg("rows"), nb::arg("first"))
      .def("records", &records)
      .def("kneighbors", &kneighbors, nb::arg("queries"), nb::arg("k"), nb::arg("ties"), nb::arg("exclude").none(),
           nb::arg("threads"))
      .def("__len__", [](const SharedExemplars& self) {
        const SharedHold hold(self.lock);
        return self.exemplars.size();
      });
}

}  // namespace priorcase::bindings
