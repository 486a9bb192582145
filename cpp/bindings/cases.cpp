#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <nanobind/stl/optional.h>

#include "bindings/checks.hpp"
#include "cases/edit_distance.hpp"
#include "cases/loops.hpp"
#include "cases/similarity.hpp"

namespace priorcase::bindings {

namespace {

using Doubles = nb::ndarray<nb::numpy, double>;
using Codes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Characters = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Texts -----------------------------------------------------------------------------------------------------------

void make_texts(cases::PackedTexts* self, Characters characters, Ids offsets) {
  require_lists(offsets, characters.size());
  require(characters.size() <= std::numeric_limits<std::int32_t>::max(), "texts of at most 2^31 - 1 characters");
  require(offsets.size() - 1 <= std::numeric_limits<std::int32_t>::max(), "at most 2^31 - 1 texts");
  nb::gil_scoped_release release;
  const auto known = [](std::uint32_t character) { return character <= cases::last_character; };
  require(std::all_of(characters.data(), characters.data() + characters.size(), known), "no such character");
  new (self) cases::PackedTexts(characters.data(), offsets.data(), offsets.size() - 1);
}

template <class Measured>
auto measured(const cases::PackedTexts& texts, const Characters& asked, std::size_t threads, const Measured& measure) {
  require(asked.size() <= std::numeric_limits<std::int32_t>::max(), "texts of at most 2^31 - 1 characters");
  auto found = [&] {
    nb::gil_scoped_release release;
    return measure(asked.data(), asked.size(), texts, usable_threads(threads));
  }();
  return to_numpy(std::move(found));
}

// Postings --------------------------------------------------------------------------------------------------------

// Postings, and the arrays that they view.
struct TermPostings {
  Codes holders;
  std::optional<Vector> weights;
  cases::Postings postings;
};

void make_postings(TermPostings* self, Ids starts, Codes holders, std::optional<Vector> weights,
                   std::size_t n_values) {
  require_lists(starts, holders.size());
  require(!weights || weights->size() == holders.size(), "one weight for each entry");
  require(n_values <= std::numeric_limits<std::int32_t>::max(), "at most 2^31 - 1 values");
  cases::Postings postings = [&] {
    nb::gil_scoped_release release;
    const auto inside = [n_values](std::int32_t holder) { return static_cast<std::uint32_t>(holder) < n_values; };
    require(std::all_of(holders.data(), holders.data() + holders.size(), inside), "no such value");
    return cases::Postings({starts.data(), starts.data() + starts.size()}, holders.data(),
                           weights ? weights->data() : nullptr, n_values);
  }();
  new (self) TermPostings{std::move(holders), std::move(weights), std::move(postings)};
}

Doubles sums_of_postings(const TermPostings& held, Ids terms, Vector term_weights) {
  require(terms.size() == term_weights.size(), "one weight for each term");
  require_below(terms, static_cast<std::int64_t>(held.postings.n_terms()), "no such term");
  std::vector<double> sums;
  {
    nb::gil_scoped_release release;
    sums = held.postings.products(terms.data(), term_weights.data(), terms.size());
  }
  return to_numpy(std::move(sums));
}

Doubles similarities_of_sets(const TermPostings& held, const std::vector<std::int64_t>& terms, std::size_t asked,
                             int measure) {
  const auto chosen = checked_option(measure, cases::SetMeasure::overlap, "no such measure of sets");
  const auto n_terms = static_cast<std::int64_t>(held.postings.n_terms());
  for (const std::int64_t term : terms) require(term >= 0 && term < n_terms, "no such term");
  std::vector<std::int64_t> sorted = terms;
  std::sort(sorted.begin(), sorted.end());
  require(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end(), "a term is given twice");
  require(terms.size() <= asked, "asked must be at least the number of terms");
  std::vector<double> found;
  {
    nb::gil_scoped_release release;
    found = held.postings.set_similarities(terms, asked, chosen);
  }
  return to_numpy(std::move(found));
}

// Cases -----------------------------------------------------------------------------------------------------------

// The codes of all cases in one column, checked once, and the groups of its values. Keeps the array alive.
struct CodedColumn {
  Codes codes;
  cases::ValueGroups groups;
};

void make_column(CodedColumn* self, Codes codes, std::size_t n_values, std::optional<Vector> numbers,
                 const CodedColumn* earlier) {
  require(n_values <= std::numeric_limits<std::int32_t>::max(), "at most 2^31 - 1 values");
  require(!numbers || numbers->size() == n_values, "one number for each value");
  cases::ValueGroups groups = [&] {
    nb::gil_scoped_release release;
    const auto n = static_cast<std::int32_t>(n_values);
    const auto known = [n](std::int32_t code) { return code < n; };
    require(std::all_of(codes.data(), codes.data() + codes.size(), known), "a code must be below the number of values");
    if (numbers) {
      const auto ordered = [](double number) { return !std::isnan(number); };
      require(std::all_of(numbers->data(), numbers->data() + n_values, ordered), "numbers are not NaN");
    }
    if (earlier && earlier->codes.data() != codes.data()) {
      const std::int32_t* const before = earlier->codes.data();
      const std::size_t n_before = earlier->codes.size();
      require(n_before <= codes.size() && std::equal(before, before + n_before, codes.data()),
              "the column must begin with the codes of the earlier one");
    }
    return cases::ValueGroups(codes.data(), codes.size(), numbers ? numbers->data() : nullptr, n_values,
                              earlier ? &earlier->groups : nullptr);
  }();
  new (self) CodedColumn{std::move(codes), std::move(groups)};
}

void require_weights(const Vector& weights, std::size_t width) {
  require(weights.size() == width, "one weight for each attribute");
  require(std::all_of(weights.data(), weights.data() + width, is_weight), "weights are finite and not negative");
}

// Returns the mask, which is required without attributes: nothing else tells the number of cases then.
const std::uint8_t* checked_mask(const std::optional<Flags>& mask, std::size_t n_cases, std::size_t width) {
  require(n_cases == 0 || width > 0 || mask, "without attributes, a mask is required");
  require(!mask || mask->size() == n_cases, "the mask must have one entry for each case");
  return mask ? mask->data() : nullptr;
}

cases::AskedAttribute asked(const Codes& codes, std::size_t n_cases, const double* table, std::size_t n_values,
                            double weight) {
  require(codes.size() == n_cases, "one code for each case");
  require(n_values <= std::numeric_limits<std::int32_t>::max(), "at most 2^31 - 1 values");
  return {codes.data(), table, n_values, weight};
}

nb::tuple py_best_cases(std::size_t n_cases, const std::vector<const CodedColumn*>& columns,
                        const std::vector<Vector>& tables, Vector weights, std::optional<Flags> mask, std::size_t k,
                        bool ignore, std::size_t threads) {
  require(columns.size() == tables.size(), "one table for each attribute");
  require_weights(weights, columns.size());
  const std::uint8_t* const allowed = checked_mask(mask, n_cases, columns.size());
  cases::Query query{{}, n_cases, ignore};
  query.attributes.reserve(columns.size());
  for (std::size_t a = 0; a < columns.size(); ++a) {
    require(columns[a] != nullptr, "columns are not None");
    query.attributes.push_back(
        asked(columns[a]->codes, n_cases, tables[a].data(), tables[a].size(), weights.data()[a]));
    query.attributes.back().groups = &columns[a]->groups;
    require(tables[a].size() == columns[a]->groups.n_values(), "one similarity for each value");
  }
  std::vector<std::int64_t> positions;
  std::vector<double> similarities, local;
  {
    nb::gil_scoped_release release;
    const std::vector<cases::Match> found = cases::best_cases(query, allowed, k, usable_threads(threads));
    for (const cases::Match& match : found) {
      positions.push_back(match.position);
      similarities.push_back(match.similarity);
    }
    local = cases::local_similarities(query, found);
  }
  const std::vector<std::size_t> shape{positions.size(), columns.size()};
  return nb::make_tuple(to_numpy(std::move(positions)), to_numpy(std::move(similarities)),
                        to_numpy(std::move(local), shape));
}

Doubles py_all_similarities(std::size_t n_cases, const std::vector<Codes>& codes, const std::vector<Vector>& tables,
                            Vector weights, bool ignore, std::size_t threads) {
  require(codes.size() == tables.size(), "one table for each attribute");
  require_weights(weights, codes.size());
  checked_mask(std::nullopt, n_cases, codes.size());
  cases::Query query{{}, n_cases, ignore};
  for (std::size_t a = 0; a < codes.size(); ++a)
    query.attributes.push_back(asked(codes[a], n_cases, tables[a].data(), tables[a].size(), weights.data()[a]));
  std::vector<double> found;
  {
    nb::gil_scoped_release release;
    query.check();
    found = cases::all_similarities(query, usable_threads(threads));
  }
  return to_numpy(std::move(found));
}

nb::tuple py_best_cases_many(std::size_t n_cases, const std::vector<Codes>& codes,
                             const std::vector<Codes>& query_codes, const std::vector<Matrix>& tables, Vector weights,
                             Ids own, std::optional<Flags> mask, std::size_t k, bool ignore, std::size_t threads) {
  require(codes.size() == tables.size() && codes.size() == query_codes.size(), "one table for each attribute");
  require_weights(weights, codes.size());
  cases::ManyQueries queries{{}, own.data(), own.size(), n_cases, checked_mask(mask, n_cases, codes.size()), ignore};
  for (std::size_t a = 0; a < codes.size(); ++a) {
    require(query_codes[a].size() == own.size(), "one code for each query");
    const auto of_cases = asked(codes[a], n_cases, tables[a].data(), tables[a].shape(1), weights.data()[a]);
    queries.attributes.push_back({query_codes[a].data(), tables[a].shape(0), of_cases});
  }
  k = std::min(k, n_cases);
  std::vector<std::int64_t> positions;
  std::vector<double> similarities;
  {
    nb::gil_scoped_release release;
    queries.check();
    positions.assign(own.size() * k, -1);
    similarities.assign(own.size() * k, 0.0);
    cases::best_cases_many(queries, k, usable_threads(threads), positions.data(), similarities.data());
  }
  const std::vector<std::size_t> shape{own.size(), k};
  return nb::make_tuple(to_numpy(std::move(positions), shape), to_numpy(std::move(similarities), shape));
}

// The codes and values of all columns, from which cases are retrieved. Keeps the arrays and tuples alive.
class CaseValues {
 public:
  CaseValues(std::vector<Codes> codes, std::vector<nb::tuple> values)
      : codes_(std::move(codes)), values_(std::move(values)) {
    require(codes_.size() == values_.size(), "one tuple of values for each column");
    for (const Codes& column : codes_) require(column.size() == codes_[0].size(), "one code for each case");
  }

