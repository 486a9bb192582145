#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <stdexcept>

#include <nanobind/stl/optional.h>

#include "base/threads.hpp"
#include "bindings/checks.hpp"
#include "concepts/concept.hpp"
#include "concepts/exemplars.hpp"
#include "concepts/state.hpp"

namespace priorcase::bindings {

namespace {

// Descriptions -----------------------------------------------------------------------------------------------------

constexpr std::int64_t most_labels = std::int64_t{1} << 24;  // counts are kept for all labels up to the largest

// A description that several Python threads may use: queries share it, and changes lock it exclusively.
struct SharedConcept {
  SharedConcept(const search::Plan& plan, Flags coded, Flags ranged, const concepts::Rules& rules, std::uint64_t seed)
      : width(checked_width(plan, coded, ranged)) {
    description.core = std::make_unique<concepts::Concept>(plan, copy(coded), copy(ranged), rules, seed);
  }

  static std::size_t checked_width(const search::Plan& plan, const Flags& coded, const Flags& ranged) {
    require(plan.size() > 0, "a description has at least one attribute");
    plan.require_complete();
    require(plan.size() == coded.size() && plan.size() == ranged.size(), "plan and flags differ in width");
    plan.require_codes(copy(coded));
    for (std::size_t a = 0; a < plan.size(); ++a)
      require(!ranged.data()[a] || plan[a].as<search::Linear>() != nullptr, "only linear attributes have a range");
    return plan.size();
  }

  // The caller must hold the lock.
  const concepts::Concept& core() const {
    if (description.incomplete) throw std::runtime_error("a change failed half-way: the description is incomplete");
    return *description.core;
  }

  void organise_if_due() {
    {
      const std::shared_lock hold(lock);
      if (!core().similarity.is_due()) return;
    }
    const std::unique_lock hold(lock);
    if (core().similarity.is_due()) description.core->similarity.organise();
  }

  const std::size_t width;
  concepts::Description description;
  mutable std::shared_mutex lock;
};

concepts::Rules rules_of(int keep, int ties, double z_accept, double z_drop, bool weighted, bool known_only,
                         double weight_power, std::int64_t window, double decay) {
  require(std::isfinite(z_accept) && std::isfinite(z_drop), "levels of confidence are finite");
  require(0 <= window && window < std::int64_t{1} << 62 && 0.0 < decay && decay <= 1.0, "window or decay out of range");
  require(0.0 < weight_power && weight_power < base::infinity, "weight_power must be finite and above 0");
  return {checked_option(keep, concepts::Keep::significant, "no such rule"),
          checked_option(ties, concepts::TieRule::random, "no such rule"),
          z_accept, z_drop, weighted, known_only, weight_power, window, decay};
}

// Learning --------------------------------------------------------------------------------------------------------

void require_all(const std::vector<SharedConcept*>& concepts) {
  require(std::find(concepts.begin(), concepts.end(), nullptr) == concepts.end(), "a description must not be None");
}

// The descriptions that one call changes together. All calls lock them in the same order, to avoid deadlocks.
class Changed {
 public:
  explicit Changed(const std::vector<SharedConcept*>& concepts) {
    std::vector<SharedConcept*> sorted(concepts);
    std::sort(sorted.begin(), sorted.end());
    require(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end(), "a description is given twice");
    for (SharedConcept* const each : sorted) held_.emplace_back(each->lock);
    for (SharedConcept* const each : concepts) {
      each->core();
      descriptions.push_back(&each->description);
    }
  }

  std::vector<concepts::Description*> descriptions;

