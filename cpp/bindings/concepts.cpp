#include "concepts/concept.hpp"

#include <mutex>
#include <optional>
#include <shared_mutex>

#include <nanobind/stl/optional.h>

#include "bindings/checks.hpp"
#include "concepts/concept_state.hpp"

namespace priorcase::bindings {

namespace {

constexpr std::int64_t most_labels = std::int64_t{1} << 31;

std::vector<std::uint8_t> copy_flags(const Flags& flags) { return {flags.data(), flags.data() + flags.size()}; }

// A description that several Python threads may use: questions share it, changes have it alone.
struct SharedConcept {
  SharedConcept(const search::Plan& plan, Flags coded, Flags ranged, const concepts::ConceptRules& rules, std::uint64_t seed)
      : concept_(checked(plan, coded, ranged), copy_flags(coded), copy_flags(ranged), rules, seed) {}

  static const search::Plan& checked(const search::Plan& plan, const Flags& coded, const Flags& ranged) {
    plan.require_complete();
    require(plan.size() == coded.size() && plan.size() == ranged.size(), "plan and flags differ in width");
    for (std::size_t a = 0; a < plan.size(); ++a) {
      const bool tabled = plan[a].codes_end() < base::infinity;
      require(!ranged.data()[a] || plan[a].as<search::Linear>() != nullptr, "only linear attributes have a range");
      require(!tabled || coded.data()[a], "values of tables are codes");
    }
    return plan;
  }

  concepts::Concept concept_;
  mutable std::shared_mutex lock;
};

concepts::ConceptRules rules_of(int keep, int ties, double z_accept, double z_drop, bool weighted, bool known_only,
                      double weight_power, std::int64_t window, double decay) {
  require(0 <= keep && keep <= 2 && 0 <= ties && ties <= 2, "no such rule");
  require(window >= 0 && 0.0 < decay && decay <= 1.0, "window or decay out of range");
  require(0.0 < weight_power && weight_power < base::infinity, "weights have a power above 0");
  return {static_cast<concepts::Keep>(keep), static_cast<concepts::TieRule>(ties), z_accept, z_drop, weighted,
          known_only,              weight_power,               window,   decay};
}

template <class T>
nb::object optional_array(bool wanted, std::vector<T>& values) {
  return wanted ? nb::cast(to_numpy(std::move(values))) : nb::none();
}

nb::tuple learn(SharedConcept& self, Ids names, Matrix cells, Ids labels, bool trace) {
  const std::size_t n = names.size(), width = self.concept_.similarity.n_attributes();
  require(cells.shape(0) == n && labels.size() == n && cells.shape(1) == width, "names, cells and labels do not match");
  for (std::size_t i = 0; i < n; ++i) {
    require(0 <= labels.data()[i] && labels.data()[i] < most_labels, "labels count from 0");
    require(self.concept_.similarity.takes(cells.data() + i * width), "codes count from 0");
  }
  std::vector<std::int64_t> gone, stored, acceptable, accepted, dropped;
  std::vector<std::int8_t> correct;
  {
    nb::gil_scoped_release release;
    const std::unique_lock hold(self.lock);
    for (std::size_t i = 0; i < n; ++i) {
      const concepts::Change change = self.concept_.learn(names.data()[i], cells.data() + i * width, labels.data()[i], gone);
      if (!trace) continue;
      const auto [now, fresh] = self.concept_.review();
      correct.push_back(static_cast<std::int8_t>(change.correct));
      stored.push_back(static_cast<std::int64_t>(self.concept_.size()));
      acceptable.push_back(now);
      accepted.push_back(fresh);
      dropped.push_back(change.dropped);
    }
  }
  return nb::make_tuple(to_numpy(std::move(gone)), optional_array(trace, correct), optional_array(trace, stored),
                        optional_array(trace, acceptable), optional_array(trace, accepted),
                        optional_array(trace, dropped));
}

nb::tuple nearest(const SharedConcept& self, Matrix cells, std::int64_t label, std::size_t threads) {
  require(cells.shape(1) == self.concept_.similarity.n_attributes(), "cells and description differ in width");
  std::vector<std::int64_t> starts{0}, names, labels;
  std::vector<double> costs;
  {
    nb::gil_scoped_release release;
    const std::shared_lock hold(self.lock);
    threads = std::clamp<std::size_t>(threads, 1, 1024);
    for (const auto& found : self.concept_.nearest(cells.data(), cells.shape(0), label, threads)) {
      for (const auto& [cost, order] : found) {
        names.push_back(self.concept_.records[order].name);
        labels.push_back(self.concept_.records[order].label);
        costs.push_back(cost);
      }
      starts.push_back(static_cast<std::int64_t>(names.size()));
    }
  }
  return nb::make_tuple(to_numpy(std::move(starts)), to_numpy(std::move(names)), to_numpy(std::move(labels)),
                        to_numpy(std::move(costs)));
}

// The stored instances of some names, by their order.
std::vector<std::optional<std::size_t>> places(const SharedConcept& self, const Ids& names) {
  std::vector<std::pair<std::int64_t, std::size_t>> stored;
  for (std::size_t order = 0; order < self.concept_.records.size(); ++order)
    if (self.concept_.records[order].stored) stored.emplace_back(self.concept_.records[order].name, order);
  std::sort(stored.begin(), stored.end());
  std::vector<std::optional<std::size_t>> found;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto at = std::lower_bound(stored.begin(), stored.end(), std::pair{names.data()[i], std::size_t{0}});
    found.emplace_back();
    if (at != stored.end() && at->first == names.data()[i]) found.back() = at->second;
  }
  return found;
}

void forget(SharedConcept& self, Ids names) {
  const std::unique_lock hold(self.lock);
  std::vector<std::optional<std::size_t>> found = places(self, names);
  std::sort(found.begin(), found.end());
  require(std::adjacent_find(found.begin(), found.end()) == found.end(), "a name is given twice");
  for (const auto& place : found) require(place.has_value(), "no such name is stored");
  for (const auto& place : found) self.concept_.forget(*place);
  self.concept_.take_ranges();
  self.concept_.settle();
}

nb::tuple records(const SharedConcept& self) {
  const std::shared_lock hold(self.lock);
  std::vector<std::int64_t> names, labels, arrived;
  std::vector<double> successes, trials;
  std::vector<std::uint8_t> reasons, acceptable;
  for (const concepts::Record& record : self.concept_.records) {
    if (!record.stored) continue;
    names.push_back(record.name);
    labels.push_back(record.label);
    successes.push_back(record.successes);
    trials.push_back(record.trials);
    arrived.push_back(record.arrived);
    reasons.push_back(static_cast<std::uint8_t>(record.reason));
    acceptable.push_back(self.concept_.acceptable(record));
  }
  return nb::make_tuple(to_numpy(std::move(names)), to_numpy(std::move(labels)), to_numpy(std::move(successes)),
                        to_numpy(std::move(trials)), to_numpy(std::move(arrived)), to_numpy(std::move(reasons)),
                        to_numpy(std::move(acceptable)));
}

}  // namespace

