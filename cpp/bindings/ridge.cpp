#include "bindings.hpp"
#include "priorcase/ridge.hpp"

namespace priorcase {

namespace {

nb::object ridge_rows(Matrix triangle, Matrix block) {
  const std::size_t width = triangle.shape(0);
  require(triangle.shape(1) == width && block.shape(1) == width, "a square triangle and rows of its width");
  std::vector<double> rows = copy(triangle);
  {
    nb::gil_scoped_release release;
    RidgeTriangle(rows.data(), width).add(block.data(), block.shape(0));
  }
  return nb::cast(to_numpy(std::move(rows), {width, width}));
}

nb::tuple ridge_spectrum(Matrix triangle, Matrix targets) {
  const std::size_t count = triangle.shape(0), n_targets = targets.shape(1);
  require(triangle.shape(1) == count && targets.shape(0) == count, "a square triangle and targets of its height");
  std::vector<double> singular(count), right(count * count), projected = copy(targets);
  {
    nb::gil_scoped_release release;
    RidgeSpectrum(triangle.data(), count, projected.data(), n_targets).write(singular.data(), right.data());
  }
  return nb::make_tuple(to_numpy(std::move(singular)), to_numpy(std::move(right), {count, count}),
                        to_numpy(std::move(projected), {count, n_targets}));
}

}  // namespace

void bind_ridge(nb::module_& module) {
  module.def("ridge_rows", &ridge_rows, nb::arg("triangle"), nb::arg("block"));
  module.def("ridge_spectrum", &ridge_spectrum, nb::arg("triangle"), nb::arg("targets"));
}

}  // namespace priorcase
