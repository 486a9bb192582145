#include "votes/leave_one_out.hpp"

#include <optional>

#include <nanobind/stl/optional.h>

#include "bindings/checks.hpp"
#include "bindings/shared_index.hpp"

namespace priorcase::bindings {

namespace {

using Codes = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void require_weights(const double* weights, std::size_t n, const char* rule) {
  for (std::size_t i = 0; i < n; ++i) require(is_weight(weights[i]), rule);
}

// What both kinds of targets are asked with. Arrays are views: they are checked before every use.
struct LeftOut {
  SharedIndex& shared;
  const search::Plan& plan;
  Matrix queries;
  Ids own;
  Vector times, attribute_weights;
  Ids stored;
  std::optional<Vector> row_weights;
  double power;
  bool root;
  int algorithm;
  std::size_t threads;
  bool whole_ties;
  Ids ks, votes;
  Vector parameters, bandwidths;
  Ids blocks;

  std::size_t n_queries() const { return queries.shape(0); }

  votes::LeaveOneOut work() const {
    check_rows();
    check_candidates();
    votes::LeaveOneOut work{queries.data(), own.data(), times.data(), attribute_weights.data(), stored.data(),
                            stored.size(), row_weights ? row_weights->data() : nullptr, base::Root(power, root),
                            checked_option(algorithm, search::Algorithm::plain, "no such algorithm"),
                            threads, whole_ties, {}, {}, {}};
    work.ks.assign(ks.data(), ks.data() + ks.size());
    work.blocks.assign(blocks.data(), blocks.data() + blocks.size());
    for (std::size_t v = 0; v < votes.size(); ++v)
      work.rules.push_back({static_cast<votes::VoteKind>(votes.data()[v]), parameters.data()[v], bandwidths.data()[v]});
    return work;
  }

  // The sums for some targets; to be called without the GIL.
  template <class Targets>
  auto sums(const votes::LeaveOneOut& work, const Targets& targets) const {
    shared.organise_if_due(plan, work.threads);
    const std::shared_lock hold(shared.lock);
    shared.require_cover(plan, queries.data(), n_queries());
    require(shared.index.n_rows() == stored.size(), "not all rows have a target");
    return votes::leave_one_out(shared.index, plan, work, targets);
  }

 private:
  void check_rows() const {
    plan.require_complete();
    const std::size_t width = shared.coded.size();
    require(plan.size() == width && queries.shape(1) == width && attribute_weights.size() == width,
            "plan, queries and weights differ in width");
    require(own.size() == n_queries() && times.size() == n_queries(), "one own row and one weight per query");
    require(stored.size() > 0 && (!row_weights || row_weights->size() == stored.size()), "one weight per stored row");
    require(stored.data()[0] >= 0, "ids count from 0");
    for (std::size_t i = 0; i + 1 < stored.size(); ++i)
      require(stored.data()[i] < stored.data()[i + 1], "ids of stored rows must ascend");
    require_weights(times.data(), times.size(), "weights of queries are finite and not negative");
    require_weights(attribute_weights.data(), width, "weights of attributes are finite and not negative");
    if (row_weights) require_weights(row_weights->data(), stored.size(), "weights of rows are finite and not negative");
    require(power > 0.0 && is_weight(power), "the power is finite and above 0");
    require_lists(blocks, n_queries());
    require(blocks.size() > 1, "blocks cover the queries");
  }

  void check_candidates() const {
    require(ks.size() > 0 && ks.data()[0] > 0, "at least one k, and each at least 1");
    for (std::size_t i = 0; i + 1 < ks.size(); ++i) require(ks.data()[i] < ks.data()[i + 1], "ks must ascend");
    require(votes.size() > 0 && parameters.size() == votes.size() && bandwidths.size() == votes.size(),
            "one parameter and one bandwidth per vote");
    require_below(votes, static_cast<std::int64_t>(votes::VoteKind::power) + 1, "no such vote");
    for (std::size_t v = 0; v < votes.size(); ++v)
      require(bandwidths.data()[v] >= 0.0 && parameters.data()[v] > 0.0 && is_weight(parameters.data()[v]),
              "no such vote: bandwidths must not be negative, parameters are finite and above 0");
  }
};

// Columns of classes, copied so that each is one list.
std::vector<std::vector<std::int64_t>> columns_of(const Codes& codes, const Ids& n_classes) {
  require(codes.shape(1) == n_classes.size(), "as many columns of classes");
  std::vector<std::vector<std::int64_t>> columns(codes.shape(1));
  for (std::size_t t = 0; t < codes.shape(1); ++t)
    for (std::size_t i = 0; i < codes.shape(0); ++i) {
      const std::int64_t code = codes.data()[i * codes.shape(1) + t];
      require(code >= 0 && code < n_classes.data()[t], "no such class");
      columns[t].push_back(code);
    }
  return columns;
}

votes::ClassPrior prior_of(const double* weights, std::size_t n) {
  const bool any = std::any_of(weights, weights + n, [](double weight) { return weight > 0.0; });
  const bool equal = std::all_of(weights, weights + n, [&](double weight) { return weight == *weights; });
  return {any ? weights : nullptr, equal};
}

// Classes of all columns side by side: how many rows each has, and a line for each prior; a line of zeros is no prior.
struct LeftOutClassArrays {
  Codes stored, asked;
  Ids n_classes;
  Vector class_weights;
  Matrix priors;
  Vector temperatures, left_out;
  int ties;

