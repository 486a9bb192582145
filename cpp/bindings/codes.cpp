#include "bayes/codes.hpp"

#include "bindings/checks.hpp"

namespace priorcase::bindings {

namespace {

using Codes = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;
using NewCodes = nb::ndarray<nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Table = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T, class Pointer>
using As = std::conditional_t<std::is_const_v<std::remove_pointer_t<Pointer>>, const T*, T*>;

// Calls work with a pointer of the array's own type.
template <class Array, class Work>
void with_codes(const Array& array, const Work& work) {
  auto* data = array.data();  // void, const where the array may only be read
  if (array.dtype() == nb::dtype<std::int8_t>()) work(reinterpret_cast<As<std::int8_t, decltype(data)>>(data));
  else if (array.dtype() == nb::dtype<std::int16_t>()) work(reinterpret_cast<As<std::int16_t, decltype(data)>>(data));
  else if (array.dtype() == nb::dtype<std::int32_t>()) work(reinterpret_cast<As<std::int32_t, decltype(data)>>(data));
  else if (array.dtype() == nb::dtype<std::int64_t>()) work(reinterpret_cast<As<std::int64_t, decltype(data)>>(data));
  else throw nb::value_error("codes are int8, int16, int32 or int64");
}

}  // namespace

void bind_codes(nb::module_& module) {
  module.def("code_counts", [](Codes codes, std::size_t n) {
    std::vector<std::int64_t> counts;
    with_codes(codes, [&](auto* data) { counts = bayes::code_counts(data, codes.stride(0), codes.shape(0), n); });
    return to_numpy(std::move(counts));
  }, nb::arg("codes"), nb::arg("n"), "How many rows hold each code from 0 to n - 1.");
  module.def("factorise", [](nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::device::cpu> items) {
    if (items.shape(1) > 1 && items.stride(1) != 1) throw nb::value_error("the bytes of an item lie side by side");
    if (items.shape(0) > 0x7fffffff) throw nb::value_error("too many items");
    bayes::Factors found;
    {
      nb::gil_scoped_release release;
      found = bayes::factorise(reinterpret_cast<const char*>(items.data()), items.stride(0), items.shape(1), items.shape(0));
    }
    return nb::make_tuple(to_numpy(std::move(found.codes)), to_numpy(std::move(found.first)));
  }, nb::arg("items"), "Numbers of items, rows of bytes, in the order of their first occurrence, and where that is.");
  module.def("recode", [](Codes codes, Table table, NewCodes out) {
    if (out.shape(0) != codes.shape(0)) throw nb::value_error("codes and out differ in length");
    with_codes(codes, [&](auto* from) {
      with_codes(out, [&](auto* to) { bayes::recode(from, codes.stride(0), codes.shape(0), table.data(), table.size(), to); });
    });
  }, nb::arg("codes"), nb::arg("table"), nb::arg("out").noconvert(), "Write the table's entry for each code; -1 beyond it.");
}

}  // namespace priorcase::bindings
