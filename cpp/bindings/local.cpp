#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "bindings/local_checks.hpp"
#include "local/statistics.hpp"
#include "base/threads.hpp"

namespace priorcase::bindings {

namespace {

constexpr std::size_t most_local_threads = 1024;
constexpr std::size_t fits_at_once = 16;
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

enum Wanted : unsigned { statistics = 2, coefficients = 4, hat_rows = 8, left_out = 16 };

// Where the answers go; empty what is not wanted. Queries without weight keep NaN, and 0 for sums of weights.
struct Answers {
  std::vector<double> predictions, weight, squares, parameters, trace, variance, rank, own, residuals, slopes, hat, loo;
};

struct Request {
  local::LocalTable table;
  local::LocalRules rules;
  local::VoterLists lists;
  const double* queries;
  std::size_t n_queries;
  unsigned wanted;
  const std::int64_t* own;     // a row for each query whose share in the value is asked for; null: none
  std::vector<std::size_t> slots;  // where the coefficients of each attribute start, and their number
};

// Fits one query after the other on one thread.
class Worker {
 public:
  Worker(const Request& request, Answers& answers)
      : request_(request), answers_(answers), fit_(request.table, request.rules) {}

  void operator()(std::size_t start, std::size_t stop) {
    for (std::size_t q = start; q < stop; ++q) {
      const double* query = request_.queries + q * request_.table.n_attributes;
      require_voters(q);
      if (!fit_.fit(request_.lists, query, q)) continue;
      const std::size_t n_targets = request_.table.n_targets;
      for (std::size_t t = 0; t < n_targets; ++t) answers_.predictions[q * n_targets + t] = fit_.value(t);
      if (request_.wanted & coefficients) write_coefficients(q, query);
      if (request_.wanted & (statistics | hat_rows | left_out)) write_statistics(q);
    }
  }

 private:
  void require_voters(std::size_t q) const {
    const local::VoterLists& lists = request_.lists;
    const std::int64_t start = lists.indptr[q], stop = lists.indptr[q + 1];
    const auto n_rows = static_cast<std::uint64_t>(request_.table.n_rows);
    bool known = true, weighed = true, counted = true;
    for (std::int64_t at = start; at < stop; ++at) {
      known &= static_cast<std::uint64_t>(lists.rows[at]) < n_rows;  // a negative one becomes a large one
      weighed &= is_weight(lists.weights[at]);
    }
    for (std::int64_t at = start; at < stop && lists.repetitions; ++at)
      counted &= lists.weights[at] == 0.0 || (lists.repetitions[at] > 0.0 && is_weight(lists.repetitions[at]));
    require(known, "no such row");
    require(weighed, "weights are finite and not negative");
    require(counted, "repetitions are finite and above 0");
  }

  void write_coefficients(std::size_t q, const double* query) {
    const local::LocalTable& table = request_.table;
    const std::size_t width = request_.slots.back();
    double* out = answers_.slopes.data() + q * table.n_targets * width;
    for (std::size_t t = 0; t < table.n_targets; ++t, out += width) {
      for (std::size_t a = 0; a < table.n_attributes; ++a) {
        if (std::isnan(query[a])) continue;
        const std::size_t slot = request_.slots[a], count = request_.slots[a + 1] - slot;
        if (table.kinds[a] != local::LocalTable::nominal)
          out[slot] = request_.rules.degree == 0 ? no_number : 0.0;
        else if (query[a] >= 0.0 && query[a] < static_cast<double>(count))
          out[slot + static_cast<std::size_t>(query[a])] = 0.0;
      }
      for (std::size_t j = 0; j < fit_.terms().size(); ++j) {
        const local::Term& term = fit_.terms()[j];
        if (term.other != local::Term::none) continue;
        const std::size_t offset = term.value == local::Term::none ? 0 : static_cast<std::size_t>(term.value);
        out[request_.slots[term.attribute] + offset] = fit_.coefficients(t)[j] / term.unit;
      }
    }
  }

