#include <cmath>
#include <limits>
#include <optional>
#include <shared_mutex>
#include <utility>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "base/numbers.hpp"
#include "base/threads.hpp"
#include "bayes/counts.hpp"
#include "bayes/pairs.hpp"
#include "bayes/scoring.hpp"
#include "bayes/trees.hpp"
#include "bindings/checks.hpp"

namespace priorcase::bindings {

namespace {

using AnyColumn = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;
using Codes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using CodeMatrix = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Counts = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Totals = nb::ndarray<std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Scores = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Columns -------------------------------------------------------------------------------------------------------------

template <class Array>
bayes::CellType type_of(const Array& array) {
  if (array.dtype() == nb::dtype<std::int8_t>()) return bayes::CellType::int8;
  if (array.dtype() == nb::dtype<std::int16_t>()) return bayes::CellType::int16;
  if (array.dtype() == nb::dtype<std::int32_t>()) return bayes::CellType::int32;
  if (array.dtype() == nb::dtype<std::int64_t>()) return bayes::CellType::int64;
  require(array.dtype() == nb::dtype<double>(), "columns are int8, int16, int32, int64 or float64");
  return bayes::CellType::real;
}

template <class Array>
bayes::CellType code_type_of(const Array& array) {
  const bayes::CellType type = type_of(array);
  require(type != bayes::CellType::real, "codes are int8, int16, int32 or int64");
  return type;
}

bayes::Column view(const AnyColumn& array) {
  bayes::Column column;
  column.type = type_of(array);
  column.data = array.data();
  column.stride = array.stride(0);
  return column;
}

// Returns an element of a sequence as an array, or throws with the message `rule`.
template <class Array>
Array as_array(nb::handle element, const char* rule) {
  Array array;
  require(nb::try_cast(element, array), rule);
  return array;
}

AnyColumn as_column(nb::handle element) {
  return as_array<AnyColumn>(element, "a column is an array of one dimension");
}

// Sets the slots that the codes of a column stand for.
void translate(bayes::Column& column, const Codes& slots) {
  require(column.type != bayes::CellType::real, "only columns of codes can have a translation");
  require(std::all_of(slots.data(), slots.data() + slots.size(), [](std::int32_t slot) { return slot >= 0; }),
          "slots must not be negative");
  column.translate = slots.data();
  column.n_translate = slots.size();
}

// Columns, each with the slots that its codes stand for (None: the codes are the model's own). Keeps the arrays alive.
struct TranslatedColumns {
  std::vector<AnyColumn> arrays;
  std::vector<Codes> translations;
  std::vector<bayes::Column> views;

