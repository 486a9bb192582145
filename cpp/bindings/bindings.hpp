// Conversions shared by the bindings: arrays in as views, arrays out without a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace priorcase::bindings {

namespace nb = nanobind;

using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Ids = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Flags = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

inline void require(bool holds, const char* rule) {
  if (!holds) throw nb::value_error(rule);
}

template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T> values, std::vector<std::size_t> shape = {}) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  if (shape.empty()) shape = {owned->size()};
  return nb::ndarray<nb::numpy, T>(owned->data(), shape.size(), shape.data(), owner);
}

inline std::vector<double> copy(const Vector& v) { return {v.data(), v.data() + v.size()}; }
inline std::vector<double> copy(const Matrix& m) { return {m.data(), m.data() + m.size()}; }

void bind_plan(nb::module_& module);
void bind_index(nb::module_& module);
void bind_codes(nb::module_& module);
void bind_bayes(nb::module_& module);
void bind_moments(nb::module_& module);
void bind_trees(nb::module_& module);
void bind_concepts(nb::module_& module);
void bind_pebls(nb::module_& module);
void bind_reduction(nb::module_& module);
void bind_prequential(nb::module_& module);
void bind_leave_one_out(nb::module_& module);
void bind_local(nb::module_& module);
void bind_local_classes(nb::module_& module);
void bind_ridge(nb::module_& module);
void bind_relevance(nb::module_& module);
void bind_cases(nb::module_& module);

}  // namespace priorcase::bindings
