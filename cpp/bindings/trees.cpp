#include "bayes/trees.hpp"

#include <nanobind/stl/optional.h>

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/numbers.hpp"
#include "base/threads.hpp"
#include "bayes/pairs.hpp"
#include "bindings/checks.hpp"

namespace priorcase::bindings {

namespace {

using Codes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using CodeMatrix = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Counts = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Trees ---------------------------------------------------------------------------------------------------------------

// Logarithms beyond it are too coarse to raise e to them.
constexpr double largest_log = 1e15;

void require_weights(const Vector& log_weights, std::size_t nodes) {
  constexpr std::size_t most_nodes = std::size_t{1} << 31;
  require(nodes > 0 && nodes <= most_nodes && log_weights.size() == bayes::edge_count(nodes),
          "one weight for each pair of nodes");
  for (std::size_t at = 0; at < log_weights.size(); ++at)
    require(std::fabs(log_weights.data()[at]) <= largest_log, "logs of weights must be finite, and at most 1e15");
}

double log_tree_sum(Vector log_weights, std::size_t nodes) {
  nb::gil_scoped_release release;
  require_weights(log_weights, nodes);
  bayes::EdgeWeights weights = bayes::EdgeWeights::exp(log_weights.data(), nodes);
  bayes::EliminationScratch scratch;
  return bayes::tree_sum(weights, scratch).value();
}

nb::ndarray<nb::numpy, double> edge_shares(Vector log_weights, std::size_t nodes) {
  std::vector<double> shares;
  {
    nb::gil_scoped_release release;
    require_weights(log_weights, nodes);
    shares = bayes::edge_shares(bayes::EdgeWeights::exp(log_weights.data(), nodes));
  }
  return to_numpy(std::move(shares));
}

nb::ndarray<nb::numpy, std::int64_t> largest_tree(Vector log_weights, std::size_t nodes) {
  std::vector<std::int64_t> parents;
  {
    nb::gil_scoped_release release;
    require_weights(log_weights, nodes);
    bayes::best_tree(log_weights.data(), nodes, parents);
  }
  return to_numpy(std::move(parents));
}

// Pairs ---------------------------------------------------------------------------------------------------------------

// The layout of tables that have the right sizes. Nothing overflows, and a layout takes less memory than its tables.
bayes::PairLayout layout_for(const Ids& sizes, std::size_t n_classes, std::size_t n_singles, std::size_t n_pairs) {
  constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();
  require(n_classes >= 1 && n_classes <= most, "no class, or too many");
  std::vector<std::size_t> widths;
  std::uint64_t sum = 0, squares = 0;
  for (std::size_t a = 0; a < sizes.size(); ++a) {
    const std::int64_t size = sizes.data()[a];
    const auto width = static_cast<std::uint64_t>(size);
    require(size >= 1 && width <= most - sum && width * n_classes <= std::numeric_limits<std::uint32_t>::max(),
            "an attribute has no values, or too many");
    widths.push_back(width);
    sum += width;
    squares += width * width;
  }
  const std::uint64_t cells = (sum * sum - squares) / 2;
  require(n_singles == sum * n_classes && n_pairs % n_classes == 0 && n_pairs / n_classes == cells,
          "tables of another layout");
  return {std::move(widths), n_classes};
}

void require_codes(const std::int32_t* codes, std::size_t n, std::int64_t low, std::size_t high, const char* rule) {
  for (std::size_t i = 0; i < n; ++i) {
    if (i % 65536 == 0) base::check_interrupt();
    require(codes[i] >= low && codes[i] < static_cast<std::int64_t>(high), rule);
  }
}

void require_amounts(const double* amounts, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    require(is_weight(amounts[i]), "a weight is a number of 0 or more");
}

void count_pairs(CodeMatrix columns, Codes classes, std::optional<Vector> weights, double sign, Ids sizes,
                 Counts class_counts, Counts singles, Counts pairs, std::size_t threads) {
  const std::size_t n = columns.shape(1), width = columns.shape(0), n_classes = class_counts.size();
  require(sizes.size() == width && classes.size() == n && (!weights || weights->size() == n), "lengths differ");
  require(sign == 1.0 || sign == -1.0, "sign is 1 or -1");
  const bayes::PairRows rows{columns.data(), classes.data(), weights ? weights->data() : nullptr, n, sign};
  nb::gil_scoped_release release;
  const bayes::PairLayout layout = layout_for(sizes, n_classes, singles.size(), pairs.size());
  require_codes(rows.classes, n, 0, n_classes, "no such class");
  for (std::size_t a = 0; a < width; ++a) require_codes(rows.columns + a * n, n, 0, layout.size(a), "no such value");
  if (rows.weights) require_amounts(rows.weights, n);
  bayes::count_pairs(layout, rows, class_counts.data(), singles.data(), pairs.data(), usable_threads(threads));
}

bayes::Family family_of(const std::string& name) {
  if (name == "all_trees") return bayes::Family::all_trees;
  if (name == "best_tree") return bayes::Family::best_tree;
  if (name == "super_parents") return bayes::Family::super_parents;
  require(name == "plain_super_parents", "no such family");
  return bayes::Family::plain_super_parents;
}

nb::ndarray<nb::numpy, double> tree_joint_logs(const std::string& family, Vector class_counts, Vector singles,
                                               Vector pairs, Ids sizes, Ids widths, double ess, Vector log_weights,
                                               double least, CodeMatrix codes, std::optional<Codes> own,
                                               std::optional<Vector> leave, std::size_t threads) {
  const std::size_t width = sizes.size(), n = codes.shape(0), n_classes = class_counts.size();
  const bayes::Family wanted = family_of(family);
  require(width >= 1 && widths.size() == width && codes.shape(1) == width, "attributes differ in number");
  require(own.has_value() == leave.has_value() && (!own || (own->size() == n && leave->size() == n)),
          "one class and one weight for each row to leave out");
  require(ess > 0.0 && ess < base::infinity, "ess is a number above 0");
  require(!std::isnan(least), "least is a number");
  for (std::size_t a = 0; a < width; ++a)
    require(widths.data()[a] >= sizes.data()[a], "an attribute has fewer values than its table");
  const bayes::PairQueries queries{codes.data(), own ? own->data() : nullptr, leave ? leave->data() : nullptr, n};
  std::vector<double> out;
  {
    nb::gil_scoped_release release;
    const bayes::PairLayout layout = layout_for(sizes, n_classes, singles.size(), pairs.size());
    if (wanted != bayes::Family::plain_super_parents) require_weights(log_weights, width);
    for (std::size_t q = 0; q < n; ++q)
      for (std::size_t a = 0; a < width; ++a) {
        const std::int32_t code = queries.codes[q * width + a];
        require(code >= -1 && code < static_cast<std::int64_t>(layout.size(a)), "no such value");
      }
    if (own) require_codes(queries.own, n, 0, n_classes, "no such class");
    if (leave) require_amounts(queries.leave, n);
    out.resize(n * n_classes);
    const bayes::PairTables tables{&layout, class_counts.data(), singles.data(), pairs.data(), widths.data(), ess};
    bayes::joint_logs(wanted, tables, log_weights.data(), least, queries, out.data(), usable_threads(threads));
  }
  return to_numpy(std::move(out), {n, n_classes});
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