  void write_statistics(std::size_t q) {
    statistics_.take(fit_);
    if (request_.wanted & statistics) write_summary(q);
    if (request_.wanted & hat_rows)
      for (std::size_t i = 0; i < fit_.voters().size(); ++i)
        answers_.hat[fit_.voters().place(i)] = statistics_.hat()[i];
    if (request_.own) {
      answers_.own[q] = 0.0;
      for (std::size_t i = 0; i < fit_.voters().size(); ++i)
        if (fit_.voters().row(i) == request_.own[q]) answers_.own[q] += statistics_.hat()[i];
    }
    const std::size_t n_targets = request_.table.n_targets;
    for (std::size_t t = 0; t < n_targets && request_.wanted & (statistics | left_out); ++t) {
      residuals_.take(fit_, t);
      if (request_.wanted & statistics) answers_.residuals[q * n_targets + t] = residuals_.squares(fit_);
      if (request_.wanted & left_out) answers_.loo[q * n_targets + t] = residuals_.left_out(fit_, statistics_, t);
    }
  }

  void write_summary(std::size_t q) {
    const local::LocalSummary sums = local::summarise(fit_, statistics_);
    answers_.weight[q] = sums.weight;
    answers_.squares[q] = sums.squares;
    answers_.parameters[q] = sums.parameters;
    answers_.trace[q] = sums.trace;
    answers_.variance[q] = sums.variance;
    answers_.rank[q] = static_cast<double>(fit_.rank());
  }