void bind_concepts(nb::module_& module) {
  nb::class_<SharedConcept>(module, "Concept", "A concept description that learns one instance at a time.")
      .def("__init__",
           [](SharedConcept* self, const search::Plan& plan, Flags coded, Flags ranged, int rule, int ties, double z_accept,
              double z_drop, bool weighted, bool known_only, double weight_power, std::int64_t window, double decay,
              std::uint64_t seed) {
             new (self) SharedConcept(plan, coded, ranged,
                                      rules_of(rule, ties, z_accept, z_drop, weighted, known_only, weight_power, window,
                                               decay),
                                      seed);
           },
           nb::arg("plan"), nb::arg("coded"), nb::arg("ranged"), nb::kw_only(), nb::arg("rule"), nb::arg("ties"),
           nb::arg("z_accept"), nb::arg("z_drop"), nb::arg("weighted"), nb::arg("known_only"), nb::arg("weight_power"),
           nb::arg("window"), nb::arg("decay"), nb::arg("seed"))
      .def("learn", &learn, nb::arg("names"), nb::arg("cells"), nb::arg("labels"), nb::arg("trace"))
      .def("nearest", [](const SharedConcept& self, Matrix cells, std::size_t threads) {
        return nearest(self, cells, -1, threads);
      }, nb::arg("cells"), nb::arg("threads"))
      .def("nearest_with", [](const SharedConcept& self, Matrix cells, std::int64_t label, std::size_t threads) {
        require(label >= 0, "labels count from 0");
        return nearest(self, cells, label, threads);
      }, nb::arg("cells"), nb::arg("label"), nb::arg("threads"))
      .def("forget", &forget, nb::arg("names"))
      .def("records", &records)
      .def("counts", [](const SharedConcept& self) {
        const std::shared_lock hold(self.lock);
        return nb::make_tuple(to_numpy(std::vector<double>(self.concept_.classes.counts)), self.concept_.classes.seen);
      })
      .def("ranges", [](const SharedConcept& self) {
        const std::shared_lock hold(self.lock);
        return nb::make_tuple(to_numpy(std::vector<double>(self.concept_.similarity.ranges.low)),
                              to_numpy(std::vector<double>(self.concept_.similarity.ranges.high)));
      })
      .def("weights", [](const SharedConcept& self) {
        const std::shared_lock hold(self.lock);
        const concepts::AttributeWeights& relevance = self.concept_.relevance;
        std::vector<double> weights;
        for (std::size_t a = 0; a < relevance.sums.size(); ++a) weights.push_back(relevance.weight(a));
        return nb::make_tuple(to_numpy(std::move(weights)), to_numpy(std::vector<double>(relevance.sums)),
                              to_numpy(std::vector<double>(relevance.norms)),
                              to_numpy(std::vector<double>(self.concept_.weights())));
      }, "Weight of each attribute, the sums it comes from, and the weights that searches use.")
      .def("state", [](const SharedConcept& self) {
        const std::shared_lock hold(self.lock);
        const std::string bytes = concepts::pack(self.concept_);
        return nb::bytes(bytes.data(), bytes.size());
      })
      .def("restore", [](SharedConcept& self, nb::bytes state) {
        const std::unique_lock hold(self.lock);
        concepts::unpack(self.concept_, state.c_str(), state.size());
      }, nb::arg("state"), "Fills an empty description; attributes beyond those of the state are missing in its rows.")
      .def("__len__", [](const SharedConcept& self) {
        const std::shared_lock hold(self.lock);
        return self.concept_.size();
      })
      .def_prop_ro("n_seen", [](const SharedConcept& self) {
        const std::shared_lock hold(self.lock);
        return self.concept_.arrivals;
      })
      .def_prop_ro("n_dropped", [](const SharedConcept& self) {
        const std::shared_lock hold(self.lock);
        return self.concept_.n_dropped;
      });
}

}  // namespace priorcase::bindings
