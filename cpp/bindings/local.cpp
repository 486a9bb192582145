#include <cmath>
#include <initializer_list>
#include <limits>
#include <optional>

#include <nanobind/stl/optional.h>

#include "bindings/checks.hpp"
#include "local/classifiers.hpp"
#include "local/design.hpp"
#include "local/ridge.hpp"

namespace priorcase::bindings {

namespace {

void require_columns(const Flags& kinds, const Vector& scales) {
  for (std::size_t a = 0; a < kinds.size(); ++a)
    require(kinds.data()[a] <= local::LocalTable::nominal && std::isfinite(scales.data()[a]) && scales.data()[a] > 0.0,
            "kinds are 0, 1 or 2 and scales are above 0");
}

// Throws unless an array of this shape could exist, so that computing its size cannot overflow.
void require_room(std::initializer_list<std::size_t> shape) {
  std::size_t room = std::size_t{1} << 48;
  for (const std::size_t n : shape) {
    require(n <= room, "the answers would take too much memory");
    room /= std::max<std::size_t>(1, n);
  }
}

// Regressions -----------------------------------------------------------------------------------------------------

// Returns where the coefficients of each attribute start, followed by their total number. A numeric or ordinal
// attribute has one coefficient, a nominal one has one for each value.
std::vector<std::size_t> slots_of(const Flags& kinds, const Ids& values) {
  std::vector<std::size_t> slots{0};
  for (std::size_t a = 0; a < kinds.size(); ++a) {
    require(values.data()[a] >= 0, "numbers of values must not be negative");
    require(values.data()[a] < std::int64_t{1} << 31, "the answers would take too much memory");
    const bool nominal = kinds.data()[a] == local::LocalTable::nominal;
    slots.push_back(slots.back() + (nominal ? static_cast<std::size_t>(values.data()[a]) : 1));
  }
  return slots;
}

nb::dict as_dict(const local::LocalQuestions& questions, local::LocalAnswers answers) {
  using Questions = local::LocalQuestions;
  const std::size_t q = questions.n_queries, t = questions.table.n_targets;
  nb::dict found;
  found["predictions"] = to_numpy(std::move(answers.predictions), {q, t});
  if (questions.wanted & Questions::statistics) {
    found["weight"] = to_numpy(std::move(answers.weight));
    found["squares"] = to_numpy(std::move(answers.squares));
    found["parameters"] = to_numpy(std::move(answers.parameters));
    found["trace"] = to_numpy(std::move(answers.trace));
    found["variance"] = to_numpy(std::move(answers.variance));
    found["rank"] = to_numpy(std::move(answers.rank));
    found["residuals"] = to_numpy(std::move(answers.residuals), {q, t});
  }
  if (questions.own) found["own"] = to_numpy(std::move(answers.own));
  if (questions.wanted & Questions::coefficients)
    found["coefficients"] = to_numpy(std::move(answers.slopes), {q, t, questions.slots.back()});
  if (questions.wanted & Questions::hat_rows) found["hat"] = to_numpy(std::move(answers.hat));
  if (questions.wanted & Questions::left_out) found["loo"] = to_numpy(std::move(answers.loo), {q, t});
  return found;
}

nb::dict local_fits(Ids indptr, Ids rows, Vector weights, std::optional<Vector> repetitions, Matrix cells,
                    Matrix queries, Flags kinds, Vector scales, Matrix targets, int degree, double ridge, double rcond,
                    unsigned wanted, std::size_t threads, std::optional<Ids> own, std::optional<Ids> values) {
  using Questions = local::LocalQuestions;
  const std::size_t n_attributes = kinds.size(), n_queries = queries.shape(0);
  require(cells.shape(1) == n_attributes && queries.shape(1) == n_attributes && scales.size() == n_attributes,
          "attributes differ in number");
  require(targets.shape(0) == cells.shape(0), "one target for each row");
  require(indptr.size() == n_queries + 1 && (!own || own->size() == n_queries), "one list for each query");
  require(weights.size() == rows.size() && (!repetitions || repetitions->size() == rows.size()),
          "one weight for each voter");
  require(degree >= 0 && degree <= 2, "degree is 0, 1 or 2");
  require(is_weight(ridge) && rcond >= 0.0 && rcond < 1.0, "ridge and rcond must not be negative");
  require(!(wanted & Questions::coefficients) || (values && values->size() == n_attributes),
          "one number of values for each attribute");
  require(!own || wanted & (Questions::statistics | Questions::hat_rows | Questions::left_out),
          "own requires a want of 2, 8 or 16");
  require_columns(kinds, scales);
  local::LocalQuestions questions{
      {cells.data(), cells.shape(0), n_attributes, kinds.data(), scales.data(), targets.data(), targets.shape(1)},
      {degree, ridge, rcond},
      {indptr.data(), rows.data(), weights.data(), repetitions ? repetitions->data() : nullptr},
      queries.data(), n_queries, wanted, own ? own->data() : nullptr, {}};
  if (wanted & Questions::coefficients) questions.slots = slots_of(kinds, *values);
  require_room({n_queries, targets.shape(1), questions.slots.empty() ? 1 : questions.slots.back()});
  local::LocalAnswers answers;
  {
    nb::gil_scoped_release release;
    require_lists(indptr, rows.size());
    answers = local::fit_queries(questions, usable_threads(threads));
  }
  return as_dict(questions, std::move(answers));
}

// Classifiers -----------------------------------------------------------------------------------------------------

// The arguments that both classifiers share.
struct LocalClassArrays {
  Ids indptr, rows;
  Vector weights;
  Ids codes;
  std::size_t n_classes;
  Matrix cells, queries;
  Flags kinds;
  Vector scales;

