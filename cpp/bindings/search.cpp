#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "base/threads.hpp"
#include "bindings/checks.hpp"
#include "bindings/shared_index.hpp"
#include "search/difference.hpp"
#include "search/index.hpp"
#include "search/plan.hpp"
#include "search/store.hpp"
#include "search/texts.hpp"
#include "votes/votes.hpp"

namespace priorcase::bindings {

namespace {

// Plans ------------------------------------------------------------------------------------------------------------

void linear(search::Plan& plan, std::size_t a, double scale, double low, double high, bool widen, bool cap, bool coded,
            bool aha, double f_one, double f_both, double f_unseen) {
  plan.set(a, {search::Linear{scale, low, high, widen, cap, aha, coded}, f_one, f_both, f_unseen});
}

void periodic(search::Plan& plan, std::size_t a, Vector periods, Vector shares, double scale, double line_share,
              double f_one, double f_both, double f_unseen) {
  plan.set(a, {search::Periodic{copy(periods), copy(shares), scale, line_share}, f_one, f_both, f_unseen});
}

void curve(search::Plan& plan, std::size_t a, Vector breaks, Matrix profiles, bool step, double exponent, double factor,
           bool root, double f_one, double f_both, double f_unseen) {
  require(breaks.size() == profiles.shape(0), "a curve needs one profile per break");
  const search::ProfileRule rule{base::Power(exponent), root};
  plan.set(a, {search::Curve{copy(breaks), copy(profiles), profiles.shape(1), rule, factor, step}, f_one, f_both,
               f_unseen});
}

void overlap(search::Plan& plan, std::size_t a, double f_differ, double f_one, double f_both, double f_unseen) {
  plan.set(a, {search::Overlap{f_differ}, f_one, f_both, f_unseen});
}

void profile(search::Plan& plan, std::size_t a, Matrix profiles, Vector factors, std::optional<Vector> unseen,
             double unseen_factor, double f_unseen, double exponent, bool root, double f_one, double f_both,
             std::optional<Vector> missing, double missing_factor) {
  const std::size_t width = profiles.shape(1);
  require(factors.size() == profiles.shape(0), "one factor per value is needed");
  require(!unseen || unseen->size() == width, "the unseen profile has another width");
  require(!missing || missing->size() == width, "the missing profile has another width");
  const search::ProfileRule rule{base::Power(exponent), root};
  plan.set(a, {search::Profiles{copy(profiles), copy(factors), width, rule,
                                unseen ? copy(*unseen) : std::vector<double>{},
                                missing ? copy(*missing) : std::vector<double>{}, unseen_factor, missing_factor},
               f_one, f_both, f_unseen});
}

void table(search::Plan& plan, std::size_t a, Matrix matrix, std::optional<Vector> rows, std::optional<Vector> columns,
           double f_one, double f_both, double f_unseen) {
  require(matrix.shape(0) == (rows ? rows->size() : matrix.shape(1)),
          "a table must have one row per row label, or be square without row labels");
  search::Table table;
  table.f = copy(matrix);
  table.count = matrix.shape(1);
  table.has_row_labels = rows.has_value();
  table.has_column_labels = columns.has_value();
  if (rows) table.row_labels = copy(*rows);
  if (columns) table.column_labels = copy(*columns);
  plan.set(a, {std::move(table), f_one, f_both, f_unseen});
}

// A Python function that threads may call and release without holding the GIL.
class RowOf {
 public:
  explicit RowOf(nb::callable function)
      : function_(new nb::callable(std::move(function)), [](nb::callable* function) {
          nb::gil_scoped_acquire acquire;
          delete function;
        }) {}

  std::vector<double> operator()(double cell) const {
    nb::gil_scoped_acquire acquire;
    const std::vector<double> row = copy(nb::cast<Vector>((*function_)(cell)));
    for (const double f : row) require(f >= 0.0 && std::isfinite(f), "costs must be finite numbers of 0 or more");
    return row;
  }