  TranslatedColumns(nb::sequence given, nb::sequence translations_given, std::size_t rows) {
    const std::size_t n = nb::len(given);
    require(nb::len(translations_given) == n, "one translation for each column");
    for (std::size_t i = 0; i < n; ++i) {
      arrays.push_back(as_column(given[i]));
      views.push_back(view(arrays.back()));
      require(arrays.back().shape(0) == rows, "columns and results differ in length");
      nb::object slots = translations_given[i];
      if (slots.is_none()) continue;
      translations.push_back(as_array<Codes>(slots, "a translation is an array of slots, int32"));
      translate(views.back(), translations.back());
    }
  }
};

std::vector<double> cut_points(const Vector& cuts) {
  std::vector<double> values = copy(cuts);
  for (std::size_t i = 0; i < values.size(); ++i)
    require(!std::isnan(values[i]) && (i == 0 || values[i - 1] <= values[i]), "cuts are not ascending");
  return values;
}

// Counts and codes ----------------------------------------------------------------------------------------------------

// starts: one entry more than there are columns; cuts: an array, or None, for each column.
void count_values(nb::sequence given, nb::sequence cuts, AnyColumn classes, Ids starts, Totals totals, int sign,
                  std::size_t threads) {
  const std::size_t n = nb::len(given), rows = classes.shape(0), n_classes = totals.shape(1);
  constexpr std::int64_t most_slots = std::numeric_limits<std::int32_t>::max() - 2 * bayes::first_slot;
  require(starts.size() == n + 1 && nb::len(cuts) == n, "one start and one entry of cuts for each column");
  require(sign == 1 || sign == -1, "sign is 1 or -1");
  require(rows <= std::numeric_limits<std::uint32_t>::max(), "too many rows for one call");
  require(static_cast<std::int64_t>(n_classes) <= most_slots, "too many classes");
  std::vector<AnyColumn> arrays;
  std::vector<bayes::CountedColumn> columns(n);
  for (std::size_t i = 0; i < n; ++i) {
    arrays.push_back(as_column(given[i]));
    require(arrays.back().shape(0) == rows, "columns differ in length");
    const std::int64_t first = starts.data()[i], last = starts.data()[i + 1];
    require(0 <= first && first <= last && last <= static_cast<std::int64_t>(totals.shape(0)) &&
                last - first >= bayes::first_slot && last - first <= most_slots,
            "starts are out of order, or a column has too few or too many slots");
    require((last - first) * (static_cast<std::int64_t>(n_classes) + 1) <= std::numeric_limits<std::int32_t>::max(),
            "too many cells");
    columns[i].column = view(arrays.back());
    columns[i].start = static_cast<std::size_t>(first);
    columns[i].n_slots = static_cast<std::size_t>(last - first);
    nb::object points = cuts[i];
    if (points.is_none()) continue;
    require(columns[i].column.type == bayes::CellType::real, "only columns of numbers can have cuts");
    columns[i].cuts = cut_points(as_array<Vector>(points, "cuts are an array of numbers"));
    columns[i].cut = true;
  }
  const bayes::Column own = view(classes);
  std::int64_t* const into = totals.data();
  nb::gil_scoped_release release;
  bayes::count_values(columns, own, n_classes, rows, sign, into, usable_threads(threads));
}

// Releases the GIL, except in short calls, where releasing and retaking it would take longer than the call.
class LongCall {
 public:
  explicit LongCall(std::size_t rows) {
    if (rows > 4096) release_.emplace();
  }