  // To be called without the GIL.
  local::LocalClassTask task() const {
    const std::size_t n_attributes = kinds.size();
    require(n_classes >= 1, "there must be at least one class");
    require_room({queries.shape(0), n_classes});
    require(indptr.size() == queries.shape(0) + 1, "one list for each query");
    require_lists(indptr, rows.size());
    require(weights.size() == rows.size(), "one weight for each entry");
    require(cells.shape(1) == n_attributes && queries.shape(1) == n_attributes && scales.size() == n_attributes,
            "one kind and one scale for each column");
    require_columns(kinds, scales);
    require(codes.size() == cells.shape(0), "one class for each row");
    require_below(codes, static_cast<std::int64_t>(n_classes), "classes out of range");
    require_below(rows, static_cast<std::int64_t>(cells.shape(0)), "rows out of range");
    for (std::size_t e = 0; e < weights.size(); ++e)
      require(is_weight(weights.data()[e]), "weights are finite and not negative");
    for (std::size_t q = 0; q + 1 < indptr.size(); ++q) {
      const double *first = weights.data() + indptr.data()[q], *last = weights.data() + indptr.data()[q + 1];
      require(std::any_of(first, last, [](double w) { return w > 0; }), "a query has no voter of positive weight");
    }
    return {{cells.data(), cells.shape(0), n_attributes, kinds.data(), scales.data(), nullptr, 0},
            {indptr.data(), rows.data(), weights.data(), nullptr},
            codes.data(), n_classes, queries.data(), queries.shape(0)};
  }
};

nb::object local_bayes(Ids indptr, Ids rows, Vector weights, Ids codes, Vector class_prior, Matrix cells,
                       Matrix queries, Flags kinds, Vector scales, Ids sizes, double value_prior, bool student,
                       double strength, double degrees, double smoothing, std::size_t threads) {
  const std::size_t n_classes = class_prior.size();
  const LocalClassArrays given{indptr, rows, weights, codes, n_classes, cells, queries, kinds, scales};
  require(sizes.size() == kinds.size(), "one size for each column");
  require_below(sizes, std::numeric_limits<std::int64_t>::max(), "sizes must not be negative");
  for (const double rule : {value_prior, strength, degrees, smoothing})
    require(is_weight(rule), "priors and smoothing are finite and not negative");
  for (std::size_t c = 0; c < n_classes; ++c)
    require(is_weight(class_prior.data()[c]), "priors and smoothing are finite and not negative");
  const local::BayesRules rules{class_prior.data(), sizes.data(), value_prior, student, strength, degrees, smoothing};
  std::vector<double> found;
  {
    nb::gil_scoped_release release;
    found = local::bayes_probabilities(given.task(), rules, usable_threads(threads));
  }
  return nb::cast(to_numpy(std::move(found), {queries.shape(0), n_classes}));
}

nb::tuple local_logistic(Ids indptr, Ids rows, Vector weights, Ids codes, std::size_t n_classes, Matrix cells,
                         Matrix queries, Flags kinds, Vector scales, double ridge, int max_iter, double tol,
                         std::size_t threads) {
  const LocalClassArrays given{indptr, rows, weights, codes, n_classes, cells, queries, kinds, scales};
  require(ridge > 0.0 && is_weight(ridge), "ridge must be finite and above 0");
  require(max_iter >= 0 && is_weight(tol), "max_iter and tol must not be negative");
  local::LogisticAnswers found;
  {
    nb::gil_scoped_release release;
    found = local::logistic_probabilities(given.task(), {ridge, max_iter, tol}, usable_threads(threads));
  }
  return nb::make_tuple(to_numpy(std::move(found.probabilities), {queries.shape(0), n_classes}),
                        to_numpy(std::move(found.reached)));
}

// Ridge -----------------------------------------------------------------------------------------------------------

nb::object ridge_rows(Matrix triangle, Matrix block) {
  const std::size_t width = triangle.shape(0);
  require(triangle.shape(1) == width && block.shape(1) == width,
          "triangle must be square, and block must have its width");
  std::vector<double> rows;
  {
    nb::gil_scoped_release release;
    rows = copy(triangle);
    local::ridge_rows(rows.data(), width, block.data(), block.shape(0));
  }
  return nb::cast(to_numpy(std::move(rows), {width, width}));
}

nb::tuple ridge_spectrum(Matrix triangle, Matrix targets) {
  const std::size_t count = triangle.shape(0), n_targets = targets.shape(1);
  require(triangle.shape(1) == count && targets.shape(0) == count,
          "triangle must be square, and targets must have its height");
  std::vector<double> singular, right, projected;
  {
    nb::gil_scoped_release release;
    singular.resize(count);
    right.resize(count * count);
    projected = copy(targets);
    local::ridge_spectrum(triangle.data(), count, projected.data(), n_targets, singular.data(), right.data());
  }
  return nb::make_tuple(to_numpy(std::move(singular)), to_numpy(std::move(right), {count, count}),
                        to_numpy(std::move(projected), {count, n_targets}));
}

nb::tuple ridge_left_out(Matrix rows, Vector means, Matrix right, Matrix weights, Matrix inverses) {
  const std::size_t n = rows.shape(0), count = means.size();
  const std::size_t n_weights = weights.shape(0), n_inverses = inverses.shape(0);
  require(right.shape(0) == count && right.shape(1) == count, "right must be square, with one row for each mean");
  require(rows.shape(1) == count && weights.shape(1) == count && inverses.shape(1) == count,
          "rows, weights and inverses must have one column for each mean");
  require_room({n, n_weights});
  require_room({n, n_inverses});
  std::vector<double> fitted, leverages;
  {
    nb::gil_scoped_release release;
    fitted.resize(n * n_weights);
    leverages.resize(n * n_inverses);
    local::ridge_left_out({means.data(), right.data(), count, weights.data(), n_weights, inverses.data(), n_inverses},
                          rows.data(), n, fitted.data(), leverages.data());
  }
  return nb::make_tuple(to_numpy(std::move(fitted), {n, n_weights}), to_numpy(std::move(leverages), {n, n_inverses}));
}

}  // namespace

void bind_local(nb::module_& module) {
  using namespace nb::literals;
  module.def("local_fits", &local_fits, "indptr"_a, "rows"_a, "weights"_a, "repetitions"_a.none(), "cells"_a,
             "queries"_a, "kinds"_a, "scales"_a, "targets"_a, nb::kw_only(), "degree"_a, "ridge"_a, "rcond"_a, "want"_a,
             "threads"_a, "own"_a.none() = nb::none(), "values"_a.none() = nb::none());
  module.def("local_bayes", &local_bayes, "indptr"_a, "rows"_a, "weights"_a, "codes"_a, "class_prior"_a, "cells"_a,
             "queries"_a, "kinds"_a, "scales"_a, "sizes"_a, "value_prior"_a, "student"_a, "strength"_a, "degrees"_a,
             "smoothing"_a, "threads"_a, "Class probabilities by naive Bayes fitted to the voters of each query.");
  module.def("local_logistic", &local_logistic, "indptr"_a, "rows"_a, "weights"_a, "codes"_a, "n_classes"_a, "cells"_a,
             "queries"_a, "kinds"_a, "scales"_a, "ridge"_a, "max_iter"_a, "tol"_a, "threads"_a,
             "Class probabilities by logistic regression on the voters of each query, and whether each fit converged.");
  module.def("ridge_rows", &ridge_rows, "triangle"_a, "block"_a);
  module.def("ridge_spectrum", &ridge_spectrum, "triangle"_a, "targets"_a);
  module.def("ridge_left_out", &ridge_left_out, "rows"_a, "means"_a, "right"_a, "weights"_a, "inverses"_a);
}

}  // namespace priorcase::bindings
