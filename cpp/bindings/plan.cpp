#include "search/difference.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <nanobind/stl/optional.h>

#include "bindings/checks.hpp"

namespace priorcase::bindings {

namespace {

using Kind = search::Attribute::Kind;

search::Attribute& define(search::Plan& plan, std::size_t a, Kind kind, double f_one, double f_both, double f_unseen) {
  search::Attribute& attribute = plan.define(a, kind);
  attribute.f_one = f_one;
  attribute.f_both = f_both;
  attribute.f_unseen = f_unseen;
  attribute.coded = kind != Kind::linear && kind != Kind::curve;
  return attribute;
}

template <class Array>
bool all_finite(const Array& numbers) {
  return std::all_of(numbers.data(), numbers.data() + numbers.size(), [](double x) { return std::isfinite(x); });
}

void linear(search::Plan& plan, std::size_t a, double scale, double low, double high, bool widen, bool cap, bool coded, bool aha,
            double f_one, double f_both, double f_unseen) {
  require(scale >= 0, "scale must not be negative");
  search::Attribute& attribute = define(plan, a, Kind::linear, f_one, f_both, f_unseen);
  attribute.coded = coded;
  attribute.scale = scale;
  attribute.low = low;
  attribute.high = high;
  attribute.widen = widen;
  attribute.cap = cap;
  attribute.aha = aha;
}

void curve(search::Plan& plan, std::size_t a, Vector breaks, Matrix profiles, bool step, double exponent, double factor,
           bool root, double f_one, double f_both, double f_unseen) {
  require(breaks.size() > 0 && breaks.size() == profiles.shape(0), "a curve needs one profile per break");
  require(all_finite(profiles), "profiles must be finite");
  search::Attribute& attribute = define(plan, a, Kind::curve, f_one, f_both, f_unseen);
  attribute.breaks = copy(breaks);
  attribute.profiles = copy(profiles);
  attribute.count = breaks.size();
  attribute.width = profiles.shape(1);
  attribute.step = step;
  attribute.factors = {factor};
  attribute.rule = {base::Power(exponent), root};
}

void overlap(search::Plan& plan, std::size_t a, double f_differ, double f_one, double f_both, double f_unseen) {
  define(plan, a, Kind::overlap, f_one, f_both, f_unseen).f_differ = f_differ;
}

void profile(search::Plan& plan, std::size_t a, Matrix profiles, Vector factors, std::optional<Vector> unseen,
             double unseen_factor, double f_unseen, double exponent, bool root, double f_one, double f_both,
             std::optional<Vector> missing, double missing_factor) {
  const std::size_t width = profiles.shape(1);
  require(factors.size() == profiles.shape(0), "one factor per value is needed");
  require(all_finite(factors), "factors must be finite");
  require(all_finite(profiles), "profiles must be finite");
  require(!unseen || unseen->size() == width, "the unseen profile has another width");
  require(!missing || missing->size() == width, "the missing profile has another width");
  search::Attribute& attribute = define(plan, a, Kind::profile, f_one, f_both, f_unseen);
  attribute.profiles = copy(profiles);
  attribute.factors = copy(factors);
  attribute.count = profiles.shape(0);
  attribute.width = width;
  attribute.rule = {base::Power(exponent), root};
  if (unseen) attribute.unseen = copy(*unseen);
  if (missing) attribute.missing = copy(*missing);
  attribute.unseen_factor = unseen_factor;
  attribute.missing_factor = missing_factor;
}

void table(search::Plan& plan, std::size_t a, Matrix matrix, double f_one, double f_both, double f_unseen) {
  require(matrix.shape(0) == matrix.shape(1), "a table of differences is square");
  search::Attribute& attribute = define(plan, a, Kind::table, f_one, f_both, f_unseen);
  attribute.profiles = copy(matrix);
  attribute.count = matrix.shape(0);
  attribute.finite = all_finite(matrix);
}

// f of each attribute between one query and some rows, shape (rows, attributes).
nb::ndarray<nb::numpy, double> differences(const search::Plan& plan, Vector query, Matrix rows) {
  const std::size_t n = rows.shape(0), width = plan.size();
  require(query.size() == width && rows.shape(1) == width, "plan, query and rows differ in width");
  std::vector<double> out(n * width);
  for (std::size_t a = 0; a < width; ++a) {
    require(plan[a].kind != Kind::unset, "the plan lacks an attribute");
    const bool looked_up = plan[a].kind == Kind::profile || plan[a].kind == Kind::table;
    const double query_cell = query.data()[a], count = static_cast<double>(plan[a].count);
    if (looked_up && query_cell >= count) throw std::out_of_range("the plan does not know the query's code");
    search::Difference difference;
    difference.prepare(plan, a, plan[a].coded, query_cell);
    for (std::size_t i = 0; i < n; ++i) {
      const double cell = rows.data()[i * width + a];
      if (looked_up && (cell < 0 || cell >= count)) throw std::out_of_range("the plan does not know a row's code");
      out[i * width + a] = std::isnan(cell) ? difference.against_missing() : difference.against(cell);
    }
  }
  return to_numpy(std::move(out), {n, width});
}

}  // namespace

void bind_plan(nb::module_& module) {
  nb::class_<search::Plan>(module, "Plan", "How two rows differ: one difference per attribute, a power and a rule for gaps.")
      .def(nb::init<std::size_t, double, bool, bool, double, bool>(), nb::arg("n_attributes"), nb::arg("power"), nb::kw_only(),
           nb::arg("skip") = false, nb::arg("mean") = false, nb::arg("nothing_shared") = base::infinity,
           nb::arg("root") = false)
      .def("linear", &linear, nb::arg("a"), nb::arg("scale"), nb::kw_only(), nb::arg("low") = 0.0,
           nb::arg("high") = 0.0, nb::arg("widen") = false, nb::arg("cap") = false, nb::arg("coded") = false,
           nb::arg("aha") = false, nb::arg("f_one") = 1.0, nb::arg("f_both") = 1.0, nb::arg("f_unseen") = 1.0)
      .def("curve", &curve, nb::arg("a"), nb::arg("breaks"), nb::arg("profiles"), nb::kw_only(), nb::arg("step"),
           nb::arg("exponent"), nb::arg("factor"), nb::arg("root"), nb::arg("f_one") = 1.0, nb::arg("f_both") = 1.0,
           nb::arg("f_unseen") = 1.0)
      .def("overlap", &overlap, nb::arg("a"), nb::kw_only(), nb::arg("f_differ") = 1.0, nb::arg("f_one") = 1.0,
           nb::arg("f_both") = 1.0, nb::arg("f_unseen") = 1.0)
      .def("profile", &profile, nb::arg("a"), nb::arg("profiles"), nb::arg("factors"), nb::arg("unseen").none(),
           nb::arg("unseen_factor"), nb::arg("f_unseen"), nb::kw_only(), nb::arg("exponent"), nb::arg("root"),
           nb::arg("f_one") = 1.0, nb::arg("f_both") = 1.0, nb::arg("missing").none() = nb::none(),
           nb::arg("missing_factor") = 1.0)
      .def("table", &table, nb::arg("a"), nb::arg("matrix"), nb::kw_only(), nb::arg("f_one") = 1.0,
           nb::arg("f_both") = 1.0, nb::arg("f_unseen") = 1.0)
      .def("differences", &differences, nb::arg("query"), nb::arg("rows"))
      .def("__len__", &search::Plan::size);
}

}  // namespace priorcase::bindings