 private:
  std::optional<nb::gil_scoped_release> release_;
};

nb::ndarray<nb::numpy, std::int64_t> code_counts(AnyColumn codes, std::size_t n) {
  code_type_of(codes);
  require(n <= std::size_t{1} << 31, "at most 2^31 codes");
  const bayes::Column column = view(codes);
  const std::size_t rows = codes.shape(0);
  std::vector<std::int64_t> counts;
  {
    const LongCall released(rows + n);
    counts = bayes::code_counts(column, rows, n);
  }
  return to_numpy(std::move(counts));
}

void recode(AnyColumn codes, Codes table, nb::ndarray<nb::ndim<1>, nb::c_contig, nb::device::cpu> out) {
  code_type_of(codes);
  const bayes::CellType type = code_type_of(out);
  require(out.shape(0) == codes.shape(0), "codes and out differ in length");
  const std::int32_t most = type == bayes::CellType::int8    ? std::numeric_limits<std::int8_t>::max()
                            : type == bayes::CellType::int16 ? std::numeric_limits<std::int16_t>::max()
                                                             : std::numeric_limits<std::int32_t>::max();
  const auto fits = [&](std::int32_t entry) { return entry <= most && entry >= -1 - most; };
  const bayes::Column column = view(codes);
  void* const into = out.data();
  const LongCall released(codes.shape(0) + table.size());
  require(std::all_of(table.data(), table.data() + table.size(), fits),
          "the type of out cannot represent a code of the table");
  bayes::recode(column, codes.shape(0), table.data(), table.size(), type, into);
}

nb::tuple factorise(nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::device::cpu> items) {
  require(items.shape(1) <= 1 || items.stride(1) == 1, "the bytes of an item must be contiguous");
  require(items.shape(0) <= std::numeric_limits<std::int32_t>::max(), "too many items");
  const auto* const bytes = reinterpret_cast<const char*>(items.data());
  bayes::Factors found;
  {
    nb::gil_scoped_release release;
    found = bayes::factorise(bytes, items.stride(0), items.shape(1), items.shape(0));
  }
  return nb::make_tuple(to_numpy(std::move(found.codes)), to_numpy(std::move(found.first)));
}

// Moments -------------------------------------------------------------------------------------------------------------

nb::object whole_ranks(Vector numbers, std::size_t most) {
  require(most <= std::size_t{1} << 24, "most must not exceed 2^24");
  std::vector<std::int32_t> codes;
  bayes::WholeRange range;
  {
    nb::gil_scoped_release release;
    range = bayes::whole_range(numbers.data(), numbers.size(), most);
    if (range.n > 0) {
      codes.resize(numbers.size());
      bayes::write_ranks(numbers.data(), numbers.size(), range.low, codes.data());
    }
  }
  if (range.n == 0) return nb::none();
  return nb::make_tuple(range.low, range.n, to_numpy(std::move(codes)));
}

nb::tuple bit_range(Vector numbers) {
  bayes::BitRange found;
  {
    nb::gil_scoped_release release;
    found = bayes::bit_range(numbers.data(), numbers.size());
  }
  return nb::make_tuple(found.low, found.high);
}

void add_moments(nb::sequence given, Codes codes, std::optional<Vector> weights, int sign,
                 nb::ndarray<std::int64_t, nb::ndim<3>, nb::c_contig, nb::device::cpu> sums, Ids bases, Ids widths,
                 std::size_t threads) {
  const std::size_t n = codes.size(), n_classes = sums.shape(1);
  require(sign == 1 || sign == -1, "sign is 1 or -1");
  require(bases.size() == 3 && widths.size() == 3, "bases and widths must have three entries");
  require(!weights || weights->size() == n, "codes and weights differ in length");
  bayes::MomentWindows windows;
  std::int64_t total = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::int64_t base = bases.data()[i], width = widths.data()[i];
    require(base >= -100 && base <= 100 && width > 0 && width <= 300, "a window of digits is out of range");
    windows[i] = {base, static_cast<std::size_t>(width)};
    total += width;
  }
  require(sums.shape(0) == nb::len(given) && static_cast<std::int64_t>(sums.shape(2)) == total,
          "sums must hold the digits of three sums for each column and class");
  std::vector<Vector> arrays;
  std::vector<const double*> columns;
  for (nb::handle column : given) {
    arrays.push_back(as_array<Vector>(column, "a column is an array of numbers of one dimension"));
    require(arrays.back().size() == n, "columns and codes differ in length");
    columns.push_back(arrays.back().data());
  }
  require(columns.size() == sums.shape(0), "sums must hold the digits of three sums for each column and class");
  std::int64_t* const into = sums.data();
  const std::int32_t* const classes = codes.data();
  const double* const amounts = weights ? weights->data() : nullptr;
  nb::gil_scoped_release release;
  bayes::BitRange of_w{0, 1};
  if (amounts) {
    for (std::size_t i = 0; i < n; ++i) require(is_weight(amounts[i]), "a weight is a number of 0 or more");
    of_w = bayes::bit_range(amounts, n);
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (i % 65536 == 0) base::check_interrupt();
    require(classes[i] < static_cast<std::int64_t>(n_classes), "a code is too large");
  }
  const auto fits = [](const bayes::DigitWindow& window, std::int64_t low, std::int64_t high) {
    const std::int64_t first = 32 * window.base, digits = static_cast<std::int64_t>(window.width);
    return low >= first && high < first + 32 * (digits - static_cast<std::int64_t>(bayes::spare_digits) + 1);
  };
  require(fits(windows[0], of_w.low, of_w.high), "a weight is beyond the range of its digits");
  require(windows[0].base <= 0, "a weight is beyond the range of its digits");
  for (const double* column : columns) {
    base::check_interrupt();
    const bayes::BitRange own = bayes::bit_range(column, n);
    require(fits(windows[1], own.low + of_w.low, own.high + of_w.high) &&
                fits(windows[2], 2 * own.low + of_w.low, 2 * own.high + of_w.high),
            "a number is beyond the range of its digits");
  }
  bayes::add_moments(columns, classes, amounts, n, sign, into, windows, n_classes, usable_threads(threads));
}

// Scores --------------------------------------------------------------------------------------------------------------

// A scorer that many threads may use at once. A change waits until no other thread uses it.
struct SharedScorer {
  bayes::Scorer scorer;
  std::shared_mutex mutex;

  SharedScorer(const double* prior, std::size_t n_classes, const double* table, std::size_t n_cells)
      : scorer(prior, n_classes, table, n_cells) {}