  const Request& request_;
  Answers& answers_;
  local::LocalFit fit_;
  local::LocalStatistics statistics_;
  local::LocalResiduals residuals_;
};

void require_lists(const Ids& indptr, const Ids& rows, const Vector& weights,
                   const std::optional<Vector>& repetitions) {
  require(indptr.size() > 0 && indptr.data()[0] == 0, "lists start at 0");
  for (std::size_t q = 1; q < indptr.size(); ++q)
    require(indptr.data()[q] >= indptr.data()[q - 1], "lists must not overlap");
  require(indptr.data()[indptr.size() - 1] == static_cast<std::int64_t>(rows.size()), "lists end with the rows");
  require(weights.size() == rows.size() && (!repetitions || repetitions->size() == rows.size()),
          "one weight for each voter");
}

// Codes become places in a table of coefficients.
void require_codes(const local::LocalTable& table, const std::vector<std::size_t>& slots) {
  for (std::size_t a = 0; a < table.n_attributes; ++a) {
    if (table.kinds[a] != local::LocalTable::nominal) continue;
    const double count = static_cast<double>(slots[a + 1] - slots[a]);
    for (std::size_t i = 0; i < table.n_rows; ++i) {
      const double cell = table.cells[i * table.n_attributes + a];
      require(std::isnan(cell) || (cell >= 0.0 && cell < count), "no such value");
    }
  }
}

std::vector<std::size_t> slots_of(const Flags& kinds, const Ids& values) {
  std::vector<std::size_t> slots{0};
  for (std::size_t a = 0; a < kinds.size(); ++a) {
    require(values.data()[a] >= 0, "numbers of values must not be negative");
    const bool nominal = kinds.data()[a] == local::LocalTable::nominal;
    slots.push_back(slots.back() + (nominal ? static_cast<std::size_t>(values.data()[a]) : 1));
  }
  return slots;
}

Answers room_for(const Request& request, std::size_t n_voters) {
  const std::size_t q = request.n_queries, t = request.table.n_targets;
  Answers answers;
  answers.predictions.assign(q * t, no_number);
  if (request.wanted & statistics) {
    for (auto* sums : {&answers.weight, &answers.squares, &answers.parameters, &answers.trace, &answers.rank})
      sums->assign(q, 0.0);
    answers.variance.assign(q, no_number);
    answers.residuals.assign(q * t, no_number);
  }
  if (request.own) answers.own.assign(q, no_number);
  if (request.wanted & coefficients) answers.slopes.assign(q * t * request.slots.back(), no_number);
  if (request.wanted & hat_rows) answers.hat.assign(n_voters, 0.0);
  if (request.wanted & left_out) answers.loo.assign(q * t, no_number);
  return answers;
}

nb::dict as_dict(const Request& request, Answers answers) {
  const std::size_t q = request.n_queries, t = request.table.n_targets;
  nb::dict found;
  found["predictions"] = to_numpy(std::move(answers.predictions), {q, t});
  if (request.wanted & statistics) {
    found["weight"] = to_numpy(std::move(answers.weight));
    found["squares"] = to_numpy(std::move(answers.squares));
    found["parameters"] = to_numpy(std::move(answers.parameters));
    found["trace"] = to_numpy(std::move(answers.trace));
    found["variance"] = to_numpy(std::move(answers.variance));
    found["rank"] = to_numpy(std::move(answers.rank));
    found["residuals"] = to_numpy(std::move(answers.residuals), {q, t});
  }
  if (request.own) found["own"] = to_numpy(std::move(answers.own));
  if (request.wanted & coefficients)
    found["coefficients"] = to_numpy(std::move(answers.slopes), {q, t, request.slots.back()});
  if (request.wanted & hat_rows) found["hat"] = to_numpy(std::move(answers.hat));
  if (request.wanted & left_out) found["loo"] = to_numpy(std::move(answers.loo), {q, t});
  return found;
}

nb::dict local_fits(Ids indptr, Ids rows, Vector weights, std::optional<Vector> repetitions, Matrix cells,
                    Matrix queries, Flags kinds, Vector scales, Matrix targets, int degree, double ridge, double rcond,
                    unsigned wanted, std::size_t threads, std::optional<Ids> own, std::optional<Ids> values) {
  const std::size_t n_attributes = kinds.size(), n_queries = queries.shape(0);
  require(cells.shape(1) == n_attributes && queries.shape(1) == n_attributes && scales.size() == n_attributes,
          "attributes differ in number");
  require(targets.shape(0) == cells.shape(0), "one target for each row");
  require(indptr.size() == n_queries + 1 && (!own || own->size() == n_queries), "one list for each query");
  require(degree >= 0 && degree <= 2, "degree is 0, 1 or 2");
  require(std::isfinite(ridge) && ridge >= 0.0 && rcond >= 0.0 && rcond < 1.0, "ridge and rcond must not be negative");
  require(!(wanted & coefficients) || (values && values->size() == n_attributes),
          "one number of values for each attribute");
  require(!own || wanted & (statistics | hat_rows | left_out), "the share of a row comes with statistics");
  require_columns(kinds, scales);
  const local::LocalTable table{cells.data(),  cells.shape(0), n_attributes,    kinds.data(),
                         scales.data(), targets.data(), targets.shape(1)};
  const local::VoterLists lists{indptr.data(), rows.data(), weights.data(), repetitions ? repetitions->data() : nullptr};
  Request request{table, {degree, ridge, rcond}, lists, queries.data(), n_queries, wanted, nullptr, {}};
  if (own) request.own = own->data();
  if (wanted & coefficients) request.slots = slots_of(kinds, *values);
  Answers answers;
  {
    nb::gil_scoped_release release;
    require_lists(indptr, rows, weights, repetitions);
    if (wanted & coefficients) require_codes(table, request.slots);
    answers = room_for(request, rows.size());
    base::for_blocks(n_queries, fits_at_once, std::clamp<std::size_t>(threads, 1, most_local_threads),
               [&] { return Worker(request, answers); });
  }
  return as_dict(request, std::move(answers));
}

}  // namespace

void bind_local(nb::module_& module) {
  module.def("local_fits", &local_fits, nb::arg("indptr"), nb::arg("rows"), nb::arg("weights"),
             nb::arg("repetitions").none(), nb::arg("cells"), nb::arg("queries"), nb::arg("kinds"), nb::arg("scales"),
             nb::arg("targets"), nb::kw_only(), nb::arg("degree"), nb::arg("ridge"), nb::arg("rcond"), nb::arg("want"),
             nb::arg("threads"), nb::arg("own").none() = nb::none(), nb::arg("values").none() = nb::none());
}

}  // namespace priorcase::bindings