  // Returns, for each column, the values of the given cases; None for a missing value.
  nb::list at(Ids positions) const {
    require_below(positions, codes_.empty() ? 0 : static_cast<std::int64_t>(codes_[0].size()), "no such case");
    nb::list found;
    for (std::size_t a = 0; a < codes_.size(); ++a) {
      nb::list column;
      for (std::size_t i = 0; i < positions.size(); ++i) {
        const std::int32_t code = codes_[a].data()[positions.data()[i]];
        require(code < static_cast<std::int64_t>(values_[a].size()), "a code must be below the number of values");
        column.append(code < 0 ? nb::none() : nb::borrow(values_[a][static_cast<std::size_t>(code)]));
      }
      found.append(column);
    }
    return found;
  }

 private:
  std::vector<Codes> codes_;
  std::vector<nb::tuple> values_;
};

// Numbers ---------------------------------------------------------------------------------------------------------

Doubles py_falling(Vector points, double point, double length, int side) {
  const auto counted = checked_option(side, cases::Side::smaller, "no such side");
  require(!std::isnan(point) && length >= 0.0, "length must not be negative, and point must not be NaN");
  std::vector<double> found(points.size());
  {
    nb::gil_scoped_release release;
    cases::loops().falling(points.data(), points.size(), point, length, counted, found.data());
  }
  return to_numpy(std::move(found));
}

}  // namespace

void bind_cases(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<cases::PackedTexts>(module, "PackedTexts")
      .def("__init__", &make_texts, "characters"_a, "offsets"_a)
      .def("__len__", &cases::PackedTexts::size)
      .def("edit_distances", [](const cases::PackedTexts& texts, Characters asked, std::size_t threads) {
        return measured(texts, asked, threads, cases::edit_distances);
      }, "asked"_a, "threads"_a)
      .def("edit_similarities", [](const cases::PackedTexts& texts, Characters asked, std::size_t threads) {
        return measured(texts, asked, threads, cases::edit_similarities);
      }, "asked"_a, "threads"_a);
  nb::class_<TermPostings>(module, "Postings")
      .def("__init__", &make_postings, "starts"_a, "holders"_a, "weights"_a.none(), "n_values"_a)
      .def("sums", &sums_of_postings, "terms"_a, "term_weights"_a)
      .def("set_similarities", &similarities_of_sets, "terms"_a, "asked"_a, "measure"_a);
  nb::class_<CodedColumn>(module, "CodedColumn")
      .def("__init__", &make_column, "codes"_a, "n_values"_a, "numbers"_a.none() = nb::none(),
           "earlier"_a.none() = nb::none())
      .def("__len__", [](const CodedColumn& column) { return column.codes.size(); });
  module.def("best_cases", &py_best_cases, "n_cases"_a, "columns"_a, "tables"_a, "weights"_a, "mask"_a.none(), "k"_a,
             "ignore"_a, "threads"_a);
  module.def("all_similarities", &py_all_similarities, "n_cases"_a, "codes"_a, "tables"_a, "weights"_a, "ignore"_a,
             "threads"_a);
  module.def("best_cases_many", &py_best_cases_many, "n_cases"_a, "codes"_a, "query_codes"_a, "tables"_a, "weights"_a,
             "own"_a, "mask"_a.none(), "k"_a, "ignore"_a, "threads"_a);
  nb::class_<CaseValues>(module, "CaseValues")
      .def(nb::init<std::vector<Codes>, std::vector<nb::tuple>>(), "codes"_a, "values"_a)
      .def("at", &CaseValues::at, "positions"_a);
  module.def("falling", &py_falling, "points"_a, "point"_a, "length"_a, "side"_a);
}

}  // namespace priorcase::bindings
