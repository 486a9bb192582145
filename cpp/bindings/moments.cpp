#include "bayes/moments.hpp"

#include <optional>

#include <nanobind/stl/optional.h>

#include "bindings/checks.hpp"

namespace priorcase::bindings {

namespace {

using Codes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using State = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

void add_moments(nb::sequence given, Codes codes, std::optional<Vector> weights, State moments,
                 std::size_t threads) {
  const std::size_t n = codes.size(), n_classes = moments.shape(1);
  require(moments.shape(0) == nb::len(given) && moments.shape(2) == 4, "four moments for each column and class");
  require(!weights || weights->size() == n, "codes and weights differ in length");
  require(threads >= 1 && threads <= 1024, "from 1 to 1024 threads");
  std::vector<Vector> arrays;
  std::vector<const double*> columns;
  for (nb::handle column : given) {
    arrays.push_back(nb::cast<Vector>(column));
    require(arrays.back().size() == n, "columns and codes differ in length");
    columns.push_back(arrays.back().data());
  }
  nb::gil_scoped_release release;
  const bool within = std::all_of(codes.data(), codes.data() + n, [&](std::int32_t code) {
    return code < static_cast<std::int64_t>(n_classes);
  });
  if (!within) throw std::invalid_argument("a code is too large");
  bayes::MomentsAdder(std::move(columns), codes.data(), weights ? weights->data() : nullptr)
      .add(n, reinterpret_cast<bayes::RunningMoments*>(moments.data()), n_classes, threads);
}

}  // namespace

void bind_moments(nb::module_& module) {
  module.def("add_moments", &add_moments, nb::arg("columns"), nb::arg("codes"), nb::arg("weights").none(),
             nb::arg("moments").noconvert(), nb::arg("threads"),
             "Add rows to the weight, mean (in two parts) and squared deviations of each column in each class.");
}

}  // namespace priorcase::bindings