 private:
  std::vector<std::unique_lock<std::shared_mutex>> held_;
};

std::vector<concepts::Learned> learn(const std::vector<SharedConcept*>& concepts, const Ids& names, const Matrix& cells,
                                     const std::vector<Ids>& labels, bool trace, std::size_t threads,
                                     const concepts::Progress& progress) {
  const std::size_t n = names.size();
  require_all(concepts);
  require(!concepts.empty() && labels.size() == concepts.size(), "one list of labels for each description");
  bool match = cells.shape(0) == n;
  for (const SharedConcept* const each : concepts) match = match && each->width == cells.shape(1);
  for (const Ids& some : labels) match = match && some.size() == n;
  require(match, "names, cells and labels do not match");
  // Copies, so that other threads cannot change the rows between the checks and learning.
  const std::vector<std::int64_t> named = copy(names);
  const std::vector<double> values = copy(cells);
  std::vector<std::vector<std::int64_t>> copied;
  for (const Ids& some : labels) copied.push_back(copy(some));
  nb::gil_scoped_release release;
  const Changed changed(concepts);
  std::vector<const std::int64_t*> of_each;
  for (const std::vector<std::int64_t>& some : copied) {
    for (const std::int64_t label : some) require(0 <= label && label < most_labels, "labels count from 0");
    of_each.push_back(some.data());
  }
  for (const SharedConcept* const each : concepts)
    require(each->core().similarity.takes(values.data(), n), "numbers are finite, and codes count from 0");
  const concepts::Batch batch{named.data(), values.data(), n, trace};
  return concepts::learn(changed.descriptions, batch, of_each, usable_threads(threads), progress);
}

nb::tuple packed(concepts::Learned& learned, bool trace) {
  const auto array = [&](auto& values) { return trace ? nb::cast(to_numpy(std::move(values))) : nb::none(); };
  return nb::make_tuple(to_numpy(std::move(learned.gone)), array(learned.correct), array(learned.stored),
                        array(learned.acceptable), array(learned.accepted), array(learned.dropped));
}

nb::tuple learn_one(SharedConcept& self, Ids names, Matrix cells, Ids labels, bool trace) {
  return packed(learn({&self}, names, cells, {labels}, trace, 1, nullptr).front(), trace);
}

// Reports to Python how many rows have been learned, at most every 100 milliseconds.
class Report {
 public:
  explicit Report(nb::object told) : told_(std::move(told)) {}

  void operator()(std::size_t rows) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    nb::gil_scoped_acquire hold;
    told_(rows);
  }

