#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <nanobind/stl/optional.h>

#include "bindings/checks.hpp"
#include "cases/retrieval.hpp"
#include "cases/edit_distance.hpp"
#include "cases/postings.hpp"

namespace priorcase::bindings {

namespace {

using Doubles = nb::ndarray<nb::numpy, double>;
using Codes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Characters = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

constexpr std::size_t most_threads = 1024;

// Small steps, each about a nanosecond or a few, that one thread does: where the machine is busy, waiting until another
// thread may run takes as long.
constexpr std::size_t few_steps = 1 << 22;

std::size_t usable(std::size_t threads, std::size_t steps) {
  return steps < few_steps ? 1 : std::clamp<std::size_t>(threads, 1, most_threads);
}

void check_lists(const Ids& starts, std::size_t entries) {
  require(starts.size() > 0 && starts.data()[0] == 0, "lists begin at 0");
  for (std::size_t i = 1; i < starts.size(); ++i) require(starts.data()[i - 1] <= starts.data()[i], "lists go on");
  require(static_cast<std::size_t>(starts.data()[starts.size() - 1]) == entries, "lists end with the entries");
}

nb::ndarray<nb::numpy, std::int32_t> py_edit_distances(Characters query, Characters texts, Ids offsets,
                                                       std::size_t threads) {
  constexpr std::size_t longest = std::numeric_limits<std::int32_t>::max();
  check_lists(offsets, texts.size());
  require(query.size() <= longest && texts.size() <= longest, "texts of at most 2^31 - 1 characters");
  const auto known = [](std::uint32_t character) { return character <= cases::last_character; };
  require(std::all_of(query.data(), query.data() + query.size(), known), "no such character");
  std::vector<std::int32_t> distances;
  {
    nb::gil_scoped_release release;
    const cases::EditPattern asked(query.data(), query.size());
    const std::size_t steps = 4 * asked.words() * texts.size();
    distances = cases::edit_distances(asked, {texts.data(), offsets.data(), offsets.size() - 1}, usable(threads, steps));
  }
  return to_numpy(std::move(distances));
}

Doubles accumulate_postings(Ids indptr, Codes indices, std::optional<Vector> weights, Ids terms, Vector term_weights,
                            std::size_t n_values) {
  check_lists(indptr, indices.size());
  require(!weights || weights->size() == indices.size(), "one weight for each entry");
  require(terms.size() == term_weights.size(), "one weight for each term");
  const auto n_terms = static_cast<std::int64_t>(indptr.size()) - 1;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const std::int64_t term = terms.data()[i];
    require(term >= 0 && term < n_terms, "no such term");
    const auto inside = [n_values](std::int32_t holder) { return static_cast<std::uint32_t>(holder) < n_values; };
    const std::int32_t* entries = indices.data();
    require(std::all_of(entries + indptr.data()[term], entries + indptr.data()[term + 1], inside), "no such value");
  }
  std::vector<double> sums;
  {
    nb::gil_scoped_release release;
    const cases::Postings postings{indptr.data(), indices.data(), weights ? weights->data() : nullptr, n_values};
    sums = postings.products(terms.data(), term_weights.data(), terms.size());
  }
  return to_numpy(std::move(sums));
}

// What is the same whether one query or many are asked.
struct Asked {
  Asked(std::size_t n_cases, std::size_t width, const Vector& weights, const std::optional<Flags>& mask)
      : n_cases(n_cases), mask(mask ? mask->data() : nullptr) {
    require(weights.size() == width, "one weight for each attribute");
    const auto good = [](double weight) { return std::isfinite(weight) && weight >= 0.0; };
    require(std::all_of(weights.data(), weights.data() + width, good), "weights are finite and not negative");
    require(!mask || mask->size() == n_cases, "one mark for each case");
  }

  cases::AskedAttribute attribute(const Codes& codes, const double* table, std::size_t n_values, double weight) const {
    const cases::AskedAttribute made{codes.data(), table, n_values, weight};
    require(codes.size() == n_cases, "one code for each case");
    require(n_values <= std::numeric_limits<std::int32_t>::max(), "too many values");
    require(made.fits(n_cases), "a code has no place in its table");
    return made;
  }

