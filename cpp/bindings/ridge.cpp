#include "bindings/checks.hpp"
#include "local/ridge.hpp"

namespace priorcase::bindings {

namespace {

nb::object ridge_rows(Matrix triangle, Matrix block) {
  const std::size_t width = triangle.shape(0);
  require(triangle.shape(1) == width && block.shape(1) == width, "a square triangle and rows of its width");
  std::vector<double> rows = copy(triangle);
  {
    nb::gil_scoped_release release;
    local::RidgeTriangle(rows.data(), width).add(block.data(), block.shape(0));
  }
  return nb::cast(to_numpy(std::move(rows), {width, width}));
}

nb::tuple ridge_spectrum(Matrix triangle, Matrix targets) {
  const std::size_t count = triangle.shape(0), n_targets = targets.shape(1);
  require(triangle.shape(1) == count && targets.shape(0) == count, "a square triangle and targets of its height");
  std::vector<double> singular(count), right(count * count), projected = copy(targets);
  {
    nb::gil_scoped_release release;
    local::RidgeSpectrum(triangle.data(), count, projected.data(), n_targets).write(singular.data(), right.data());
  }
  return nb::make_tuple(to_numpy(std::move(singular)), to_numpy(std::move(right), {count, count}),
                        to_numpy(std::move(projected), {count, n_targets}));
}

nb::tuple ridge_left_out(Matrix rows, Vector means, Matrix right, Matrix weights, Matrix inverses) {
  const std::size_t n = rows.shape(0), count = means.size(), values = weights.shape(0), leverages = inverses.shape(0);
  require(right.shape(0) == count && right.shape(1) == count, "as many directions as columns");
  require(rows.shape(1) == count && weights.shape(1) == count && inverses.shape(1) == count, "rows of one width");
  std::vector<double> fitted(n * values), found(n * leverages);
  {
    nb::gil_scoped_release release;
    local::RidgeDirections directions(means.data(), right.data(), count, weights.data(), values, inverses.data(), leverages);
    directions.write(rows.data(), n, fitted.data(), found.data());
  }
  return nb::make_tuple(to_numpy(std::move(fitted), {n, values}), to_numpy(std::move(found), {n, leverages}));
}

}  // namespace

void bind_ridge(nb::module_& module) {
  module.def("ridge_rows", &ridge_rows, nb::arg("triangle"), nb::arg("block"));
  module.def("ridge_spectrum", &ridge_spectrum, nb::arg("triangle"), nb::arg("targets"));
  module.def("ridge_left_out", &ridge_left_out, nb::arg("rows"), nb::arg("means"), nb::arg("right"),
             nb::arg("weights"), nb::arg("inverses"));
}

}  // namespace priorcase::bindings
