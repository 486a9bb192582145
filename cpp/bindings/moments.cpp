#include "priorcase/exact_sum.hpp"

#include <optional>

#include <nanobind/stl/optional.h>

#include "bindings.hpp"

namespace priorcase {

namespace {

using Codes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::tuple exact_sums(Vector values, Codes codes, std::size_t n_classes, std::optional<Vector> weights) {
  if (codes.size() != values.size() || (weights && weights->size() != values.size()))
    throw nb::value_error("values, codes and weights differ in length");
  std::vector<std::int64_t> places;
  std::vector<std::uint64_t> limbs;
  {
    nb::gil_scoped_release release;
    ExactSums sums(n_classes);
    if (!sums.add(values.data(), codes.data(), weights ? weights->data() : nullptr, values.size()))
      throw std::invalid_argument("a value or a weight is infinite, a weight is negative, or a code is too large");
    for (const Term& term : sums.terms()) {
      places.insert(places.end(), {term.code, term.which, term.exponent});
      limbs.insert(limbs.end(), term.value.limb, term.value.limb + 4);
    }
  }
  const std::size_t n = places.size() / 3;
  return nb::make_tuple(to_numpy(std::move(places), {n, 3}), to_numpy(std::move(limbs), {n, 4}));
}

}  // namespace

void bind_moments(nb::module_& module) {
  module.def("exact_sums", &exact_sums, nb::arg("values"), nb::arg("codes"), nb::arg("n_classes"),
             nb::arg("weights").none(),
             "Parts of the exact sums of w, w x and w x^2 in each class: class, which sum and exponent; 256-bit value.");
}

}  // namespace priorcase