  const std::size_t n_cases;
  const std::uint8_t* const mask;
};

cases::CaseScores scores_of(const Asked& asked, const std::vector<Codes>& codes, const std::vector<Vector>& tables,
                     const Vector& weights, bool ignore) {
  require(codes.size() == tables.size(), "one table for each attribute");
  std::vector<cases::AskedAttribute> attributes;
  for (std::size_t a = 0; a < codes.size(); ++a)
    attributes.push_back(asked.attribute(codes[a], tables[a].data(), tables[a].size(), weights.data()[a]));
  return {std::move(attributes), asked.n_cases, ignore};
}

nb::tuple py_best_cases(std::size_t n_cases, const std::vector<Codes>& codes, const std::vector<Vector>& tables,
                        Vector weights, std::optional<Flags> mask, std::size_t k, bool ignore, std::size_t threads) {
  const Asked asked(n_cases, codes.size(), weights, mask);
  const cases::CaseScores scores = scores_of(asked, codes, tables, weights, ignore);
  std::vector<std::int64_t> positions;
  std::vector<double> similarities;
  {
    nb::gil_scoped_release release;
    for (const cases::Match& match : cases::best_cases(scores, asked.mask, k, usable(threads, n_cases * codes.size()))) {
      positions.push_back(match.position);
      similarities.push_back(match.similarity);
    }
  }
  return nb::make_tuple(to_numpy(std::move(positions)), to_numpy(std::move(similarities)));
}

Doubles py_all_similarities(std::size_t n_cases, const std::vector<Codes>& codes, const std::vector<Vector>& tables,
                            Vector weights, bool ignore, std::size_t threads) {
  const Asked asked(n_cases, codes.size(), weights, std::nullopt);
  const cases::CaseScores scores = scores_of(asked, codes, tables, weights, ignore);
  std::vector<double> found;
  {
    nb::gil_scoped_release release;
    found = cases::all_similarities(scores, usable(threads, 4 * n_cases * codes.size()));
  }
  return to_numpy(std::move(found));
}

// For each of some cases and each attribute its similarity, NaN where the case has no value.
Doubles local_similarities(const std::vector<Codes>& codes, const std::vector<Vector>& tables, Ids positions) {
  require(codes.size() == tables.size(), "one table for each attribute");
  const std::size_t width = codes.size(), n = positions.size();
  std::vector<double> found(n * width, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t a = 0; a < width; ++a)
    for (std::size_t i = 0; i < n; ++i) {
      const auto position = static_cast<std::size_t>(positions.data()[i]);
      require(positions.data()[i] >= 0 && position < codes[a].size(), "no such case");
      const std::int32_t code = codes[a].data()[position];
      require(code < static_cast<std::int64_t>(tables[a].size()), "a code has no place in its table");
      if (code >= 0) found[i * width + a] = tables[a].data()[code];
    }
  return to_numpy(std::move(found), {n, width});
}

nb::tuple py_best_cases_many(std::size_t n_cases, const std::vector<Codes>& codes,
                             const std::vector<Codes>& query_codes, const std::vector<Matrix>& tables, Vector weights,
                             Ids own, std::optional<Flags> mask, std::size_t k, bool ignore, std::size_t threads) {
  require(codes.size() == tables.size() && codes.size() == query_codes.size(), "one table for each attribute");
  const Asked asked(n_cases, codes.size(), weights, mask);
  cases::ManyQueries queries{{}, own.data(), own.size(), n_cases, asked.mask, ignore};
  for (std::size_t a = 0; a < codes.size(); ++a) {
    const cases::AskedAttribute attribute =
        asked.attribute(codes[a], tables[a].data(), tables[a].shape(1), weights.data()[a]);
    const auto known = [&](std::int32_t code) { return code < static_cast<std::int64_t>(tables[a].shape(0)); };
    const std::int32_t* told = query_codes[a].data();
    require(query_codes[a].size() == own.size(), "one code for each query");
    require(std::all_of(told, told + own.size(), known), "a query's code has no table");
    queries.attributes.push_back({told, attribute});
  }
  k = std::min(k, n_cases);
  std::vector<std::int64_t> positions(own.size() * k, -1);
  std::vector<double> similarities(own.size() * k, 0.0);
  {
    nb::gil_scoped_release release;
    const std::size_t steps = own.size() * n_cases * codes.size();
    cases::best_cases_many(queries, k, usable(threads, steps), positions.data(), similarities.data());
  }
  const std::vector<std::size_t> shape{own.size(), k};
  return nb::make_tuple(to_numpy(std::move(positions), shape), to_numpy(std::move(similarities), shape));
}

}  // namespace

void bind_cases(nb::module_& module) {
  using namespace nb::literals;
  module.def("edit_distances", &py_edit_distances, "query"_a, "texts"_a, "offsets"_a, "n_threads"_a);
  module.def("accumulate", &accumulate_postings, "indptr"_a, "indices"_a, "weights"_a.none(), "terms"_a,
             "term_weights"_a, "n_values"_a);
  module.def("best_cases", &py_best_cases, "n_cases"_a, "codes"_a, "tables"_a, "weights"_a, "mask"_a.none(), "k"_a,
             "ignore"_a, "threads"_a);
  module.def("all_similarities", &py_all_similarities, "n_cases"_a, "codes"_a, "tables"_a, "weights"_a, "ignore"_a,
             "threads"_a);
  module.def("local_similarities", &local_similarities, "codes"_a, "tables"_a, "positions"_a);
  module.def("best_cases_many", &py_best_cases_many, "n_cases"_a, "codes"_a, "query_codes"_a, "tables"_a, "weights"_a,
             "own"_a, "mask"_a.none(), "k"_a, "ignore"_a, "threads"_a);
}

}  // namespace priorcase::bindings
