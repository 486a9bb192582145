#include <optional>

#include <nanobind/stl/optional.h>

#include "bindings/checks.hpp"
#include "bayes/counting.hpp"
#include "bayes/scoring.hpp"

namespace priorcase::bindings {

namespace {

constexpr std::size_t most_threads = 1024;

using AnyColumn = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;
using Slots = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Totals = nb::ndarray<std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Scores = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

bayes::Column view(const AnyColumn& array) {
  bayes::Column column;
  if (array.dtype() == nb::dtype<std::int8_t>()) column.type = bayes::CellType::int8;
  else if (array.dtype() == nb::dtype<std::int16_t>()) column.type = bayes::CellType::int16;
  else if (array.dtype() == nb::dtype<std::int32_t>()) column.type = bayes::CellType::int32;
  else if (array.dtype() == nb::dtype<double>()) column.type = bayes::CellType::real;
  else throw nb::value_error("columns are int8, int16, int32 or float64");
  column.data = array.data();
  column.stride = array.stride(0);
  return column;
}

// Columns with, for each, the slots that its codes stand for (None: the model's own codes). The arrays are kept alive.
struct Columns {
  std::vector<AnyColumn> arrays;
  std::vector<Slots> translations;
  std::vector<bayes::Column> views;
  std::size_t rows = 0;

