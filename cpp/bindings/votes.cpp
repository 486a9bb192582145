#include <cmath>
#include <mutex>
#include <optional>

#include <nanobind/stl/optional.h>

#include "bindings/checks.hpp"
#include "bindings/shared_index.hpp"
#include "votes/leave_one_out.hpp"
#include "votes/prequential.hpp"
#include "votes/votes.hpp"

namespace priorcase::bindings {

namespace {

// Votes ------------------------------------------------------------------------------------------------------------

// Checks the voters of each query, those of query q at indptr[q] up to indptr[q + 1]. Called without the GIL.
votes::VoteLists vote_lists(const Ids& indptr, const Vector& votes) {
  require_lists(indptr, votes.size());
  for (std::size_t q = 0; q + 1 < indptr.size(); ++q)
    require(indptr.data()[q] < indptr.data()[q + 1], "every list must have a voter");
  for (std::size_t i = 0; i < votes.size(); ++i)
    require(votes.data()[i] >= 0.0, "a vote is a number of 0 or more");
  return {indptr.data(), indptr.size() - 1, votes.data()};
}

nb::tuple elect(Ids indptr, Ids classes, Vector votes, Vector distances, std::size_t n_classes,
                std::optional<Vector> class_weights, int ties) {
  const auto rule = checked_option(ties, votes::VoteTies::reduce, "no such rule for ties");
  require(!class_weights || class_weights->size() == n_classes, "one weight per class");
  require(votes.size() == classes.size() && distances.size() == classes.size(), "one class and distance per vote");
  std::vector<std::int64_t> chosen;
  {
    nb::gil_scoped_release release;
    const votes::VoteLists lists = vote_lists(indptr, votes);
    require_below(classes, static_cast<std::int64_t>(std::min<std::size_t>(n_classes, INT64_MAX)), "no such class");
    const std::int64_t* end = classes.data() + classes.size();
    // Classes from here on have no votes.
    const std::int64_t most = classes.size() ? *std::max_element(classes.data(), end) + 1 : 0;
    votes::Election election(rule, class_weights ? class_weights->data() : nullptr, static_cast<std::size_t>(most));
    chosen = votes::elect(lists, classes.data(), distances.data(), election);
  }
  const auto open = std::count(chosen.begin(), chosen.end(), -1);
  return nb::make_tuple(to_numpy(std::move(chosen)), open);
}

nb::ndarray<nb::numpy, double> weighted_means(Ids indptr, Vector numbers, Vector votes) {
  require(votes.size() == numbers.size(), "one number per vote");
  std::vector<double> means;
  {
    nb::gil_scoped_release release;
    means = votes::weighted_means(vote_lists(indptr, votes), numbers.data());
  }
  return to_numpy(std::move(means));
}

// Prequential runs -------------------------------------------------------------------------------------------------

using Codes = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Weights = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

votes::VoteTies ties_of(int ties) { return checked_option(ties, votes::VoteTies::reduce, "no such rule for ties"); }

// A stream of rows, processed by several calls in turn.
struct Stream {
  Stream(const search::Plan& plan, Flags ranged, Vector low, Vector high, Vector weights, std::size_t k,
         bool whole_ties, int vote, double power, bool root, int algorithm)
      : rows(plan, checked_ranges(plan, ranged, low, high), checked_weights(plan, weights),
             rules_of(k, whole_ties, vote, power, root, algorithm)) {}

  static search::Ranges checked_ranges(const search::Plan& plan, const Flags& ranged, const Vector& low,
                                       const Vector& high) {
    const std::size_t n = plan.size();
    require(n > 0, "rows have at least one attribute");
    plan.require_complete();
    require(ranged.size() == n && low.size() == n && high.size() == n, "one entry per attribute is needed");
    for (std::size_t a = 0; a < n; ++a) {
      if (!ranged.data()[a]) continue;
      require(plan[a].as<search::Linear>() != nullptr, "only linear attributes have a range");
      const double from = low.data()[a], to = high.data()[a];
      require((std::isnan(from) && std::isnan(to)) || (std::isfinite(from) && std::isfinite(to) && from <= to),
              "a range is two finite numbers, the smaller one first, or two missing ones");
    }
    return {{ranged.data(), ranged.data() + n}, copy(low), copy(high)};
  }

