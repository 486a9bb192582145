#include <algorithm>
#include <limits>
#include <optional>

#include <nanobind/stl/optional.h>

#include "bindings.hpp"
#include "priorcase/edit_distance.hpp"
#include "priorcase/postings.hpp"

namespace priorcase {

namespace {

using Doubles = nb::ndarray<nb::numpy, double>;
using Codes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Characters = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

constexpr std::size_t most_threads = 1024;

std::size_t usable(std::size_t threads) { return std::clamp<std::size_t>(threads, 1, most_threads); }

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
  const auto known = [](std::uint32_t character) { return character <= last_character; };
  require(std::all_of(query.data(), query.data() + query.size(), known), "no such character");
  std::vector<std::int32_t> distances;
  {
    nb::gil_scoped_release release;
    const EditPattern asked(query.data(), query.size());
    distances = edit_distances(asked, texts.data(), offsets.data(), offsets.size() - 1, usable(threads));
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
    const Postings postings{indptr.data(), indices.data(), weights ? weights->data() : nullptr, n_values};
    sums = postings.products(terms.data(), term_weights.data(), terms.size());
  }
  return to_numpy(std::move(sums));
}

}  // namespace

void bind_cases(nb::module_& module) {
  using namespace nb::literals;
  module.def("edit_distances", &py_edit_distances, "query"_a, "texts"_a, "offsets"_a, "n_threads"_a);
  module.def("accumulate", &accumulate_postings, "indptr"_a, "indices"_a, "weights"_a.none(), "terms"_a,
             "term_weights"_a, "n_values"_a);
}

}  // namespace priorcase