 private:
  nb::object told_;
  std::chrono::steady_clock::time_point last_{};
};

// Appends the results to a list, so that they are not lost if the caller is interrupted as soon as this call returns.
void learn_together(const std::vector<SharedConcept*>& concepts, Ids names, Matrix cells,
                    const std::vector<Ids>& labels, bool trace, std::size_t threads, nb::object progress,
                    nb::list results) {
  Report report(progress);
  const auto tell = [&](std::size_t rows) { report(rows); };
  std::vector<concepts::Learned> learned = learn(concepts, names, cells, labels, trace, threads,
                                                 progress.is_none() ? concepts::Progress() : concepts::Progress(tell));
  for (concepts::Learned& each : learned) results.append(packed(each, trace));
}

void forget_together(const std::vector<SharedConcept*>& concepts, Ids names, nb::list results) {
  require_all(concepts);
  const std::vector<std::int64_t> named = copy(names);
  {
    nb::gil_scoped_release release;
    const Changed changed(concepts);
    for (const concepts::Description* const each : changed.descriptions)
      require(each->core->rules.window == 0, "a description with a window cannot forget");
    concepts::forget(changed.descriptions, named.data(), named.size());
  }
  for (std::size_t i = 0; i < concepts.size(); ++i) results.append(nb::none());
}

void forget_one(SharedConcept& self, Ids names) { forget_together({&self}, names, nb::list()); }

// Questions -------------------------------------------------------------------------------------------------------

nb::tuple nearest(SharedConcept& self, Matrix cells, std::int64_t label, std::size_t threads) {
  const std::size_t n = cells.shape(0);
  require(cells.shape(1) == self.width, "cells and description differ in width");
  const std::vector<double> queries = copy(cells);
  std::vector<std::int64_t> starts{0}, names, labels;
  std::vector<double> costs;
  {
    nb::gil_scoped_release release;
    self.organise_if_due();
    const std::shared_lock hold(self.lock);
    const concepts::Concept& core = self.core();
    require(core.similarity.takes(queries.data(), n, true), "numbers are finite, and codes are whole numbers");
    for (const auto& found : core.nearest(queries.data(), n, label, usable_threads(threads))) {
      for (const auto& [cost, order] : found) {
        names.push_back(core.records[order].name);
        labels.push_back(core.records[order].label);
        costs.push_back(cost);
      }
      starts.push_back(static_cast<std::int64_t>(names.size()));
    }
  }
  return nb::make_tuple(to_numpy(std::move(starts)), to_numpy(std::move(names)), to_numpy(std::move(labels)),
                        to_numpy(std::move(costs)));
}

nb::tuple records(const SharedConcept& self) {
  std::vector<std::int64_t> names, labels, arrived;
  std::vector<double> successes, trials;
  std::vector<std::uint8_t> reasons, acceptable;
  {
    nb::gil_scoped_release release;
    const std::shared_lock hold(self.lock);
    for (const concepts::Record& record : self.core().records) {
      if (!record.stored) continue;
      names.push_back(record.name);
      labels.push_back(record.label);
      successes.push_back(record.successes);
      trials.push_back(record.trials);
      arrived.push_back(record.arrived);
      reasons.push_back(static_cast<std::uint8_t>(record.reason));
      acceptable.push_back(self.core().acceptable(record));
    }
  }
  return nb::make_tuple(to_numpy(std::move(names)), to_numpy(std::move(labels)), to_numpy(std::move(successes)),
                        to_numpy(std::move(trials)), to_numpy(std::move(arrived)), to_numpy(std::move(reasons)),
                        to_numpy(std::move(acceptable)));
}

nb::tuple weights(const SharedConcept& self) {
  const SharedHold hold(self.lock);
  const concepts::AttributeWeights& relevance = self.core().relevance;
  std::vector<double> weights;
  for (std::size_t a = 0; a < relevance.sums.size(); ++a) weights.push_back(relevance.weight(a));
  return nb::make_tuple(to_numpy(std::move(weights)), to_numpy(std::vector<double>(relevance.sums)),
                        to_numpy(std::vector<double>(relevance.norms)),
                        to_numpy(std::vector<double>(self.core().weights())));
}

nb::bytes state(const SharedConcept& self) {
  std::string bytes;
  {
    nb::gil_scoped_release release;
    const std::shared_lock hold(self.lock);
    bytes = concepts::pack(self.core());
  }
  return nb::bytes(bytes.data(), bytes.size());
}

void restore(SharedConcept& self, nb::bytes state) {
  const char* const bytes = state.c_str();
  const std::size_t size = state.size();
  nb::gil_scoped_release release;
  const std::unique_lock hold(self.lock);
  require(self.core().arrivals == 0 && self.core().size() == 0, "only an empty description can be restored");
  self.description.core = concepts::unpack(self.core(), bytes, size);
}

// Exemplars --------------------------------------------------------------------------------------------------------

// Exemplars that several Python threads may use: searches share them, and changes lock them exclusively.
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

  // Copies rows for a call without the GIL, so that other threads cannot change them after the checks.
  std::vector<double> rows_of(const Matrix& rows) const {
    require(rows.shape(1) == exemplars.n_attributes(), "rows and plan differ in width");
    return copy(rows);
  }