 private:
  std::shared_ptr<nb::callable> function_;
};

// Like table, but Python computes the row of a query's cell when it is needed.
void asked(search::Plan& plan, std::size_t a, nb::callable row_of, std::optional<Vector> columns, double f_one,
           double f_both, double f_unseen) {
  search::Table table;
  table.row_of = RowOf(std::move(row_of));
  table.has_column_labels = columns.has_value();
  if (columns) table.column_labels = copy(*columns);
  table.count = table.column_labels.size();
  plan.set(a, {std::move(table), f_one, f_both, f_unseen});
}

// Texts ------------------------------------------------------------------------------------------------------------

using Tokens = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using TokenArrays = std::vector<std::tuple<Ids, Tokens, Vector, std::size_t>>;  // starts, tokens, weights, vocabulary

search::TextParts text_parts(const TokenArrays& arrays, std::size_t n) {
  search::TextParts parts;
  for (const auto& [starts, tokens, weights, n_tokens] : arrays) {
    require(starts.size() > 0, "there must be one vector per text");
    search::TokenVectors& part = parts.emplace_back();
    part.starts = copy(starts);
    part.tokens.assign(tokens.data(), tokens.data() + tokens.size());
    part.weights.assign(weights.data(), weights.data() + weights.size());
    part.n_tokens = n_tokens;
  }
  search::check_text_parts(parts, n);
  for (search::TokenVectors& part : parts) part.normalize();
  return parts;
}

// Starts and words of the texts; starts, tokens and weights of the words.
using WordArrays = std::tuple<Ids, Tokens, Ids, Tokens, Vector>;

// words: for each kind of token, the words of which the texts consist, or None.
void make_texts(search::StoredTexts* self, const TokenArrays& arrays, std::size_t n_codes,
                const std::vector<std::optional<WordArrays>>& words) {
  search::TextParts parts = text_parts(arrays, n_codes);
  require(words.size() == parts.size(), "there must be words, or None, for each kind of token");
  search::WordParts word_parts(words.size());
  for (std::size_t p = 0; p < words.size(); ++p) {
    if (!words[p]) continue;
    const auto& [starts, numbers, token_starts, tokens, weights] = *words[p];
    require(token_starts.size() > 0, "there must be one vector per word");
    search::TextParts vectors(1);
    vectors[0].starts = copy(token_starts);
    vectors[0].tokens.assign(tokens.data(), tokens.data() + tokens.size());
    vectors[0].weights.assign(weights.data(), weights.data() + weights.size());
    vectors[0].n_tokens = parts[p].n_tokens;
    search::check_text_parts(vectors, token_starts.size() - 1);
    std::vector<std::uint32_t> held(numbers.data(), numbers.data() + numbers.size());
    word_parts[p] =
        std::make_shared<const search::TextWords>(copy(starts), std::move(held), vectors[0], parts[p].lengths);
  }
  new (self) search::StoredTexts(std::move(parts), n_codes, std::move(word_parts));
}

std::shared_ptr<search::StoredTexts> among(const search::StoredTexts& self, Ids codes) {
  return self.among(copy(codes));
}

void texts(search::Plan& plan, std::size_t a, std::shared_ptr<search::StoredTexts> stored, Vector labels,
           const TokenArrays& unseen, double f_one, double f_both, double f_unseen) {
  search::TextParts parts = text_parts(unseen, labels.size());
  plan.set(a, {search::Texts{std::move(stored), copy(labels), std::move(parts)}, f_one, f_both, f_unseen});
}

// The differences of some texts from all stored texts, shape (texts, codes).
nb::ndarray<nb::numpy, double> text_differences(const search::StoredTexts& self, const TokenArrays& arrays,
                                                std::size_t n) {
  const search::TextParts parts = text_parts(arrays, n);
  require(parts.size() == self.parts().size(), "texts must have the same kinds of tokens as the stored texts");
  for (std::size_t p = 0; p < parts.size(); ++p)
    require(parts[p].n_tokens == self.parts()[p].n_tokens, "texts must have the tokens of the stored texts");
  std::vector<double> out;
  {
    nb::gil_scoped_release release;
    out.reserve(n * self.n_listed());
    search::TextRow row;
    for (std::size_t i = 0; i < n; ++i) {
      row.start(self, parts, i, base::Power());
      out.insert(out.end(), row.all().begin(), row.all().end());
    }
  }
  return to_numpy(std::move(out), {n, self.n_listed()});
}

// The differences between stored texts, shape (codes, codes).
nb::ndarray<nb::numpy, double> differences_among(const search::StoredTexts& self, Ids codes) {
  require_below(codes, static_cast<std::int64_t>(self.n_codes()), "there is no such text");
  const std::size_t n = codes.size();
  std::vector<double> out(n * n);
  {
    nb::gil_scoped_release release;
    search::TextRow row;
    const auto code = [&](std::size_t i) { return static_cast<std::size_t>(codes.data()[i]); };
    for (std::size_t i = 0; i < n; ++i) {
      row.start(self, self.parts(), code(i), base::Power());
      for (std::size_t j = i; j < n; ++j) out[i * n + j] = out[j * n + i] = row.at(code(j));
    }
  }
  return to_numpy(std::move(out), {n, n});
}

// f of each attribute between one query and some rows, shape (rows, attributes).
nb::ndarray<nb::numpy, double> differences(const search::Plan& plan, Vector query, Matrix rows) {
  const std::size_t n = rows.shape(0), width = plan.size();
  require(query.size() == width && rows.shape(1) == width, "plan, query and rows differ in width");
  require(plan.is_complete(), "the plan lacks an attribute");
  std::vector<std::uint8_t> coded(width);
  for (std::size_t a = 0; a < width; ++a) coded[a] = plan[a].needs_codes();
  if (!plan.knows(coded, query.data(), 1, true)) throw std::out_of_range("the plan does not know the query's code");
  if (!plan.knows(coded, rows.data(), n, false)) throw std::out_of_range("the plan does not know a row's code");
  std::vector<double> out(n * width);
  {
    nb::gil_scoped_release release;
    search::Difference difference;
    for (std::size_t a = 0; a < width; ++a) {
      difference.prepare(plan, a, plan[a].coded(), query.data()[a]);
      for (std::size_t i = 0; i < n; ++i) {
        const double cell = rows.data()[i * width + a];
        out[i * width + a] = cell != cell ? difference.against_missing() : difference.against(cell);
      }
    }
  }
  return to_numpy(std::move(out), {n, width});
}

bool are_cells(Vector numbers, std::int32_t levels, bool may_miss) {
  nb::gil_scoped_release release;
  return base::are_cells(numbers.data(), numbers.size(), levels, may_miss);
}

// Indexes ----------------------------------------------------------------------------------------------------------

using Stored = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;  // of integers of at most 32 bits

nb::ndarray<nb::numpy, std::uint8_t> holds(View& self, Ids ids) {
  std::vector<std::uint8_t> held(ids.size());
  const Snapshot rows = self.now();
  {
    const SharedHold hold(rows.shared().gate);
    for (std::size_t i = 0; i < ids.size(); ++i)
      held[i] = rows.shared().index.has(ids.data()[i], rows.version().number);
  }
  return to_numpy(std::move(held));
}

void append(View& self, Ids ids, Matrix rows, std::size_t threads) {
  require_distinct(ids);
  const std::size_t n = ids.size(), used = usable_threads(threads);
  nb::gil_scoped_release release;
  self.advance([&](const Snapshot& before) {
    require(rows.shape(0) == n && rows.shape(1) == before.shared().coded.size(), "rows and ids do not match");
    return before.appended(ids.data(), rows.data(), n, used);
  });
}

void remove(View& self, Ids ids) {
  require_distinct(ids);
  nb::gil_scoped_release release;
  self.advance([&](const Snapshot& before) { return before.removed(ids.data(), ids.size()); });
}

void check_queries(const Snapshot& rows, const search::Plan& plan, const Matrix& queries, const Matrix& weights) {
  plan.require_complete();
  const std::size_t n = rows.shared().coded.size();
  require(plan.size() == n && queries.shape(1) == n && weights.shape(1) == n,
          "plan, queries and weights differ in width");
  require(weights.shape(0) == 1 || weights.shape(0) == queries.shape(0), "one row of weights, or one per query");
  for (std::size_t i = 0; i < weights.size(); ++i)
    require(weights.data()[i] >= 0.0 && std::isfinite(weights.data()[i]), "weights must be finite and at least 0");
}

nb::tuple run(const Snapshot& rows, const search::Plan& plan, const search::Request& request) {
  std::vector<std::vector<search::Found>> results;
  {
    nb::gil_scoped_release release;
    rows.prepare(plan, request.queries, request.n_queries, request.threads);
    results = rows.shared().index.search(plan, request);
  }
  return PackedLists(results).take();
}

search::Request request_for(const Snapshot& rows, const search::Plan& plan, const Matrix& queries,
                            const Matrix& weights, const std::optional<Ids>& exclude, int algorithm,
                            std::size_t threads) {
  check_queries(rows, plan, queries, weights);
  require(!exclude || exclude->size() == queries.shape(0), "one row to exclude per query");
  search::Request request;
  request.queries = queries.data();
  request.n_queries = queries.shape(0);
  request.weights = weights.data();
  request.weights_per_query = weights.shape(0) > 1;
  request.exclude = exclude ? exclude->data() : nullptr;
  request.algorithm = checked_option(algorithm, search::Algorithm::plain, "no such algorithm");
  request.threads = usable_threads(threads);
  request.version = rows.version().number;
  request.gate = &rows.shared().gate;
  return request;
}

nb::tuple kneighbors(View& self, const search::Plan& plan, Matrix queries, Matrix weights, std::size_t k,
                     bool ties, std::optional<Ids> exclude, int algorithm, std::size_t threads) {
  require(k > 0, "k must be at least 1");
  const Snapshot rows = self.now();
  search::Request request = request_for(rows, plan, queries, weights, exclude, algorithm, threads);
  request.k = k;
  request.ties = ties;
  return run(rows, plan, request);
}

nb::tuple within(View& self, const search::Plan& plan, Matrix queries, Matrix weights, Vector limits,
                 std::optional<Ids> exclude, int algorithm, std::size_t threads) {
  require(limits.size() == queries.shape(0), "one limit per query");
  const Snapshot rows = self.now();
  search::Request request = request_for(rows, plan, queries, weights, exclude, algorithm, threads);
  request.limits = limits.data();
  return run(rows, plan, request);
}

votes::Poll voters_on(View& self, const search::Plan& plan, Matrix query, Matrix weights, std::size_t k,
                      bool ties, int vote, double power, bool root, int algorithm) {
  require(k > 0 && query.shape(0) == 1, "one query and at least one voter");
  require(power > 0.0 && std::isfinite(power), "the power is finite and above 0");
  const auto rule = checked_option(vote, votes::VoteRule::inverse_square, "no such vote");
  const Snapshot rows = self.now();
  search::Request request = request_for(rows, plan, query, weights, std::nullopt, algorithm, 1);
  request.k = k;
  request.ties = ties;
  votes::Poll voters;
  nb::gil_scoped_release release;
  rows.prepare(plan, request.queries, 1, 1);
  static thread_local search::Seeker seeker;  // keeps its memory from one query to the next
  voters.take(rows.shared().index.find(plan, seeker, request), base::Root(power, root), rule);
  return voters;
}

// Returns the voters on one query; None if one of them is infinitely far away.
nb::object poll(View& self, const search::Plan& plan, Matrix query, Matrix weights, std::size_t k, bool ties,
                int vote, double power, bool root, int algorithm) {
  votes::Poll voters = voters_on(self, plan, query, weights, k, ties, vote, power, root, algorithm);
  if (voters.endless() < voters.ids.size()) return nb::none();
  return nb::make_tuple(to_numpy(std::move(voters.ids)), to_numpy(std::move(voters.distances)),
                        to_numpy(std::move(voters.votes)));
}

std::int64_t code_at(const Stored& codes, std::size_t i) {
  switch (codes.itemsize()) {
    case 1: return static_cast<const std::int8_t*>(codes.data())[i];
    case 2: return static_cast<const std::int16_t*>(codes.data())[i];
    default: return static_cast<const std::int32_t*>(codes.data())[i];
  }
}

// Returns the class that the voters on one query elect; -1 if a voter is infinitely far away, or for a tie that the
// caller must break. codes: the code of each stored row; of_code: the class of each code.
std::int64_t winner(View& self, const search::Plan& plan, Matrix query, Matrix weights, std::size_t k,
                    bool ties, int vote, double power, bool root, int algorithm, Ids ids, Stored codes, Ids of_code,
                    std::size_t n_classes, int vote_ties) {
  require(codes.dtype().code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Int) && codes.itemsize() <= 4,
          "codes are integers of at most 32 bits");
  require(ids.size() == codes.size(), "one code per id");
  const auto rule = checked_option(vote_ties, votes::VoteTies::reduce, "no such rule for ties");
  votes::Poll voters = voters_on(self, plan, query, weights, k, ties, vote, power, root, algorithm);
  require(!voters.ids.empty(), "there are no voters: no row is stored");
  if (voters.endless() < voters.ids.size()) return -1;
  const votes::Positions position(ids.data(), ids.size());
  std::int64_t most = 0;  // classes from here on have no votes
  for (std::int64_t& voter : voters.ids) {
    const std::int64_t code = code_at(codes, position(voter));
    require(code >= 0 && static_cast<std::size_t>(code) < of_code.size(), "no such code");
    voter = of_code.data()[code];
    require(voter >= 0 && static_cast<std::size_t>(voter) < n_classes, "no such class");
    most = std::max(most, voter + 1);
  }
  votes::Election election(rule, nullptr, static_cast<std::size_t>(most));
  return election.winner({voters.ids.data(), voters.votes.data(), voters.distances.data(), voters.ids.size()});
}

nb::ndarray<nb::numpy, double> costs(View& self, const search::Plan& plan, Matrix queries, Matrix weights, Ids ids,
                                     std::size_t threads) {
  const Snapshot rows = self.now();
  check_queries(rows, plan, queries, weights);
  SharedIndex& shared = rows.shared();
  const std::size_t n = ids.size(), m = queries.shape(0), width = shared.coded.size();
  std::vector<double> out(n * m);
  {
    nb::gil_scoped_release release;
    shared.require_cover(plan, rows.version(), queries.data(), m);
    // Blocks are pieces of the rows for one query, since one query may take long if there are many rows.
    constexpr std::size_t cells_in_piece = 1 << 15;
    const std::size_t piece = std::max<std::size_t>(1, cells_in_piece / width), pieces = (n + piece - 1) / piece;
    const std::size_t least = cells_in_piece / std::max<std::size_t>(1, std::min(n, piece) * width);
    const auto make = [&] {
      return [&, seeker = search::Seeker()](std::size_t block, std::size_t) mutable {
        const std::size_t q = block / pieces, first = block % pieces * piece, last = std::min(first + piece, n);
        const double* const own = weights.data() + (weights.shape(0) > 1 ? q * width : 0);
        const std::shared_lock hold(shared.gate);
        for (std::size_t i = first; i < last; ++i)
          if (!shared.index.has(ids.data()[i], rows.version().number)) throw std::out_of_range("no such row id");
        shared.index.costs(plan, seeker, queries.data() + q * width, own, ids.data() + first, last - first,
                           out.data() + q * n + first);
      };
    };
    base::for_blocks(m * pieces, 1, usable_threads(threads), make, least);
  }
  return to_numpy(std::move(out), {m, n});
}

void organise(View& self, const search::Plan& plan, std::size_t threads) {
  plan.require_complete();
  const Snapshot rows = self.now();
  require(plan.size() == rows.shared().coded.size(), "plan and index differ in width");
  const std::size_t used = usable_threads(threads);
  nb::gil_scoped_release release;
  rows.prepare(plan, nullptr, 0, used);
}

// The arrays of an index, to be kept in a file -----------------------------------------------------------------------

template <class T>
nb::ndarray<nb::numpy, const T> as_numpy(const base::Shared<T>& array) {
  auto shared = std::make_unique<base::Shared<T>>(array);
  const T* const data = shared->data();
  const std::size_t size = shared->size();
  nb::capsule owner(shared.release(), [](void* p) noexcept { delete static_cast<base::Shared<T>*>(p); });
  return nb::ndarray<nb::numpy, const T>(data, {size}, owner);
}

nb::dict parts(View& self, const search::Plan* plan, std::size_t threads) {
  const Snapshot rows = self.now();
  if (plan != nullptr) {
    plan->require_complete();
    require(plan->size() == rows.shared().coded.size(), "plan and index differ in width");
  }
  const std::size_t used = usable_threads(threads);
  search::Parts parts;
  {
    nb::gil_scoped_release release;
    parts = rows.parts(plan, used);
  }
  nb::dict found;
  found["codes"] = as_numpy(parts.codes);
  found["boxes"] = as_numpy(parts.boxes);
  found["symbols"] = as_numpy(parts.symbols);
  found["cells"] = as_numpy(parts.cells);
  found["slot_of_id"] = as_numpy(parts.slot_of_id);
  found["id_of_slot"] = as_numpy(parts.id_of_slot);
  found["numbers"] = to_numpy(std::vector<std::int64_t>{parts.first_id, parts.dead, parts.ordered});
  found["wide"] = to_numpy(std::move(parts.wide));
  found["largest"] = to_numpy(std::move(parts.largest));
  found["n_edges"] = to_numpy(std::move(parts.n_edges));
  found["edges"] = to_numpy(std::move(parts.edges));
  found["lows"] = to_numpy(std::move(parts.lows));
  found["highs"] = to_numpy(std::move(parts.highs));
  found["cut_attributes"] = to_numpy(std::move(parts.cut_attributes));
  found["cut_values"] = to_numpy(std::move(parts.cut_values));
  return found;
}

template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
Array<T> part(const nb::dict& parts, const char* name) {
  Array<T> found;
  require(parts.contains(name) && nb::try_cast<Array<T>>(parts[name], found, false),
          "an array is missing or has the wrong type");
  return found;
}

template <class T>
std::vector<T> copied(const nb::dict& parts, const char* name) {
  const Array<T> found = part<T>(parts, name);
  return {found.data(), found.data() + found.size()};
}

// Shares the memory of the array if it starts on a cache line; otherwise copies it.
template <class T>
base::Shared<T> shared(const nb::dict& parts, const char* name) {
  const Array<T> found = part<T>(parts, name);
  std::shared_ptr<nb::object> owner(new nb::object(nb::borrow(parts[name])), [](nb::object* object) {
    nb::gil_scoped_acquire acquire;
    delete object;
  });
  base::Shared<T> array(found.data(), found.size(), std::move(owner));
  if (reinterpret_cast<std::uintptr_t>(found.data()) % 64 != 0) array.writable();
  return array;
}

void from_parts(View* self, Flags coded, nb::dict given, std::size_t threads) {
  search::Parts parts{shared<std::uint8_t>(given, "codes"),   shared<std::uint8_t>(given, "boxes"),
                      shared<std::uint8_t>(given, "symbols"), shared<double>(given, "cells"),
                      shared<std::uint32_t>(given, "slot_of_id"), shared<std::uint32_t>(given, "id_of_slot")};
  const std::vector<std::int64_t> numbers = copied<std::int64_t>(given, "numbers");
  require(numbers.size() == 3, "'numbers' must have three entries");
  parts.first_id = numbers[0];
  parts.dead = numbers[1];
  parts.ordered = numbers[2];
  parts.wide = copied<std::uint8_t>(given, "wide");
  parts.largest = copied<std::int64_t>(given, "largest");
  parts.n_edges = copied<std::int64_t>(given, "n_edges");
  parts.edges = copied<double>(given, "edges");
  parts.lows = copied<double>(given, "lows");
  parts.highs = copied<double>(given, "highs");
  parts.cut_attributes = copied<std::uint32_t>(given, "cut_attributes");
  parts.cut_values = copied<double>(given, "cut_values");
  const std::vector<std::uint8_t> flags = copy(coded);
  const std::size_t used = usable_threads(threads);
  nb::gil_scoped_release release;
  new (self) View(flags, parts, used);
}

}  // namespace