  void check(std::size_t n_stored, std::size_t n_queries) const {
    require(stored.shape(0) == n_stored && asked.shape(0) == n_queries, "one class per row");
    require(left_out.size() == n_queries, "one left-out weight per query");
    require(n_classes.size() > 0 && priors.shape(0) > 0 && temperatures.size() > 0, "a column, a prior, a temperature");
    std::size_t total = 0;
    for (std::size_t t = 0; t < n_classes.size(); ++t) {
      require(n_classes.data()[t] > 0 && static_cast<std::size_t>(n_classes.data()[t]) <= class_weights.size(),
              "one weight per class");
      total += static_cast<std::size_t>(n_classes.data()[t]);
    }
    require(total == class_weights.size() && total == priors.shape(1), "one weight per class");
    require_weights(class_weights.data(), total, "weights of classes are finite and not negative");
    require_weights(priors.data(), priors.size(), "priors are finite and not negative");
    require_weights(left_out.data(), n_queries, "left-out weights are finite and not negative");
    for (std::size_t m = 0; m < temperatures.size(); ++m)
      require(temperatures.data()[m] > 0.0, "temperatures are positive");
  }
};

votes::ClassSums class_sums(const LeftOut& question, const votes::LeaveOneOut& work, const LeftOutClassArrays& given) {
  given.check(work.n_stored, question.n_queries());
  const auto ties = checked_option(given.ties, votes::VoteTies::reduce, "no such rule for ties");
  const auto stored = columns_of(given.stored, given.n_classes), asked = columns_of(given.asked, given.n_classes);
  const std::size_t n_priors = given.priors.shape(0);
  votes::LeftOutClasses task{{}, std::vector<std::vector<votes::ClassPrior>>(n_priors), copy(given.temperatures),
                             given.left_out.data(), ties};
  std::size_t start = 0;
  for (std::size_t t = 0; t < stored.size(); ++t) {
    const std::size_t n = given.n_classes.data()[t];
    task.columns.push_back({stored[t].data(), asked[t].data(), n, given.class_weights.data() + start});
    for (std::size_t p = 0; p < n_priors; ++p)
      task.priors[p].push_back(prior_of(given.priors.data() + p * given.priors.shape(1) + start, n));
    start += n;
  }
  return question.sums(work, task);
}

nb::tuple classes(const LeftOut& question, Codes stored, Codes asked, Ids n_classes, Vector class_weights,
                  Matrix priors, Vector temperatures, Vector left_out, int ties) {
  const LeftOutClassArrays given{stored, asked, n_classes, class_weights, priors, temperatures, left_out, ties};
  votes::ClassSums sums;
  std::size_t n_blocks, rights;
  {
    nb::gil_scoped_release release;
    const votes::LeaveOneOut work = question.work();
    n_blocks = work.n_blocks();
    rights = work.n_candidates() * priors.shape(0);
    sums = class_sums(question, work, given);
  }
  const std::size_t each = rights * temperatures.size();
  return nb::make_tuple(to_numpy(std::move(sums.logs), {n_blocks, each}),
                        to_numpy(std::move(sums.surprises), {n_blocks, each}),
                        to_numpy(std::move(sums.squares), {n_blocks, each}),
                        to_numpy(std::move(sums.rights), {n_blocks, rights}), to_numpy(std::move(sums.odd)));
}

nb::tuple numbers(const LeftOut& question, Matrix stored, Matrix asked) {
  votes::NumberSums sums;
  std::size_t n_blocks, each;
  {
    nb::gil_scoped_release release;
    const votes::LeaveOneOut work = question.work();
    n_blocks = work.n_blocks();
    each = work.n_candidates();
    require(stored.shape(0) == work.n_stored && asked.shape(0) == question.n_queries(), "one target per row");
    require(stored.shape(1) == asked.shape(1) && stored.shape(1) > 0, "as many columns of targets");
    sums = question.sums(work, votes::LeftOutNumbers{stored.data(), asked.data(), stored.shape(1)});
  }
  return nb::make_tuple(to_numpy(std::move(sums.squares), {n_blocks, each}),
                        to_numpy(std::move(sums.absolutes), {n_blocks, each}), to_numpy(std::move(sums.odd)));
}

}  // namespace

void bind_leave_one_out(nb::module_& module) {
  nb::class_<LeftOut>(module, "LeftOut",
                      "Rows to be left out one by one, and the votes and numbers of neighbours to try.")
      .def("__init__",
           [](LeftOut* self, SharedIndex& index, const search::Plan& plan, Matrix queries, Ids own, Vector times,
              Vector attribute_weights, Ids stored, std::optional<Vector> row_weights, double power, bool root,
              int algorithm, std::size_t threads, bool whole_ties, Ids ks, Ids votes, Vector parameters,
              Vector bandwidths, Ids blocks) {
             new (self) LeftOut{index, plan, queries, own, times, attribute_weights, stored, row_weights, power, root,
                                algorithm, usable_threads(threads), whole_ties, ks, votes, parameters, bandwidths,
                                blocks};
           },
           nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::arg("index"), nb::arg("plan"), nb::arg("queries"),
           nb::arg("own"), nb::arg("times"), nb::arg("attribute_weights"), nb::arg("stored"),
           nb::arg("row_weights").none(), nb::arg("power"), nb::arg("root"), nb::arg("algorithm"), nb::arg("threads"),
           nb::arg("whole_ties"), nb::arg("ks"), nb::arg("votes"), nb::arg("parameters"), nb::arg("bandwidths"),
           nb::arg("blocks"))
      .def("classes", &classes, nb::arg("stored"), nb::arg("asked"), nb::arg("n_classes"), nb::arg("class_weights"),
           nb::arg("priors"), nb::arg("temperatures"), nb::arg("left_out"), nb::arg("ties"))
      .def("numbers", &numbers, nb::arg("stored"), nb::arg("asked"));
}

}  // namespace priorcase::bindings