  static std::vector<double> checked_weights(const search::Plan& plan, const Vector& weights) {
    require(weights.size() == plan.size(), "one entry per attribute is needed");
    const double* const end = weights.data() + weights.size();
    require(std::all_of(weights.data(), end, is_weight), "weights are finite and not negative");
    return copy(weights);
  }

  static votes::PollRules rules_of(std::size_t k, bool whole_ties, int vote, double power, bool root, int algorithm) {
    require(std::isfinite(power) && power > 0.0, "distances have a power above 0");
    return {k, whole_ties, checked_option(vote, votes::VoteRule::inverse_square, "no such vote"),
            base::Root(power, root), checked_option(algorithm, search::Algorithm::plain, "no such algorithm")};
  }

  votes::Prequential rows;
  std::mutex lock;  // taken before the locks of an index
};

// Checks the rows that a stream predicts and stores in an index.
void check_arrivals(const View& index, const Stream& stream, const Matrix& cells, const Ids& ids) {
  const std::size_t width = stream.rows.n_attributes();
  require(index.now().shared().coded.size() == width && cells.shape(1) == width, "index and rows differ in width");
  require(cells.shape(0) == ids.size(), "rows and ids do not match");
}

// Calls run(index, rows) to predict rows and store them in a new version of the index. The rows are copied, so that other
// threads cannot change them after the checks; the other arrays are checked whenever they are read. Releases the GIL.
template <class Run>
void run_stream(View& view, Stream& stream, const Matrix& given, const Ids& names, const Ids& known, const Run& run) {
  const std::vector<double> cells = copy(given);
  const std::vector<std::int64_t> ids = copy(names);
  const nb::gil_scoped_release release;
  const std::lock_guard hold(stream.lock);
  view.advance([&](const Snapshot& before) {
    return before.reworked([&](SharedIndex& shared, search::Version number) {
      const votes::Arrivals rows{cells.data(), ids.data(), ids.size(), known.data(), known.size(), number,
                                 &shared.gate};
      require(shared.index.takes(rows.cells, rows.n), "numbers are finite, and codes count from 0");
      shared.require_cover(stream.rows.plan(), before.version(), rows.cells, rows.n);
      run(shared.index, rows);
    });
  });
}

// Predicts the classes of several outputs. class_weights holds the weights of the classes of output t from starts[t]
// on, and is updated with every stored row.
nb::tuple classify(Stream& self, View& index, Matrix cells, Ids ids, Ids stored, Codes codes, Ids starts,
                   Weights class_weights, int ties) {
  const std::size_t n = codes.shape(1);
  check_arrivals(index, self, cells, ids);
  require(codes.shape(0) == stored.size(), "one class per stored row");
  require(starts.size() == n + 1, "one start per output");
  require_lists(starts, class_weights.size());
  for (std::size_t t = 0; t < n; ++t) require(starts.data()[t] < starts.data()[t + 1], "an output must have classes");
  const std::vector<std::int64_t> begins = copy(starts);
  const votes::KnownClasses known{codes.data(), n, begins.data(), class_weights.data(), ties_of(ties)};
  std::vector<std::int64_t> classes;
  votes::TooFar far;
  run_stream(index, self, cells, ids, stored, [&](search::Index& rows, const votes::Arrivals& arriving) {
    far = votes::classify(self.rows, rows, arriving, known, classes);
  });
  return nb::make_tuple(to_numpy(std::move(classes), {ids.size(), n}), far.row, far.voter);
}

nb::tuple average(Stream& self, View& index, Matrix cells, Ids ids, Ids stored, Matrix targets) {
  const std::size_t n = targets.shape(1);
  check_arrivals(index, self, cells, ids);
  require(targets.shape(0) == stored.size(), "one number per stored row");
  std::vector<double> means;
  votes::TooFar far;
  run_stream(index, self, cells, ids, stored, [&](search::Index& rows, const votes::Arrivals& arriving) {
    far = votes::average(self.rows, rows, arriving, {targets.data(), n}, means);
  });
  return nb::make_tuple(to_numpy(std::move(means), {ids.size(), n}), far.row, far.voter);
}

// Leave-one-out ----------------------------------------------------------------------------------------------------

void require_weights(const double* weights, std::size_t n, const char* rule) {
  for (std::size_t i = 0; i < n; ++i) require(is_weight(weights[i]), rule);
}

// The arguments that both kinds of targets share. The arrays are views, which are checked before every use.
struct LeftOut {
  const View& index;
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
                            threads, whole_ties, {}, {}, {}, 0, nullptr};
    work.ks.assign(ks.data(), ks.data() + ks.size());
    work.blocks.assign(blocks.data(), blocks.data() + blocks.size());
    for (std::size_t v = 0; v < votes.size(); ++v)
      work.rules.push_back({static_cast<votes::VoteKind>(votes.data()[v]), parameters.data()[v], bandwidths.data()[v]});
    return work;
  }