  Columns(nb::sequence given, nb::sequence translate) {
    const std::size_t n = nb::len(given);
    require(nb::len(translate) == n, "one translation for each column");
    for (std::size_t i = 0; i < n; ++i) {
      arrays.push_back(nb::cast<AnyColumn>(given[i]));
      views.push_back(view(arrays.back()));
      if (i == 0) rows = arrays.back().shape(0);
      require(arrays.back().shape(0) == rows, "columns differ in length");
      nb::object slots = translate[i];
      if (slots.is_none()) continue;
      translations.push_back(nb::cast<Slots>(slots));
      views.back().translate = translations.back().data();
      views.back().n_translate = translations.back().size();
    }
  }
};

std::vector<double> ascending(const Vector& cuts) {
  std::vector<double> values = copy(cuts);
  require(std::is_sorted(values.begin(), values.end()), "cuts are not ascending");
  return values;
}

// starts has one entry more than there are columns; cuts holds an array or None for each column.
void count_values(nb::sequence given, nb::sequence cuts, AnyColumn classes, Ids starts, Totals totals, std::int64_t sign,
                  std::size_t threads) {
  const std::size_t n = nb::len(given), rows = classes.shape(0);
  require(starts.size() == n + 1 && nb::len(cuts) == n, "one start and one entry of cuts for each column");
  require(threads >= 1 && threads <= most_threads, "from 1 to 1024 threads");
  std::vector<AnyColumn> arrays;
  std::vector<bayes::CountedColumn> columns(n);
  for (std::size_t i = 0; i < n; ++i) {
    arrays.push_back(nb::cast<AnyColumn>(given[i]));
    require(arrays.back().shape(0) == rows, "columns differ in length");
    const std::int64_t first = starts.data()[i], last = starts.data()[i + 1];
    require(0 <= first && first + bayes::first_slot <= last && last <= static_cast<std::int64_t>(totals.shape(0)), "cells out of order");
    columns[i].column = view(arrays.back());
    columns[i].start = static_cast<std::size_t>(first);
    columns[i].n_slots = static_cast<std::size_t>(last - first);
    nb::object points = cuts[i];
    if (points.is_none()) continue;
    require(columns[i].column.type == bayes::CellType::real, "only numbers are cut");
    columns[i].cuts = ascending(nb::cast<Vector>(points));
    columns[i].cut = true;
  }
  const bayes::Column own = view(classes);
  std::int64_t* into = totals.data();
  const std::size_t n_classes = totals.shape(1);
  nb::gil_scoped_release release;
  bayes::Counter(std::move(columns), own, n_classes).add(rows, sign, into, threads);
}

void add_table(bayes::Scorer& self, std::size_t column, std::size_t start, std::size_t n_slots, std::optional<Vector> cuts) {
  require(n_slots >= bayes::first_slot && start + n_slots <= self.n_cells(), "cells beyond the table");
  bayes::TableTerm term{column, start, n_slots, {}, cuts.has_value()};
  if (cuts) term.cuts = ascending(*cuts);
  self.add(std::move(term));
}

std::vector<bayes::Density> densities(const Matrix& parameters) {
  require(parameters.shape(1) == 4, "a density has four parameters");
  std::vector<bayes::Density> result;
  for (std::size_t k = 0; k < parameters.shape(0); ++k) {
    const double* p = parameters.data() + 4 * k;
    result.push_back({p[0], p[1], p[2], p[3]});
  }
  return result;
}

void add_density(bayes::Scorer& self, std::size_t column, Matrix parameters, bool normal) {
  require(parameters.shape(0) == self.n_classes(), "one density for each class");
  self.add(bayes::DensityTerm{column, normal ? bayes::Shape::normal : bayes::Shape::student, densities(parameters)});
}

// The last row of the parameters is the density without regard to classes.
void add_mixed(bayes::Scorer& self, std::size_t column, Matrix parameters, double log_in, double log_out) {
  require(parameters.shape(0) == self.n_classes() + 1, "one density for each class, and one for all");
  std::vector<bayes::Density> classes = densities(parameters);
  const bayes::Density pooled = classes.back();
  classes.pop_back();
  self.add(bayes::DensityTerm{column, bayes::Shape::mixed, std::move(classes), pooled, log_in, log_out});
}

bayes::Scale scale_of(int scale) {
  require(scale >= 0 && scale <= 2, "scale is 0, 1 or 2");
  return static_cast<bayes::Scale>(scale);
}

void check(const bayes::Scorer& self, const std::vector<bayes::Column>& views, std::size_t rows, const Scores& out) {
  require(out.shape(0) == rows && out.shape(1) == self.n_classes(), "scores have the wrong shape");
  self.check_columns(views);
}

void score(const bayes::Scorer& self, nb::sequence given, nb::sequence translate, int scale, std::size_t threads, Scores out) {
  const Columns columns(given, translate);
  check(self, columns.views, out.shape(0), out);
  require(columns.views.empty() || columns.rows == out.shape(0), "scores have the wrong shape");
  const bayes::Scale wanted = scale_of(scale);
  require(threads >= 1 && threads <= most_threads, "from 1 to 1024 threads");
  nb::gil_scoped_release release;
  self.score(columns.views, out.shape(0), nullptr, wanted, out.data(), threads);
}

void score_cells(const bayes::Scorer& self, Matrix cells, int scale, std::size_t threads, Scores out) {
  std::vector<bayes::Column> columns(cells.shape(1));
  for (std::size_t a = 0; a < columns.size(); ++a)
    columns[a] = {bayes::CellType::real, cells.data() + a, static_cast<std::ptrdiff_t>(cells.shape(1)), nullptr, 0};
  check(self, columns, cells.shape(0), out);
  const bayes::Scale wanted = scale_of(scale);
  require(threads >= 1 && threads <= most_threads, "from 1 to 1024 threads");
  nb::gil_scoped_release release;
  self.score(columns, cells.shape(0), nullptr, wanted, out.data(), threads);
}

void score_left_out(const bayes::Scorer& self, nb::sequence given, nb::sequence translate, AnyColumn own, Slots translate_own,
                    int scale, std::size_t threads, Scores out) {
  const Columns columns(given, translate);
  require(self.leaves_out() && !self.has_densities(), "this scorer cannot leave rows out");
  check(self, columns.views, own.shape(0), out);
  require(columns.views.empty() || columns.rows == own.shape(0), "columns differ in length");
  bayes::Column classes = view(own);
  classes.translate = translate_own.data();
  classes.n_translate = translate_own.size();
  const bayes::Scale wanted = scale_of(scale);
  require(threads >= 1 && threads <= most_threads, "from 1 to 1024 threads");
  nb::gil_scoped_release release;
  self.score(columns.views, own.shape(0), &classes, wanted, out.data(), threads);
}

}  // namespace

void bind_bayes(nb::module_& module) {
  module.def("count_values", &count_values, nb::arg("columns"), nb::arg("cuts"), nb::arg("classes"), nb::arg("starts"),
             nb::arg("totals").noconvert(), nb::arg("sign"), nb::arg("threads"),
             "Add class-conditional counts of some rows to the totals, cells by classes.");
  module.def("normalise_rows", [](Scores joint, int scale) {
    const bayes::Scale wanted = scale_of(scale);
    for (std::size_t r = 0; r < joint.shape(0); ++r) bayes::normalise(joint.data() + r * joint.shape(1), joint.shape(1), wanted);
  }, nb::arg("joint").noconvert(), nb::arg("scale"), "Turn joint logs into (log-)probabilities, in place.");
  nb::class_<bayes::Scorer>(module, "Scorer", "Log-probabilities of classes as sums of terms, one for each attribute.")
      .def("__init__", [](bayes::Scorer* self, Vector prior, Matrix table) {
        require(prior.size() >= 1 && table.shape(1) == prior.size(), "one column for each class");
        new (self) bayes::Scorer(prior.data(), prior.size(), table.data(), table.shape(0));
      }, nb::arg("prior"), nb::arg("table"))
      .def("leave_out", [](bayes::Scorer& self, Vector prior, Matrix table) {
        require(prior.size() == self.n_classes() && table.shape(1) == prior.size() && table.shape(0) == self.n_cells(),
                "the tables differ in shape");
        self.leave_out(prior.data(), table.data());
      }, nb::arg("prior"), nb::arg("table"))
      .def("add_table", &add_table, nb::arg("column"), nb::arg("start"), nb::arg("n_slots"), nb::arg("cuts").none())
      .def("add_density", &add_density, nb::arg("column"), nb::arg("parameters"), nb::arg("normal"))
      .def("add_mixed", &add_mixed, nb::arg("column"), nb::arg("parameters"), nb::arg("log_in"), nb::arg("log_out"))
      .def("score", &score, nb::arg("columns"), nb::arg("translate"), nb::arg("scale"), nb::arg("threads"),
           nb::arg("out").noconvert())
      .def("score_cells", &score_cells, nb::arg("cells"), nb::arg("scale"), nb::arg("threads"), nb::arg("out").noconvert())
      .def("score_left_out", &score_left_out, nb::arg("columns"), nb::arg("translate"), nb::arg("own"),
           nb::arg("translate_own"), nb::arg("scale"), nb::arg("threads"), nb::arg("out").noconvert());
}

}  // namespace priorcase::bindings
