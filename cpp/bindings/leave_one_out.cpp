#include "votes/leave_one_out.hpp"

#include <optional>

#include <nanobind/stl/optional.h>

#include "votes/leave_one_out_classes.hpp"
#include "votes/leave_one_out_numbers.hpp"
#include "bindings/shared_index.hpp"

namespace priorcase::bindings {

namespace {

using Codes = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

constexpr std::size_t most_threads = 1024;

// What both kinds of targets are asked with.
struct Question {
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

  votes::LeaveOneOut work() const {
    check();
    votes::LeaveOneOut work{queries.data(), own.data(), times.data(), attribute_weights.data(), stored.data(), stored.size(),
                     row_weights ? row_weights->data() : nullptr, base::Root(power, root), static_cast<search::Algorithm>(algorithm),
                     std::clamp<std::size_t>(threads, 1, most_threads), whole_ties, {}, {}, {}};
    work.ks.assign(ks.data(), ks.data() + ks.size());
    work.blocks.assign(blocks.data(), blocks.data() + blocks.size());
    for (std::size_t v = 0; v < votes.size(); ++v)
      work.rules.push_back({static_cast<votes::Vote>(votes.data()[v]), parameters.data()[v], bandwidths.data()[v]});
    return work;
  }

  std::size_t n_queries() const { return queries.shape(0); }

  void check() const {
    plan.require_complete();
    const std::size_t width = shared.index.n_attributes();
    require(plan.size() == width && queries.shape(1) == width && attribute_weights.size() == width,
            "plan, queries and weights differ in width");
    require(own.size() == n_queries() && times.size() == n_queries(), "one own row and one weight per query");
    require(stored.size() > 0 && (!row_weights || row_weights->size() == stored.size()), "one weight per stored row");
    require(0 <= algorithm && algorithm <= static_cast<int>(search::Algorithm::plain), "no such algorithm");
    require(ks.size() > 0 && ks.data()[0] > 0, "at least one k, and each at least 1");
    for (std::size_t i = 0; i + 1 < ks.size(); ++i) require(ks.data()[i] < ks.data()[i + 1], "ks must ascend");
    require(votes.size() > 0 && parameters.size() == votes.size() && bandwidths.size() == votes.size(),
            "one parameter and one bandwidth per vote");
    for (std::size_t v = 0; v < votes.size(); ++v)
      require(0 <= votes.data()[v] && votes.data()[v] <= static_cast<std::int64_t>(votes::Vote::power) &&
                  bandwidths.data()[v] >= 0.0,
              "no such vote");
    require(blocks.size() > 1 && blocks.data()[0] == 0 &&
                static_cast<std::size_t>(blocks.data()[blocks.size() - 1]) == n_queries(),
            "blocks cover the queries");
    for (std::size_t b = 0; b + 1 < blocks.size(); ++b)
      require(blocks.data()[b] <= blocks.data()[b + 1], "blocks must ascend");
  }

  template <class Work>
  void locked(const Work& work) const {
    nb::gil_scoped_release release;
    shared.organise_if_due(plan);
    const std::shared_lock hold(shared.lock);
    shared.require_cover(plan, queries.data(), n_queries());
    if (shared.index.n_rows() != stored.size()) throw std::invalid_argument("not all rows have a target");
    work();
  }
};

// Copies the sums of a block to their place among those of all blocks.
void put(std::vector<double>& all, const std::vector<double>& of_block, std::size_t block) {
  std::copy(of_block.begin(), of_block.end(), all.begin() + block * of_block.size());
}

nb::ndarray<nb::numpy, std::int64_t> joined(const std::vector<std::vector<std::int64_t>>& odd) {
  std::vector<std::int64_t> all;
  for (const auto& part : odd) all.insert(all.end(), part.begin(), part.end());
  return to_numpy(std::move(all));
}

// Columns of classes, copied so that each is one list.
std::vector<std::vector<std::int64_t>> columns_of(const Codes& codes, const Ids& n_classes) {
  require(codes.shape(1) == n_classes.size(), "as many columns of classes");
  std::vector<std::vector<std::int64_t>> columns(codes.shape(1));
  for (std::size_t t = 0; t < codes.shape(1); ++t)
    for (std::size_t i = 0; i < codes.shape(0); ++i) {
      require(codes(i, t) >= 0 && codes(i, t) < n_classes.data()[t], "no such class");
      columns[t].push_back(codes(i, t));
    }
  return columns;
}

votes::ClassPrior prior_of(const double* weights, std::size_t n) {
  const bool any = std::any_of(weights, weights + n, [](double weight) { return weight > 0.0; });
  const bool equal = std::all_of(weights, weights + n, [&](double weight) { return weight == *weights; });
  return {any ? weights : nullptr, equal};
}

// Classes of all columns side by side: how many rows each has, and a line for each prior; a line of zeros is no prior.
struct ClassQuestion {
  Codes stored, asked;
  Ids n_classes;
  Vector class_weights;
  Matrix priors;
  Vector temperatures, left_out;
  int ties;
  std::vector<std::vector<std::int64_t>> of_stored, of_asked;