  // Returns the sums for the given targets. Called without the GIL.
  template <class Targets>
  auto sums(votes::LeaveOneOut work, const Targets& targets) const {
    const Snapshot rows = index.now();
    rows.prepare(plan, queries.data(), n_queries(), work.threads);
    require(rows.version().n_rows == stored.size(), "not all rows have a target");
    work.version = rows.version().number;
    work.gate = &rows.shared().gate;
    return votes::leave_one_out(rows.shared().index, plan, work, targets);
  }

 private:
  void check_rows() const {
    plan.require_complete();
    const std::size_t width = index.now().shared().coded.size();
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

// Copies each column of a matrix of classes to a list of its own.
std::vector<std::vector<std::int64_t>> columns_of(const Codes& codes, const Ids& n_classes) {
  require(codes.shape(1) == n_classes.size(), "one number of classes per column");
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

// class_weights has an entry for each class of each column, priors a row of such entries for each prior. Zeros for all
// classes of a column: there is no prior.
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
    require(n_classes.size() > 0 && priors.shape(0) > 0 && temperatures.size() > 0,
            "there must be at least one column, one prior and one temperature");
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

void bind_votes(nb::module_& module) {
  module.def("elect", &elect, nb::arg("indptr"), nb::arg("classes"), nb::arg("votes"), nb::arg("distances"),
             nb::arg("n_classes"), nb::arg("class_weights").none(), nb::arg("ties"),
             "The winning class for each query, -1 for a tie that the caller must break, and the number of such ties.");
  module.def("weighted_means", &weighted_means, nb::arg("indptr"), nb::arg("numbers"), nb::arg("votes"),
             "For each query, the mean of its voters' numbers, weighted by their votes.");
  nb::class_<Stream>(module, "Stream", "A prequential run: each row is predicted from the rows before it, then stored.")
      .def(nb::init<const search::Plan&, Flags, Vector, Vector, Vector, std::size_t, bool, int, double, bool, int>(),
           nb::arg("plan"), nb::arg("ranged"), nb::arg("low"), nb::arg("high"), nb::arg("weights"), nb::arg("k"),
           nb::arg("ties"), nb::arg("vote"), nb::arg("power"), nb::arg("root"), nb::arg("algorithm"))
      .def("classify", &classify, nb::arg("index"), nb::arg("cells"), nb::arg("ids"), nb::arg("stored"),
           nb::arg("codes"), nb::arg("starts"), nb::arg("class_weights").noconvert(), nb::arg("ties"),
           "Adds each row to the weight of its class in class_weights, a contiguous float64 array.")
      .def("average", &average, nb::arg("index"), nb::arg("cells"), nb::arg("ids"), nb::arg("stored"),
           nb::arg("targets"));
  nb::class_<LeftOut>(module, "LeftOut",
                      "Leave-one-out scores of all combinations of vote rules and numbers of neighbors.")
      .def("__init__",
           [](LeftOut* self, const View& index, const search::Plan& plan, Matrix queries, Ids own, Vector times,
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
