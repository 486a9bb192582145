#include <algorithm>

#include "bindings/local_checks.hpp"
#include "local/classify_bayes.hpp"
#include "local/classify_logistic.hpp"
#include "base/threads.hpp"

namespace priorcase::bindings {

namespace {

constexpr std::size_t most_threads = 1024;
constexpr std::size_t queries_at_once = 8;

bool below(std::int64_t value, std::size_t limit) { return value >= 0 && static_cast<std::size_t>(value) < limit; }

local::ClassTask task_of(const Ids& indptr, const Ids& rows, const Vector& weights, const Ids& codes, std::size_t classes,
                  const Matrix& cells, const Matrix& asked, const Flags& kinds, const Vector& scales, std::size_t threads) {
  const std::size_t attributes = kinds.size(), entries = rows.size();
  require(classes >= 1, "at least one class");
  require(threads >= 1 && threads <= most_threads, "from 1 to 1024 threads");
  require(indptr.size() == asked.shape(0) + 1 && std::is_sorted(indptr.data(), indptr.data() + indptr.size()) &&
              indptr.data()[0] == 0 && indptr.data()[indptr.size() - 1] == static_cast<std::int64_t>(entries),
          "indptr cuts the entries into one list for each query");
  require(weights.size() == entries, "one weight for each entry");
  require(cells.shape(1) == attributes && asked.shape(1) == attributes && scales.size() == attributes,
          "one kind and one scale for each column");
  require_columns(kinds, scales);
  require(codes.size() == cells.shape(0), "one class for each row");
  for (std::size_t e = 0; e < entries; ++e) {
    require(below(rows.data()[e], cells.shape(0)), "rows out of range");
    require(below(codes.data()[rows.data()[e]], classes), "classes out of range");
    require(is_weight(weights.data()[e]), "weights are finite and not negative");
  }
  for (std::size_t q = 0; q + 1 < indptr.size(); ++q) {
    const double *first = weights.data() + indptr.data()[q], *last = weights.data() + indptr.data()[q + 1];
    require(std::any_of(first, last, [](double w) { return w > 0; }), "a query without a voter of positive weight");
  }
  return local::ClassTask{
      local::LocalTable{cells.data(), cells.shape(0), attributes, kinds.data(), scales.data(), nullptr, 0},
      local::VoterLists{indptr.data(), rows.data(), weights.data(), nullptr},
      codes.data(), classes, asked.data(), asked.shape(0)};
}

nb::object local_bayes(Ids indptr, Ids rows, Vector weights, Ids codes, Vector class_prior, Matrix cells, Matrix asked,
                       Flags kinds, Vector scales, Ids sizes, double value_prior, bool student, double strength, double degrees,
                       double smoothing, std::size_t threads) {
  const local::ClassTask task = task_of(indptr, rows, weights, codes, class_prior.size(), cells, asked, kinds, scales, threads);
  require(sizes.size() == task.table.n_attributes, "one size for each column");
  const local::BayesRules rules{class_prior.data(), sizes.data(), value_prior, student, strength, degrees, smoothing};
  std::vector<double> out(task.n_queries * task.n_classes);
  {
    nb::gil_scoped_release release;
    base::for_blocks(task.n_queries, queries_at_once, threads, [&] {
      return [&, model = local::LocalBayes(task, rules)](std::size_t start, std::size_t stop) mutable {
        for (std::size_t q = start; q < stop; ++q) model.answer(q, &out[q * task.n_classes]);
      };
    });
  }
  return nb::cast(to_numpy(std::move(out), {task.n_queries, task.n_classes}));
}

nb::tuple local_logistic(Ids indptr, Ids rows, Vector weights, Ids codes, std::size_t classes, Matrix cells, Matrix asked,
                         Flags kinds, Vector scales, double ridge, int max_iter, double tol, std::size_t threads) {
  const local::ClassTask task = task_of(indptr, rows, weights, codes, classes, cells, asked, kinds, scales, threads);
  require(ridge > 0, "a ridge above 0");
  const local::LogisticRules rules{ridge, max_iter, tol};
  std::vector<double> out(task.n_queries * classes);
  std::vector<std::uint8_t> settled(task.n_queries);
  {
    nb::gil_scoped_release release;
    base::for_blocks(task.n_queries, queries_at_once, threads, [&] {
      return [&, model = local::LocalLogistic(task, rules)](std::size_t start, std::size_t stop) mutable {
        for (std::size_t q = start; q < stop; ++q) settled[q] = model.answer(q, &out[q * classes]);
      };
    });
  }
  return nb::make_tuple(to_numpy(std::move(out), {task.n_queries, classes}), to_numpy(std::move(settled)));
}

}  // namespace

void bind_local_classes(nb::module_& module) {
  using namespace nb::literals;
  module.def("local_bayes", &local_bayes, "indptr"_a, "rows"_a, "weights"_a, "codes"_a, "class_prior"_a, "cells"_a, "queries"_a,
             "kinds"_a, "scales"_a, "sizes"_a, "value_prior"_a, "student"_a, "strength"_a, "degrees"_a, "smoothing"_a,
             "threads"_a, "Class probabilities by naive Bayes over the voters of each query.");
  module.def("local_logistic", &local_logistic, "indptr"_a, "rows"_a, "weights"_a, "codes"_a, "n_classes"_a, "cells"_a,
             "queries"_a, "kinds"_a, "scales"_a, "ridge"_a, "max_iter"_a, "tol"_a, "threads"_a,
             "Class probabilities by a logistic fit to the voters of each query, and whether its steps came to an end.");
}

}  // namespace priorcase::bindings
