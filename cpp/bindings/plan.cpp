#include "search/plan.hpp"

#include <optional>
#include <stdexcept>
#include <utility>

#include <nanobind/stl/optional.h>

#include "bindings/checks.hpp"
#include "search/difference.hpp"

namespace priorcase::bindings {

namespace {

void linear(search::Plan& plan, std::size_t a, double scale, double low, double high, bool widen, bool cap, bool coded,
            bool aha, double f_one, double f_both, double f_unseen) {
  plan.set(a, {search::Linear{scale, low, high, widen, cap, aha, coded}, f_one, f_both, f_unseen});
}

void curve(search::Plan& plan, std::size_t a, Vector breaks, Matrix profiles, bool step, double exponent, double factor,
           bool root, double f_one, double f_both, double f_unseen) {
  require(breaks.size() == profiles.shape(0), "a curve needs one profile per break");
  const search::ProfileRule rule{base::Power(exponent), root};
  plan.set(a, {search::Curve{copy(breaks), copy(profiles), profiles.shape(1), rule, factor, step}, f_one, f_both,
               f_unseen});
}

void overlap(search::Plan& plan, std::size_t a, double f_differ, double f_one, double f_both, double f_unseen) {
  plan.set(a, {search::Overlap{f_differ}, f_one, f_both, f_unseen});
}

void profile(search::Plan& plan, std::size_t a, Matrix profiles, Vector factors, std::optional<Vector> unseen,
             double unseen_factor, double f_unseen, double exponent, bool root, double f_one, double f_both,
             std::optional<Vector> missing, double missing_factor) {
  const std::size_t width = profiles.shape(1);
  require(factors.size() == profiles.shape(0), "one factor per value is needed");
  require(!unseen || unseen->size() == width, "the unseen profile has another width");
  require(!missing || missing->size() == width, "the missing profile has another width");
  const search::ProfileRule rule{base::Power(exponent), root};
  plan.set(a, {search::Profiles{copy(profiles), copy(factors), width, rule,
                                unseen ? copy(*unseen) : std::vector<double>{},
                                missing ? copy(*missing) : std::vector<double>{}, unseen_factor, missing_factor},
               f_one, f_both, f_unseen});
}

void table(search::Plan& plan, std::size_t a, Matrix matrix, double f_one, double f_both, double f_unseen) {
  require(matrix.shape(0) == matrix.shape(1), "a table of differences is square");
  plan.set(a, {search::Table{copy(matrix), matrix.shape(0)}, f_one, f_both, f_unseen});
}

// f of each attribute between one query and some rows, shape (rows, attributes).
nb::ndarray<nb::numpy, double> differences(const search::Plan& plan, Vector query, Matrix rows) {
  const std::size_t n = rows.shape(0), width = plan.size();
  require(query.size() == width && rows.shape(1) == width, "plan, query and rows differ in width");
  require(plan.is_complete(), "the plan lacks an attribute");
  std::vector<std::uint8_t> coded(width);
  for (std::size_t a = 0; a < width; ++a) coded[a] = plan[a].codes_end() < base::infinity;
  if (!plan.knows(coded, query.data(), 1, true)) throw std::out_of_range("the plan does not know the query's code");
  if (!plan.knows(coded, rows.data(), n, false)) throw std::out_of_range("the plan does not know a row's code");
  std::vector<double> out(n * width);
  {
    nb::gil_scoped_release release;
    search::Difference difference;
    for (std::size_t a = 0; a < width; ++a) {
      difference.prepare(plan, a, plan[a].coded(), query.data()[a]);
      for (std::size_t i = 0; i < n; ++i) {
        const double cell = rows.data()[i * width + a];
        out[i * width + a] = cell != cell ? difference.against_missing() : difference.against(cell);
      }
    }
  }
  return to_numpy(std::move(out), {n, width});
}

}  // namespace

void bind_plan(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<search::Plan>(module, "Plan",
                           "How two rows differ: one difference per attribute, a power and a rule for gaps.")
      .def(nb::init<std::size_t, double, bool, bool, double, bool>(), "n_attributes"_a, "power"_a, nb::kw_only(),
           "skip"_a = false, "mean"_a = false, "nothing_shared"_a = base::infinity, "root"_a = false)
      .def("linear", &linear, "a"_a, "scale"_a, nb::kw_only(), "low"_a = 0.0, "high"_a = 0.0, "widen"_a = false,
           "cap"_a = false, "coded"_a = false, "aha"_a = false, "f_one"_a = 1.0, "f_both"_a = 1.0, "f_unseen"_a = 1.0)
      .def("curve", &curve, "a"_a, "breaks"_a, "profiles"_a, nb::kw_only(), "step"_a, "exponent"_a, "factor"_a,
           "root"_a, "f_one"_a = 1.0, "f_both"_a = 1.0, "f_unseen"_a = 1.0)
      .def("overlap", &overlap, "a"_a, nb::kw_only(), "f_differ"_a = 1.0, "f_one"_a = 1.0, "f_both"_a = 1.0,
           "f_unseen"_a = 1.0)
      .def("profile", &profile, "a"_a, "profiles"_a, "factors"_a, "unseen"_a.none(), "unseen_factor"_a, "f_unseen"_a,
           nb::kw_only(), "exponent"_a, "root"_a, "f_one"_a = 1.0, "f_both"_a = 1.0, "missing"_a.none() = nb::none(),
           "missing_factor"_a = 1.0)
      .def("table", &table, "a"_a, "matrix"_a, nb::kw_only(), "f_one"_a = 1.0, "f_both"_a = 1.0, "f_unseen"_a = 1.0)
      .def("differences", &differences, "query"_a, "rows"_a)
      .def("__len__", &search::Plan::size);
}

}  // namespace priorcase::bindings