  votes::ClassTask task() {
    require(n_classes.size() > 0 && priors.shape(0) > 0 && temperatures.size() > 0, "a column, a prior, a temperature");
    require(0 <= ties && ties <= static_cast<int>(votes::VoteTies::reduce), "no such rule for ties");
    for (std::size_t m = 0; m < temperatures.size(); ++m)
      require(temperatures.data()[m] > 0.0, "temperatures are positive");
    of_stored = columns_of(stored, n_classes);
    of_asked = columns_of(asked, n_classes);
    votes::ClassTask task{{}, std::vector<std::vector<votes::ClassPrior>>(priors.shape(0)), copy(temperatures), left_out.data(),
                   static_cast<votes::VoteTies>(ties)};
    std::size_t start = 0;
    for (std::size_t t = 0; t < n_classes.size(); ++t) {
      const std::size_t n = n_classes.data()[t], stop = start + n;
      require(n > 0 && stop <= class_weights.size() && stop <= priors.shape(1), "one weight per class");
      task.columns.push_back({of_stored[t].data(), of_asked[t].data(), n, class_weights.data() + start});
      for (std::size_t p = 0; p < priors.shape(0); ++p)
        task.priors[p].push_back(prior_of(priors.data() + p * priors.shape(1) + start, n));
      start = stop;
    }
    require(start == class_weights.size() && start == priors.shape(1), "one weight per class");
    return task;
  }
};

nb::tuple classes(const Question& question, Codes stored, Codes asked, Ids n_classes, Vector class_weights,
                  Matrix priors, Vector temperatures, Vector left_out, int ties) {
  const votes::LeaveOneOut work = question.work();
  require(stored.shape(0) == work.n_stored && asked.shape(0) == question.n_queries(), "one class per row");
  require(left_out.size() == question.n_queries(), "one left-out weight per query");
  ClassQuestion classes{stored, asked, n_classes, class_weights, priors, temperatures, left_out, ties, {}, {}};
  const votes::ClassTask task = classes.task();
  const std::size_t n_blocks = work.n_blocks(), rights = work.n_candidates() * task.priors.size();
  const std::size_t each = rights * task.temperatures.size();
  votes::ClassScores::Sums all;
  for (auto* sums : {&all.logs, &all.surprises, &all.squares}) sums->resize(n_blocks * each);
  all.rights.resize(n_blocks * rights);
  std::vector<std::vector<std::int64_t>> odd(n_blocks);
  const auto done = [&](std::size_t block, const votes::ClassScores::Sums& sums, std::vector<std::int64_t> left) {
    put(all.logs, sums.logs, block);
    put(all.surprises, sums.surprises, block);
    put(all.squares, sums.squares, block);
    put(all.rights, sums.rights, block);
    odd[block] = std::move(left);
  };
  question.locked([&] { votes::leave_one_out<votes::ClassScores>(question.shared.index, question.plan, work, task, done); });
  return nb::make_tuple(to_numpy(std::move(all.logs), {n_blocks, each}),
                        to_numpy(std::move(all.surprises), {n_blocks, each}),
                        to_numpy(std::move(all.squares), {n_blocks, each}),
                        to_numpy(std::move(all.rights), {n_blocks, rights}), joined(odd));
}

nb::tuple numbers(const Question& question, Matrix stored, Matrix asked) {
  const votes::LeaveOneOut work = question.work();
  require(stored.shape(0) == work.n_stored && asked.shape(0) == question.n_queries(), "one target per row");
  require(stored.shape(1) == asked.shape(1) && stored.shape(1) > 0, "as many columns of targets");
  const votes::NumberTask task{stored.data(), asked.data(), stored.shape(1)};
  const std::size_t n_blocks = work.n_blocks(), each = work.n_candidates();
  std::vector<double> squares(n_blocks * each), absolutes(n_blocks * each);
  std::vector<std::vector<std::int64_t>> odd(n_blocks);
  const auto done = [&](std::size_t block, const votes::NumberScores::Sums& sums, std::vector<std::int64_t> left) {
    put(squares, sums.squares, block);
    put(absolutes, sums.absolutes, block);
    odd[block] = std::move(left);
  };
  question.locked([&] { votes::leave_one_out<votes::NumberScores>(question.shared.index, question.plan, work, task, done); });
  return nb::make_tuple(to_numpy(std::move(squares), {n_blocks, each}), to_numpy(std::move(absolutes), {n_blocks, each}),
                        joined(odd));
}

}  // namespace

void bind_leave_one_out(nb::module_& module) {
  nb::class_<Question>(module, "LeftOut", "Rows to be left out one by one, and the votes and numbers of neighbours to try.")
      .def("__init__",
           [](Question* self, SharedIndex& index, const search::Plan& plan, Matrix queries, Ids own, Vector times,
              Vector attribute_weights, Ids stored, std::optional<Vector> row_weights, double power, bool root,
              int algorithm, std::size_t threads, bool whole_ties, Ids ks, Ids votes, Vector parameters,
              Vector bandwidths, Ids blocks) {
             new (self) Question{index, plan, queries, own, times, attribute_weights, stored, row_weights, power, root,
                                 algorithm, threads, whole_ties, ks, votes, parameters, bandwidths, blocks};
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