  template <class Change>
  void change(const Change& change) {
    nb::gil_scoped_release release;
    const std::unique_lock<std::shared_mutex> hold(mutex);
    change(scorer);
  }
};

bool are_logs(const double* logs, std::size_t n) {
  return std::all_of(logs, logs + n, [](double log) { return log < base::infinity; });  // false for NaN
}

void make_scorer(SharedScorer* self, Vector prior, Matrix table) {
  require(prior.size() >= 1 && table.shape(1) == prior.size(), "one column for each class");
  require(prior.size() <= std::numeric_limits<std::int32_t>::max() - 2 * bayes::first_slot, "too many classes");
  nb::gil_scoped_release release;
  require(are_logs(prior.data(), prior.size()) && are_logs(table.data(), table.size()), "a log is NaN or infinite");
  new (self) SharedScorer(prior.data(), prior.size(), table.data(), table.shape(0));
}

void leave_out(SharedScorer& self, Vector prior, Matrix table) {
  self.change([&](bayes::Scorer& scorer) {
    require(prior.size() == scorer.n_classes() && table.shape(1) == prior.size() && table.shape(0) == scorer.n_cells(),
            "the tables differ in shape");
    require(are_logs(prior.data(), prior.size()) && are_logs(table.data(), table.size()), "a log is NaN or infinite");
    scorer.leave_out(prior.data(), table.data());
  });
}

void add_table(SharedScorer& self, std::size_t column, std::size_t start, std::size_t n_slots,
               std::optional<Vector> cuts) {
  bayes::TableTerm term{column, start, n_slots, {}, cuts.has_value()};
  if (cuts) term.cuts = cut_points(*cuts);
  self.change([&](bayes::Scorer& scorer) {
    require(n_slots >= bayes::first_slot && n_slots <= scorer.n_cells() && start <= scorer.n_cells() - n_slots &&
                n_slots <= std::numeric_limits<std::int32_t>::max(),
            "slots are beyond the table");
    scorer.add(std::move(term));
  });
}

std::vector<bayes::Density> densities(const Matrix& parameters) {
  require(parameters.shape(1) == 4, "a density has four parameters");
  std::vector<bayes::Density> result;
  for (std::size_t k = 0; k < parameters.shape(0); ++k) {
    const double* p = parameters.data() + 4 * k;
    require(!std::any_of(p, p + 4, [](double x) { return std::isnan(x); }), "a parameter of a density is NaN");
    result.push_back({p[0], p[1], p[2], p[3]});
  }
  return result;
}

void add_density(SharedScorer& self, std::size_t column, Matrix parameters, bool normal) {
  bayes::DensityTerm term{column, normal ? bayes::Shape::normal : bayes::Shape::student, densities(parameters)};
  self.change([&](bayes::Scorer& scorer) {
    require(term.classes.size() == scorer.n_classes(), "one density for each class");
    scorer.add(std::move(term));
  });
}

// The last row of the parameters is the density over all classes.
void add_mixed(SharedScorer& self, std::size_t column, Matrix parameters, double log_in, double log_out) {
  require(log_in <= 0.0 && log_out <= 0.0, "logs of probabilities are 0 or less");
  require(parameters.shape(0) >= 1, "one density for each class, and one for all classes");
  std::vector<bayes::Density> classes = densities(parameters);
  const bayes::Density pooled = classes.back();
  classes.pop_back();
  bayes::DensityTerm term{column, bayes::Shape::mixed, std::move(classes), pooled, log_in, log_out};
  self.change([&](bayes::Scorer& scorer) {
    require(term.classes.size() == scorer.n_classes(), "one density for each class, and one for all classes");
    scorer.add(std::move(term));
  });
}

bayes::Scale scale_of(int scale) { return checked_option(scale, bayes::Scale::probability, "scale is 0, 1 or 2"); }

// Scores the rows of columns that the caller keeps alive. own: the class of each row, if each row is to be left out;
// otherwise null.
void score_views(SharedScorer& self, const std::vector<bayes::Column>& columns, std::size_t rows,
                 const bayes::Column* own, int scale, std::size_t threads, const Scores& out) {
  const bayes::Scale wanted = scale_of(scale);
  double* const into = out.data();
  nb::gil_scoped_release release;
  const std::shared_lock<std::shared_mutex> hold(self.mutex);
  const bayes::Scorer& scorer = self.scorer;
  require(out.shape(0) == rows && out.shape(1) == scorer.n_classes(), "scores have the wrong shape");
  require(!own || (scorer.leaves_out() && !scorer.has_densities()), "this scorer cannot leave rows out");
  scorer.check_columns(columns);
  scorer.score(columns, rows, own, wanted, into, usable_threads(threads));
}

void score(SharedScorer& self, nb::sequence given, nb::sequence translate, int scale, std::size_t threads, Scores out) {
  const TranslatedColumns columns(given, translate, out.shape(0));
  score_views(self, columns.views, out.shape(0), nullptr, scale, threads, out);
}

void score_cells(SharedScorer& self, Matrix cells, int scale, std::size_t threads, Scores out) {
  std::vector<bayes::Column> columns(cells.shape(1));
  for (std::size_t a = 0; a < columns.size(); ++a)
    columns[a] = {bayes::CellType::real, cells.data() + a, static_cast<std::ptrdiff_t>(cells.shape(1)), nullptr, 0};
  score_views(self, columns, cells.shape(0), nullptr, scale, threads, out);
}

void score_left_out(SharedScorer& self, nb::sequence given, nb::sequence translations, AnyColumn own,
                    Codes translate_own, int scale, std::size_t threads, Scores out) {
  const TranslatedColumns columns(given, translations, own.shape(0));
  bayes::Column classes = view(own);
  translate(classes, translate_own);
  score_views(self, columns.views, own.shape(0), &classes, scale, threads, out);
}

nb::ndarray<nb::numpy, double> normalise_rows(Matrix joint, int scale, std::size_t threads) {
  const bayes::Scale wanted = scale_of(scale);
  const std::size_t rows = joint.shape(0), n = joint.shape(1);
  require(n >= 1, "there must be at least one class");
  std::vector<double> out;
  {
    nb::gil_scoped_release release;
    out.resize(rows * n);
    bayes::normalise_rows(joint.data(), rows, n, wanted, out.data(), usable_threads(threads));
  }
  return to_numpy(std::move(out), {rows, n});
}

// Trees ---------------------------------------------------------------------------------------------------------------

// Above this, doubles are too coarse for their exponentials to be meaningful.
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

// Checks the sizes of tables and returns their layout. The checks cannot overflow, and a layout takes less memory than
// its tables.
bayes::PairLayout layout_for(const Ids& sizes, std::size_t n_classes, std::size_t n_singles, std::size_t n_pairs) {
  constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();
  require(n_classes >= 1 && n_classes <= most, "there is no class, or there are too many");
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
          "the tables do not have the sizes that these attributes and classes need");
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
  require(sizes.size() == width && classes.size() == n && (!weights || weights->size() == n),
          "the arguments differ in length");
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
                                               Vector pairs, Ids sizes, Vector class_weights, Vector totals,
                                               Vector weights, Vector unseen, Vector log_weights, double least,
                                               CodeMatrix codes, std::optional<Codes> own, std::optional<Vector> leave,
                                               std::size_t threads) {
  const std::size_t width = sizes.size(), n = codes.shape(0), n_classes = class_counts.size();
  const bayes::Family wanted = family_of(family);
  require(width >= 1 && codes.shape(1) == width, "attributes differ in number");
  require(own.has_value() == leave.has_value() && (!own || (own->size() == n && leave->size() == n)),
          "one class and one weight for each row to leave out");
  require(!std::isnan(least), "least must not be NaN");
  require(class_weights.size() == n_classes && totals.size() == n_classes && weights.size() == singles.size() &&
              unseen.size() == width * n_classes,
          "a prior weight for each class and value");
  for (const Vector* each : {&class_weights, &totals, &weights, &unseen})
    for (std::size_t i = 0; i < each->size(); ++i)
      require(each->data()[i] > 0.0 && each->data()[i] < base::infinity, "a prior weight is a number above 0");
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
    const bayes::PairTables tables{&layout,      class_counts.data(),  singles.data(), pairs.data(),
                                   class_weights.data(), totals.data(), weights.data(), unseen.data()};
    bayes::joint_logs(wanted, tables, log_weights.data(), least, queries, out.data(), usable_threads(threads));
  }
  return to_numpy(std::move(out), {n, n_classes});
}

}  // namespace