  // The caller must hold the lock.
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

nb::tuple records_of_use(const SharedExemplars& self) {
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

void bind_concepts(nb::module_& module) {
  nb::class_<SharedConcept>(module, "Concept", "A concept description that learns one instance at a time.")
      .def("__init__",
           [](SharedConcept* self, const search::Plan& plan, Flags coded, Flags ranged, int rule, int ties,
              double z_accept, double z_drop, bool weighted, bool known_only, double weight_power, std::int64_t window,
              double decay, std::uint64_t seed) {
             new (self) SharedConcept(plan, coded, ranged,
                                      rules_of(rule, ties, z_accept, z_drop, weighted, known_only, weight_power, window,
                                               decay),
                                      seed);
           },
           nb::arg("plan"), nb::arg("coded"), nb::arg("ranged"), nb::kw_only(), nb::arg("rule"), nb::arg("ties"),
           nb::arg("z_accept"), nb::arg("z_drop"), nb::arg("weighted"), nb::arg("known_only"), nb::arg("weight_power"),
           nb::arg("window"), nb::arg("decay"), nb::arg("seed"))
      .def("learn", &learn_one, nb::arg("names"), nb::arg("cells"), nb::arg("labels"), nb::arg("trace"),
           "Learn rows, all or none of them; after an error that cannot be undone, the description is unusable.")
      .def("nearest", [](SharedConcept& self, Matrix cells, std::size_t threads) {
        return nearest(self, cells, -1, threads);
      }, nb::arg("cells"), nb::arg("threads"))
      .def("nearest_with", [](SharedConcept& self, Matrix cells, std::int64_t label, std::size_t threads) {
        require(label >= 0, "labels count from 0");
        return nearest(self, cells, label, threads);
      }, nb::arg("cells"), nb::arg("label"), nb::arg("threads"))
      .def("forget", &forget_one, nb::arg("names"))
      .def("records", &records)
      .def("counts", [](const SharedConcept& self) {
        const SharedHold hold(self.lock);
        return nb::make_tuple(to_numpy(std::vector<double>(self.core().classes.counts)), self.core().classes.seen);
      })
      .def("ranges", [](const SharedConcept& self) {
        const SharedHold hold(self.lock);
        return nb::make_tuple(to_numpy(std::vector<double>(self.core().similarity.ranges.low)),
                              to_numpy(std::vector<double>(self.core().similarity.ranges.high)));
      })
      .def("weights", &weights,
           "The weight of each attribute, the sums and norms that it is computed from, and the weights used in "
           "searches.")
      .def("state", &state)
      .def("restore", &restore, nb::arg("state"),
           "Restore a state into an empty description; attributes that the state lacks are missing in its instances.")
      .def("__len__", [](const SharedConcept& self) {
        const SharedHold hold(self.lock);
        return self.core().size();
      })
      .def_prop_ro("n_seen", [](const SharedConcept& self) {  // also for an incomplete description
        const SharedHold hold(self.lock);
        return self.description.core->arrivals;
      })
      .def_prop_ro("n_dropped", [](const SharedConcept& self) {
        const SharedHold hold(self.lock);
        return self.core().n_dropped;
      });
  module.def("learn_together", &learn_together, nb::arg("concepts"), nb::arg("names"), nb::arg("cells"),
             nb::arg("labels"), nb::arg("trace"), nb::arg("threads"), nb::arg("progress").none(), nb::arg("results"),
             "Update all descriptions with the same rows, or none; the effects on each are appended to ``results``.");
  module.def("forget_together", &forget_together, nb::arg("concepts"), nb::arg("names"), nb::arg("results"),
             "Remove rows from all descriptions, or from none; None is appended to ``results`` for each description.");
  nb::class_<SharedExemplars>(module, "Exemplars",
                              "PEBLS exemplars: stored rows, numbered from 0, whose record of use increases the "
                              "distance to unreliable ones.")
      .def(nb::init<const search::Plan&, Vector>(), nb::arg("plan"), nb::arg("weights"), nb::keep_alive<1, 2>())
      .def("arrive", &arrive, nb::arg("rows"), nb::arg("labels"), nb::arg("inherit"))
      .def("store", &store, nb::arg("rows"), nb::arg("labels"), nb::arg("used"), nb::arg("correct"))
      .def("sweep", &sweep, nb::arg("rows"), nb::arg("first"))
      .def("records", &records_of_use)
      .def("kneighbors", &kneighbors, nb::arg("queries"), nb::arg("k"), nb::arg("ties"), nb::arg("exclude").none(),
           nb::arg("threads"))
      .def("__len__", [](const SharedExemplars& self) {
        const SharedHold hold(self.lock);
        return self.exemplars.size();
      });
}

}  // namespace priorcase::bindings
