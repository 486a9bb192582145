#include "bayes/tree_families.hpp"

#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include "bindings/checks.hpp"
#include "base/threads.hpp"

namespace priorcase::bindings {

namespace {

using Codes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using CodeMatrix = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Counts = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

constexpr std::size_t most_tree_threads = 4096;
constexpr std::size_t queries_at_once = 16;

std::size_t threads_for(std::size_t threads, std::size_t tasks) {
  return std::min(std::clamp<std::size_t>(threads, 1, most_tree_threads), std::max<std::size_t>(tasks, 1));
}

bayes::PairLayout layout_for(const Ids& sizes, std::size_t n_classes) {
  std::vector<std::size_t> widths;
  for (std::size_t a = 0; a < sizes.size(); ++a) {
    require(sizes.data()[a] >= 0, "sizes must not be negative");
    widths.push_back(static_cast<std::size_t>(sizes.data()[a]));
  }
  return {std::move(widths), n_classes};
}

void require_codes(const std::int32_t* codes, std::size_t n, std::int64_t low, std::size_t high, const char* text) {
  for (std::size_t i = 0; i < n; ++i) require(codes[i] >= low && codes[i] < static_cast<std::int64_t>(high), text);
}

// Weights of edges in the order of a Triangle; the number of nodes comes from their number.
std::size_t nodes_of(const Vector& log_weights, std::size_t nodes) {
  require(nodes > 0 && log_weights.size() == bayes::Triangle::size(nodes), "one weight for each pair of nodes");
  for (std::size_t at = 0; at < log_weights.size(); ++at)
    require(std::isfinite(log_weights.data()[at]), "weights must be finite");
  return nodes;
}

double log_tree_sum(Vector log_weights, std::size_t nodes) {
  bayes::Triangle weights = bayes::exp_triangle(log_weights.data(), nodes_of(log_weights, nodes));
  bayes::EliminationRoom room;
  return bayes::tree_sum(weights, room).value();
}

nb::ndarray<nb::numpy, double> edge_shares(Vector log_weights, std::size_t nodes) {
  const bayes::Triangle weights = bayes::exp_triangle(log_weights.data(), nodes_of(log_weights, nodes));
  nb::gil_scoped_release release;
  std::vector<double> shares = bayes::EdgeShares(weights).shares();
  nb::gil_scoped_acquire acquire;
  return to_numpy(std::move(shares));
}

nb::ndarray<nb::numpy, std::int64_t> largest_tree(Vector log_weights, std::size_t nodes) {
  std::vector<std::ptrdiff_t> parents;
  bayes::best_tree(log_weights.data(), nodes_of(log_weights, nodes), parents);
  return to_numpy(std::vector<std::int64_t>(parents.begin(), parents.end()));
}

void count_pairs(CodeMatrix columns, Codes classes, std::optional<Vector> weights, double sign, Ids sizes,
                 Counts class_counts, Counts singles, Counts pairs, std::size_t threads) {
  const std::size_t n = columns.shape(1), width = columns.shape(0), n_classes = class_counts.size();
  require(sizes.size() == width && classes.size() == n && (!weights || weights->size() == n), "lengths differ");
  const bayes::PairLayout layout = layout_for(sizes, n_classes);
  require(singles.size() == layout.n_singles() && pairs.size() == layout.n_pairs(), "tables of another layout");
  const bayes::PairRows rows{columns.data(), classes.data(), weights ? weights->data() : nullptr, n, sign};
  nb::gil_scoped_release release;
  require_codes(rows.classes, n, 0, n_classes, "no such class");
  for (std::size_t a = 0; a < width; ++a) require_codes(rows.columns + a * n, n, 0, layout.size(a), "no such value");
  bayes::count_classes(rows, class_counts.data());
  base::for_blocks(width, 1, threads_for(threads, width), [&] {
    // The last attributes have the most partners before them and come first.
    return [&](std::size_t a, std::size_t) {
      bayes::count_attribute(layout, rows, width - 1 - a, singles.data(), pairs.data());
    };
  });
}

// Everything a family's answers rest on; arrays are views.
struct Question {
  bayes::PairLayout layout;
  bayes::PairTables tables;
  bayes::PairQueries queries;
  std::size_t threads = 1;
};

template <class Make>
nb::ndarray<nb::numpy, double> answer(const Question& question, const Make& make) {
  const std::size_t n = question.queries.n_queries, n_classes = question.layout.n_classes();
  std::vector<double> out(n * n_classes);
  {
    nb::gil_scoped_release release;
    base::for_blocks(n, queries_at_once, threads_for(question.threads, n), [&] {
      return [&, factors = bayes::QueryFactors(question.tables), family = make()](std::size_t start, std::size_t stop) mutable {
        bayes::joint_logs(factors, family, question.queries, start, stop, out.data());
      };
    });
  }
  return to_numpy(std::move(out), {n, n_classes});
}

nb::ndarray<nb::numpy, double> tree_joint_logs(const std::string& family, Vector class_counts, Vector singles,
                                               Vector pairs, Ids sizes, Ids widths, double ess, Vector log_weights,
                                               double least, CodeMatrix codes, std::optional<Codes> own,
                                               std::optional<Vector> leave, std::size_t threads) {
  const std::size_t width = sizes.size(), n = codes.shape(0), n_classes = class_counts.size();
  Question question{layout_for(sizes, n_classes), {}, {}, threads};
  require(widths.size() == width && codes.shape(1) == width, "attributes differ in number");
  require(singles.size() == question.layout.n_singles() && pairs.size() == question.layout.n_pairs(),
          "tables of another layout");
  require(own.has_value() == leave.has_value() && (!own || (own->size() == n && leave->size() == n)),
          "one class and one weight for each row to leave out");
  for (std::size_t q = 0; q < n; ++q)
    for (std::size_t a = 0; a < width; ++a)
      require_codes(codes.data() + q * width + a, 1, -1, question.layout.size(a), "no such value");
  if (own) require_codes(own->data(), n, 0, n_classes, "no such class");
  question.tables = {&question.layout, class_counts.data(), singles.data(), pairs.data(), widths.data(), ess};
  question.queries = {codes.data(), own ? own->data() : nullptr, leave ? leave->data() : nullptr, n};
  if (family == "plain_super_parents") return answer(question, [&] { return bayes::PlainSuperParents(least); });
  const double* logs = log_weights.data();
  const std::size_t nodes = nodes_of(log_weights, width);
  if (family == "all_trees") return answer(question, [&] { return bayes::AllTrees(logs, nodes); });
  if (family == "best_tree") return answer(question, [&] { return bayes::BestTree(logs, nodes); });
  require(family == "super_parents", "no such family");
  return answer(question, [&] { return bayes::SuperParents(logs, nodes); });
}

}  // namespace

void bind_trees(nb::module_& module) {
  module.def("log_tree_sum", &log_tree_sum, nb::arg("log_weights"), nb::arg("nodes"));
  module.def("edge_shares", &edge_shares, nb::arg("log_weights"), nb::arg("nodes"));
  module.def("largest_tree", &largest_tree, nb::arg("log_weights"), nb::arg("nodes"));
  module.def("count_pairs", &count_pairs, nb::arg("columns"), nb::arg("classes"), nb::arg("weights").none(),
             nb::arg("sign"), nb::arg("sizes"), nb::arg("class_counts").noconvert(), nb::arg("singles").noconvert(),
             nb::arg("pairs").noconvert(), nb::arg("threads"));
  module.def("tree_joint_logs", &tree_joint_logs, nb::arg("family"), nb::arg("class_counts"), nb::arg("singles"),
             nb::arg("pairs"), nb::arg("sizes"), nb::arg("widths"), nb::arg("ess"), nb::arg("log_weights"),
             nb::arg("least"), nb::arg("codes"), nb::arg("own").none(), nb::arg("leave").none(), nb::arg("threads"));
}

}  // namespace priorcase::bindings