void bind_bayes(nb::module_& module) {
  module.def("code_counts", &code_counts, nb::arg("codes"), nb::arg("n"),
             "Number of rows with each code from 0 to n - 1.");
  module.def("factorise", &factorise, nb::arg("items"),
             "Codes of items (rows of bytes), numbered by first occurrence, and the row in which each code first "
             "occurs.");
  module.def("recode", &recode, nb::arg("codes"), nb::arg("table"), nb::arg("out").noconvert(),
             "Write the table's entry for each code to out; -1 for codes outside the table.");
  module.def("count_values", &count_values, nb::arg("columns"), nb::arg("cuts"), nb::arg("classes"), nb::arg("starts"),
             nb::arg("totals").noconvert(), nb::arg("sign"), nb::arg("threads"),
             "Add the counts of each value in each class, times sign, to the totals, slots by classes.");
  module.def("whole_ranks", &whole_ranks, nb::arg("numbers"), nb::arg("most"),
             "The smallest number, the size of the range, and the difference of each number from the smallest.\n\n"
             "The size is largest - smallest + 1. The difference is -1 for a missing value. None if the numbers are "
             "not all\nintegers, or the size exceeds ``most``.");
  module.def("bit_range", &bit_range, nb::arg("numbers"),
             "Exponents of the lowest and the highest bit of some numbers, ignoring zeros and missing values.");
  module.def("add_moments", &add_moments, nb::arg("columns"), nb::arg("codes"), nb::arg("weights").none(),
             nb::arg("sign"), nb::arg("sums").noconvert(), nb::arg("bases"), nb::arg("widths"), nb::arg("threads"),
             "Add rows, times sign, to the exact sums of w, w x and w x^2 in each class, for weights w and numbers x.");
  module.def("normalise_rows", &normalise_rows, nb::arg("joint"), nb::arg("scale"), nb::arg("threads"),
             "Convert joint log-probabilities of the classes to probabilities or log-probabilities.");
  nb::class_<SharedScorer>(module, "Scorer", "Log-probabilities of classes as sums of terms, one for each attribute.")
      .def("__init__", &make_scorer, nb::arg("prior"), nb::arg("table"))
      .def("leave_out", &leave_out, nb::arg("prior"), nb::arg("table"))
      .def("add_table", &add_table, nb::arg("column"), nb::arg("start"), nb::arg("n_slots"), nb::arg("cuts").none())
      .def("add_density", &add_density, nb::arg("column"), nb::arg("parameters"), nb::arg("normal"))
      .def("add_mixed", &add_mixed, nb::arg("column"), nb::arg("parameters"), nb::arg("log_in"), nb::arg("log_out"))
      .def("score", &score, nb::arg("columns"), nb::arg("translate"), nb::arg("scale"), nb::arg("threads"),
           nb::arg("out").noconvert())
      .def("score_cells", &score_cells, nb::arg("cells"), nb::arg("scale"), nb::arg("threads"),
           nb::arg("out").noconvert())
      .def("score_left_out", &score_left_out, nb::arg("columns"), nb::arg("translate"), nb::arg("own"),
           nb::arg("translate_own"), nb::arg("scale"), nb::arg("threads"), nb::arg("out").noconvert());
  module.def("log_tree_sum", &log_tree_sum, nb::arg("log_weights"), nb::arg("nodes"));
  module.def("edge_shares", &edge_shares, nb::arg("log_weights"), nb::arg("nodes"));
  module.def("largest_tree", &largest_tree, nb::arg("log_weights"), nb::arg("nodes"));
  module.def("count_pairs", &count_pairs, nb::arg("columns"), nb::arg("classes"), nb::arg("weights").none(),
             nb::arg("sign"), nb::arg("sizes"), nb::arg("class_counts").noconvert(), nb::arg("singles").noconvert(),
             nb::arg("pairs").noconvert(), nb::arg("threads"));
  module.def("tree_joint_logs", &tree_joint_logs, nb::arg("family"), nb::arg("class_counts"), nb::arg("singles"),
             nb::arg("pairs"), nb::arg("sizes"), nb::arg("class_weights"), nb::arg("totals"), nb::arg("weights"),
             nb::arg("unseen"), nb::arg("log_weights"), nb::arg("least"), nb::arg("codes"), nb::arg("own").none(),
             nb::arg("leave").none(), nb::arg("threads"));
}

}  // namespace priorcase::bindings
