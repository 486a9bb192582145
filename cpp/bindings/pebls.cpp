#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <shared_mutex>

#include <nanobind/stl/optional.h>

#include "bindings/checks.hpp"
#include "concepts/exemplars.hpp"

namespace priorcase::bindings {

namespace {

constexpr std::size_t most_threads = 1024;

// Exemplars that several Python threads may ask: searches share them, changes have them alone.
struct SharedExemplars {
  SharedExemplars(const search::Plan& plan, Vector weights) : plan(plan), exemplars(copy(weights)) {
    plan.require_complete();
    require(plan.size() == weights.size(), "plan and weights differ in width");
    const auto good = [](double weight) { return std::isfinite(weight) && weight >= 0.0; };
    require(std::all_of(weights.data(), weights.data() + weights.size(), good), "weights are finite and not negative");
  }

  void check(const Matrix& rows, double least) const {
    require(rows.shape(1) == exemplars.n_attributes(), "rows and plan differ in width");
    const auto below = [&](double cell) { return cell < least; };
    require(std::none_of(rows.data(), rows.data() + rows.size(), below), "a symbol has no code");
    const std::shared_lock hold(lock);
    require(exemplars.covers(plan, rows.data(), rows.shape(0)), "the plan does not know some of the symbols");
  }

  const search::Plan& plan;  // kept alive by the binding
  concepts::Exemplars exemplars;
  mutable std::shared_mutex lock;
};

void arrive(SharedExemplars& self, Matrix rows, Ids labels, bool inherit) {
  require(rows.shape(0) == labels.size(), "one label for each row");
  self.check(rows, 0.0);
  nb::gil_scoped_release release;
  const std::unique_lock hold(self.lock);
  self.exemplars.arrive(self.plan, rows.data(), labels.data(), labels.size(), inherit);
}

void store(SharedExemplars& self, Matrix rows, Ids labels, Ids used, Ids correct) {
  require(rows.shape(0) == labels.size(), "one label for each row");
  require(used.size() == labels.size() && correct.size() == labels.size(), "one record for each row");
  self.check(rows, 0.0);
  nb::gil_scoped_release release;
  const std::unique_lock hold(self.lock);
  self.exemplars.store(self.plan, rows.data(), labels.data(), used.data(), correct.data(), labels.size());
}

void sweep(SharedExemplars& self, Matrix rows, std::size_t first) {
  self.check(rows, 0.0);
  nb::gil_scoped_release release;
  const std::unique_lock hold(self.lock);
  const std::size_t stored = self.exemplars.size();
  if (first > stored || rows.shape(0) > stored - first) throw std::out_of_range("no such exemplar");
  self.exemplars.sweep(self.plan, rows.data(), first, rows.shape(0));
}

nb::tuple records(SharedExemplars& self) {
  const std::shared_lock hold(self.lock);
  const concepts::Reliability& reliability = self.exemplars.reliability();
  return nb::make_tuple(to_numpy(std::vector<std::int64_t>(reliability.used())),
                        to_numpy(std::vector<std::int64_t>(reliability.correct())));
}

nb::tuple kneighbors(SharedExemplars& self, Matrix queries, std::size_t k, bool ties, std::optional<Ids> exclude,
                     std::size_t threads) {
  require(k > 0, "k must be at least 1");
  require(!exclude || exclude->size() == queries.shape(0), "one row to exclude per query");
  self.check(queries, -1.0);
  search::Request request;
  request.queries = queries.data();
  request.n_queries = queries.shape(0);
  request.k = k;
  request.ties = ties;
  request.exclude = exclude ? exclude->data() : nullptr;
  request.threads = std::clamp<std::size_t>(threads, 1, most_threads);
  std::vector<std::int64_t> starts{0}, ids;
  std::vector<double> costs;
  {
    nb::gil_scoped_release release;
    const std::shared_lock hold(self.lock);
    for (const auto& result : self.exemplars.search(self.plan, request)) {
      for (const auto& [cost, id] : result) {
        ids.push_back(id);
        costs.push_back(cost);
      }
      starts.push_back(static_cast<std::int64_t>(ids.size()));
    }
  }
  return nb::make_tuple(to_numpy(std::move(starts)), to_numpy(std::move(ids)), to_numpy(std::move(costs)));
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
      .def("__len__", [](SharedExemplars& self) {
        const std::shared_lock hold(self.lock);
        return self.exemplars.size();
      });
}

}  // namespace priorcase::bindings