void bind_search(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<search::StoredTexts>(module, "StoredTexts",
                                  "TF-IDF vectors of stored texts, with the texts that have each token.")
      .def("__init__", &make_texts, "parts"_a, "n_codes"_a, "words"_a)
      .def("among", &among, "codes"_a)
      .def("differences", &text_differences, "parts"_a, "n"_a)
      .def("differences_among", &differences_among, "codes"_a);
  nb::class_<search::Plan>(module, "Plan",
                           "How two rows differ: one difference per attribute, a power, and a rule for missing values.")
      .def(nb::init<std::size_t, double, bool, bool, double, bool>(), "n_attributes"_a, "power"_a, nb::kw_only(),
           "skip"_a = false, "mean"_a = false, "nothing_shared"_a = base::infinity, "root"_a = false)
      .def("linear", &linear, "a"_a, "scale"_a, nb::kw_only(), "low"_a = 0.0, "high"_a = 0.0, "widen"_a = false,
           "cap"_a = false, "coded"_a = false, "aha"_a = false, "f_one"_a = 1.0, "f_both"_a = 1.0, "f_unseen"_a = 1.0)
      .def("periodic", &periodic, "a"_a, "periods"_a, "shares"_a, nb::kw_only(), "scale"_a = 0.0, "line_share"_a = 0.0,
           "f_one"_a = 1.0, "f_both"_a = 1.0, "f_unseen"_a = 1.0)
      .def("curve", &curve, "a"_a, "breaks"_a, "profiles"_a, nb::kw_only(), "step"_a, "exponent"_a, "factor"_a,
           "root"_a, "f_one"_a = 1.0, "f_both"_a = 1.0, "f_unseen"_a = 1.0)
      .def("overlap", &overlap, "a"_a, nb::kw_only(), "f_differ"_a = 1.0, "f_one"_a = 1.0, "f_both"_a = 1.0,
           "f_unseen"_a = 1.0)
      .def("profile", &profile, "a"_a, "profiles"_a, "factors"_a, "unseen"_a.none(), "unseen_factor"_a, "f_unseen"_a,
           nb::kw_only(), "exponent"_a, "root"_a, "f_one"_a = 1.0, "f_both"_a = 1.0, "missing"_a.none() = nb::none(),
           "missing_factor"_a = 1.0)
      .def("table", &table, "a"_a, "matrix"_a, nb::kw_only(), "rows"_a.none() = nb::none(),
           "columns"_a.none() = nb::none(), "f_one"_a = 1.0, "f_both"_a = 1.0, "f_unseen"_a = 1.0)
      .def("asked", &asked, "a"_a, "row_of"_a, nb::kw_only(), "columns"_a.none() = nb::none(), "f_one"_a = 1.0,
           "f_both"_a = 1.0, "f_unseen"_a = 1.0)
      .def("texts", &texts, "a"_a, "stored"_a, "labels"_a, "unseen"_a, nb::kw_only(), "f_one"_a = 1.0, "f_both"_a = 1.0,
           "f_unseen"_a = 1.0)
      .def("differences", &differences, "query"_a, "rows"_a)
      .def("__len__", &search::Plan::size);
  module.def("are_cells", &are_cells, "numbers"_a.noconvert(), "levels"_a, "may_miss"_a,
             "Whether all numbers are finite, or missing if may_miss; with levels > 0, also integers from 0 to levels "
             "- 1.");
  nb::class_<View>(module, "Index", "An index of stored rows, with exact search.")
      .def("__init__", [](View* self, Flags coded) {
        new (self) View({coded.data(), coded.data() + coded.size()});
      }, nb::arg("coded"))
      .def("__init__", &from_parts, nb::arg("coded"), nb::arg("parts"), nb::arg("threads"))
      .def("fork", [](const View& self) { return new View(self); }, nb::rv_policy::take_ownership)
      .def("parts", &parts, nb::arg("plan").none() = nb::none(), nb::arg("threads") = 1)
      .def("append", &append, nb::arg("ids"), nb::arg("rows"), nb::arg("threads") = 1)
      .def("remove", &remove, nb::arg("ids"))
      .def("organise", &organise, nb::arg("plan"), nb::arg("threads"))
      .def("kneighbors", &kneighbors, nb::arg("plan"), nb::arg("queries"), nb::arg("weights"), nb::arg("k"),
           nb::arg("ties"), nb::arg("exclude").none(), nb::arg("algorithm"), nb::arg("threads"))
      .def("within", &within, nb::arg("plan"), nb::arg("queries"), nb::arg("weights"), nb::arg("limits"),
           nb::arg("exclude").none(), nb::arg("algorithm"), nb::arg("threads"))
      .def("poll", &poll, nb::arg("plan"), nb::arg("query"), nb::arg("weights"), nb::arg("k"), nb::arg("ties"),
           nb::arg("vote"), nb::arg("power"), nb::arg("root"), nb::arg("algorithm"))
      .def("winner", &winner, nb::arg("plan"), nb::arg("query"), nb::arg("weights"), nb::arg("k"), nb::arg("ties"),
           nb::arg("vote"), nb::arg("power"), nb::arg("root"), nb::arg("algorithm"), nb::arg("ids"), nb::arg("codes"),
           nb::arg("of_code"), nb::arg("n_classes"), nb::arg("vote_ties"))
      .def("costs", &costs, nb::arg("plan"), nb::arg("queries"), nb::arg("weights"), nb::arg("ids"), nb::arg("threads"))
      .def("holds", &holds, nb::arg("ids"))
      .def("torn_by_fork", &View::torn_by_fork)
      .def("__len__", [](const View& self) { return self.now().version().n_rows; })
      .def_prop_ro("nbytes", [](const View& self) {
        const Snapshot rows = self.now();
        const SharedHold hold(rows.shared().gate);
        return rows.shared().index.n_bytes();
      });
}

}  // namespace priorcase::bindings
