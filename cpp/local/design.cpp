#include "local/design.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "base/memory.hpp"
#include "base/threads.hpp"

namespace priorcase::local {

namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

// The weights of a query are scaled by a power of two with an exponent of at most this absolute value.
constexpr int most_exponent = 1000;
// A voter is left out if its weight per repetition is at most this share of the largest such weight.
constexpr double negligible = 0x1p-34;
// Nominal values must be below this, 2^53: float64 represents all smaller integers exactly.
constexpr double most_values = 9007199254740992.0;
// Rows are prefetched this many rows ahead.
constexpr std::size_t ahead = 16;
// A column whose standard deviation is at most this share of its mean is constant up to rounding errors.
constexpr double dust = 1e-13;
// If 1 - leverage is at most this, there is no fit without the row.
constexpr double alone = 1e-9;

}  // namespace

// Voters ----------------------------------------------------------------------------------------------------------

void Voters::take(const VoterLists& lists, std::size_t query) {
  const std::int64_t start = lists.indptr[query], stop = lists.indptr[query + 1];
  const std::size_t listed = static_cast<std::size_t>(stop - start);
  const double* given = lists.weights + start;
  if (places_.size() < listed) places_.resize(listed);
  size_ = 0;
  double largest = 0.0, heaviest = 0.0;  // the largest weight, and the largest weight per repetition
  for (std::size_t i = 0; i < listed; ++i) {
    largest = std::max(largest, given[i]);
    heaviest = std::max(heaviest, lists.repetitions ? given[i] / lists.repetitions[start + i] : given[i]);
  }
  const double least = negligible * heaviest;
  for (std::size_t i = 0; i < listed; ++i) {
    places_[size_] = start + static_cast<std::int64_t>(i);
    size_ += given[i] > (lists.repetitions ? least * lists.repetitions[start + i] : least);
  }
  exponent_ = largest > 0.0 ? std::clamp(std::ilogb(largest), -most_exponent, most_exponent) : 0;
  columns_.reshape(size_, 2);
  rows_ = lists.rows;
  const double factor = std::ldexp(1.0, -exponent_);
  for (std::size_t i = 0; i < size_; ++i) {
    columns_[0][i] = factor * lists.weights[places_[i]];
    columns_[1][i] = lists.repetitions ? 1.0 / lists.repetitions[places_[i]] : 1.0;
  }
  for (std::size_t i = size_; i < length(); ++i) columns_[0][i] = columns_[1][i] = 0.0;
  total_ = sums_->sum(columns_[0], length());
}

QueryBlocks::QueryBlocks(std::size_t n_queries, std::size_t n_voters, std::size_t n_attributes) {
  const std::size_t cells = 1 + n_voters / std::max<std::size_t>(1, n_queries) * (1 + n_attributes);
  block = std::clamp<std::size_t>((std::size_t{1} << 16) / cells, 1, 16);
  least = std::max<std::size_t>(block, (std::size_t{1} << 15) / cells);  // about 100 microseconds of work
}

// The design ------------------------------------------------------------------------------------------------------

void LocalDesign::build(const LocalTable& table, const double* query, const Voters& voters, int degree) {
  terms_.clear();
  numbers_.clear();
  if (degree > 0) choose(table, query, voters, degree);
  columns_.reshape(voters.size(), terms_.size());
  fill_numbers(table, query, voters);
  for (std::size_t j = numbers_.size(); j < terms_.size(); ++j) {
    check_interrupt(columns_.length());
    if (terms_[j].value != DesignTerm::none)
      fill_indicator(table, voters, j);
    else
      sums_->multiply(columns_[place_of(terms_[j].attribute)], columns_[place_of(terms_[j].other)], columns_[j],
                      columns_.length());
  }
}

void LocalDesign::move(std::size_t from, std::size_t to) {
  if (from == to) return;
  std::copy_n(columns_[from], columns_.length(), columns_[to]);
  terms_[to] = terms_[from];
}

void LocalDesign::keep(std::size_t count) {
  terms_.resize(count);
  columns_.keep(count);
}

// Numbers come first, then indicators, then products.
void LocalDesign::choose(const LocalTable& table, const double* query, const Voters& voters, int degree) {
  for (std::size_t a = 0; a < table.n_attributes; ++a)
    if (!std::isnan(query[a]) && table.kinds[a] != LocalTable::nominal) {
      numbers_.push_back(a);
      terms_.push_back({a, DesignTerm::none, DesignTerm::none, table.scales[a]});
    }
  for (std::size_t a = 0; a < table.n_attributes; ++a)
    if (!std::isnan(query[a]) && table.kinds[a] == LocalTable::nominal) choose_values(table, query, voters, a);
  if (degree == 1) return;
  for (std::size_t i = 0; i < numbers_.size(); ++i)
    for (std::size_t j = i; j < numbers_.size(); ++j) {
      const double unit = terms_[i].unit * terms_[j].unit;
      terms_.push_back({numbers_[i], static_cast<std::int64_t>(numbers_[j]), DesignTerm::none, unit});
    }
}

std::size_t LocalDesign::place_of(std::size_t attribute) const {
  return std::lower_bound(numbers_.begin(), numbers_.end(), attribute) - numbers_.begin();
}

void LocalDesign::choose_values(const LocalTable& table, const double* query, const Voters& voters, std::size_t a) {
  values_.clear();
  bool held = false;
  for (std::size_t i = 0; i < voters.size(); ++i) {
    const double cell = table.cells[voters.row(i) * table.n_attributes + a];
    held |= cell == query[a];
    if (std::isnan(cell) || cell == query[a]) continue;
    if (!(cell >= 0.0 && cell < most_values)) throw std::invalid_argument("no such value");
    values_.push_back(static_cast<std::int64_t>(cell));
  }
  if (!held) return;
  std::sort(values_.begin(), values_.end());
  values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
  for (std::int64_t value : values_) terms_.push_back({a, DesignTerm::none, value, table.scales[a]});
}

// Reads row by row, since rows are far apart in memory.
void LocalDesign::fill_numbers(const LocalTable& table, const double* query, const Voters& voters) {
  const std::size_t length = columns_.length(), count = numbers_.size();
  const std::size_t* numbers = numbers_.data();
  for (std::size_t i = 0; i < voters.size(); ++i) {
    const double* row = table.cells + voters.row(i) * table.n_attributes;
    if (i + ahead < voters.size()) base::prefetch(table.cells + voters.row(i + ahead) * table.n_attributes);
    double* out = columns_[0] + i;
    for (std::size_t j = 0; j < count; ++j, out += length) {
      const double deviation = row[numbers[j]] - query[numbers[j]];
      *out = deviation == deviation ? deviation : 0.0;
    }
  }
  for (std::size_t j = 0; j < count; ++j) {
    std::fill(columns_[j] + voters.size(), columns_[j] + length, 0.0);
    sums_->scale(1.0 / terms_[j].unit, columns_[j], length);
  }
}

void LocalDesign::fill_indicator(const LocalTable& table, const Voters& voters, std::size_t j) {
  const DesignTerm& term = terms_[j];
  const double value = static_cast<double>(term.value);
  double* column = columns_[j];
  for (std::size_t i = 0; i < voters.size(); ++i)
    column[i] = table.cells[voters.row(i) * table.n_attributes + term.attribute] == value ? 1.0 / term.unit : 0.0;
  std::fill(column + voters.size(), column + columns_.length(), 0.0);
}

// The fit ---------------------------------------------------------------------------------------------------------

bool LocalFit::fit(const VoterLists& lists, const double* query, std::size_t number) {
  voters_.take(lists, number);
  if (voters_.size() == 0) return false;
  total_ = voters_.total();
  design_.build(table_, query, voters_, rules_.degree);
  centre_columns();
  take_targets();
  squares_.factorise(design_.columns(), voters_.weights(), voters_.reduce(rules_.ridge * rules_.ridge), rules_.rcond);
  const std::size_t p = design_.terms().size();
  coefficients_.resize(p * table_.n_targets);
  for (std::size_t t = 0; t < table_.n_targets; ++t) squares_.solve(targets_[t], coefficients_.data() + t * p);
  return true;
}

double LocalFit::value(std::size_t t) const {
  double value = target_means_[t];
  for (std::size_t j = 0; j < means_.size(); ++j) value -= means_[j] * coefficients(t)[j];
  return value;
}

// Also drops constant columns, since the intercept takes their place.
void LocalFit::centre_columns() {
  Columns& columns = design_.columns();
  means_.clear();
  for (std::size_t j = 0; j < design_.terms().size(); ++j) {
    double mean;
    const double squares = sums_->centre(voters_.weights(), total_, columns[j], columns.length(), mean);
    if (squares <= dust * dust * mean * mean * total_) continue;
    design_.move(j, means_.size());
    means_.push_back(mean);
  }
  design_.keep(means_.size());
}

void LocalFit::take_targets() {
  const std::size_t n_targets = table_.n_targets;
  targets_.reshape(voters_.size(), n_targets);
  target_means_.resize(n_targets);
  for (std::size_t i = 0; i < targets_.length(); ++i)
    for (std::size_t t = 0; t < n_targets; ++t)
      targets_[t][i] = i < voters_.size() ? table_.targets[voters_.row(i) * n_targets + t] : 0.0;
  for (std::size_t t = 0; t < n_targets; ++t)
    sums_->centre(voters_.weights(), total_, targets_[t], targets_.length(), target_means_[t]);
}

// Statistics ------------------------------------------------------------------------------------------------------

void LocalStatistics::take(LocalFit& fit) {
  const Voters& voters = fit.voters();
  const std::size_t n = voters.length();
  const Columns& white = fit.squares().whitened();
  fit.squares().whiten(fit.centre().data(), centre_);
  rows_.reshape(n, 2);
  double *hat = rows_[0], *leverage = rows_[1];
  const double mean_part = 1.0 / fit.total();
  for (std::size_t i = 0; i < n; ++i) hat[i] = leverage[i] = mean_part;
  for (std::size_t k = 0; k < white.count(); ++k) {
    const double along = centre_[k];
    // 0 except for rounding errors, which a small singular value amplifies.
    const double mean = sums_->dot(voters.weights(), white[k], n) * mean_part;
    for (std::size_t i = 0; i < n; ++i) {
      hat[i] -= along * (white[k][i] - mean);
      leverage[i] += white[k][i] * white[k][i];
    }
  }
  const double* weights = voters.weights();
  for (std::size_t i = 0; i < n; ++i) hat[i] *= weights[i];
  for (std::size_t i = 0; i < n; ++i) leverage[i] *= weights[i];
}

LocalSummary LocalStatistics::summary(const LocalFit& fit) const {
  const Voters& voters = fit.voters();
  const double *weights = voters.weights(), *shares = voters.shares();
  LocalSummary sums;
  for (std::size_t i = 0; i < voters.size(); ++i) {
    const double once = weights[i] * shares[i];
    sums.squares += weights[i] * once;
    sums.parameters += once * leverage()[i];
    sums.trace += leverage()[i];
    sums.variance += hat()[i] * hat()[i] * shares[i];
  }
  sums.weight = voters.restore(fit.total());
  sums.squares = voters.restore(voters.restore(sums.squares));
  sums.parameters = voters.restore(sums.parameters);
  return sums;
}

void LocalResiduals::take(const LocalFit& fit, std::size_t target) {
  const std::size_t n = fit.voters().length();
  residuals_.reshape(n, 1);
  std::copy_n(fit.targets()[target], n, residuals_[0]);
  for (std::size_t j = 0; j < fit.terms().size(); ++j)
    sums_->add_multiple(-fit.coefficients(target)[j], fit.columns()[j], residuals_[0], n);
}

double LocalResiduals::squares(const LocalFit& fit) const {
  double total = 0.0;
  for (std::size_t i = 0; i < fit.voters().size(); ++i)
    total += fit.voters().weights()[i] * residuals_[0][i] * residuals_[0][i];
  return fit.voters().restore(total);
}

double LocalResiduals::left_out(const LocalFit& fit, const LocalStatistics& statistics, std::size_t target) const {
  const Voters& voters = fit.voters();
  double total = 0.0;
  for (std::size_t i = 0; i < voters.size(); ++i) {
    const double share = voters.shares()[i], rest = 1.0 - statistics.leverage()[i] * share;
    const double others = 1.0 - voters.weights()[i] * share / fit.total();
    if (rest <= alone && others <= alone) return std::numeric_limits<double>::infinity();
    const double error = rest > alone ? residuals_[0][i] / rest : fit.targets()[target][i] / others;
    total += voters.weights()[i] * error * error;
  }
  return total / fit.total();
}

// Fits around many queries ----------------------------------------------------------------------------------------

namespace {

constexpr unsigned needs_statistics = LocalQuestions::statistics | LocalQuestions::hat_rows | LocalQuestions::left_out;

void require(bool holds, const char* rule) {
  if (!holds) throw std::invalid_argument(rule);
}

bool is_weight(double weight) { return weight >= 0.0 && weight <= std::numeric_limits<double>::max(); }

// Fits queries one at a time, on one thread.
class QueryFitter {
 public:
  QueryFitter(const LocalQuestions& questions, LocalAnswers& answers)
      : questions_(questions), answers_(answers), fit_(questions.table, questions.rules) {}

  void operator()(std::size_t start, std::size_t stop) {
    const std::size_t n_targets = questions_.table.n_targets;
    for (std::size_t q = start; q < stop; ++q) {
      const std::size_t n_attributes = questions_.table.n_attributes;
      check_interrupt(static_cast<std::size_t>(questions_.lists.indptr[q + 1] - questions_.lists.indptr[q]) *
                      (1 + n_attributes));
      const double* query = questions_.queries + q * n_attributes;
      require_voters(q);
      if (!fit_.fit(questions_.lists, query, q)) continue;
      for (std::size_t t = 0; t < n_targets; ++t) answers_.predictions[q * n_targets + t] = fit_.value(t);
      if (questions_.wanted & LocalQuestions::coefficients) write_coefficients(q, query);
      if (questions_.wanted & needs_statistics) write_statistics(q);
    }
  }

 private:
  void require_voters(std::size_t q) const {
    const VoterLists& lists = questions_.lists;
    const std::int64_t start = lists.indptr[q], stop = lists.indptr[q + 1];
    const auto n_rows = static_cast<std::uint64_t>(questions_.table.n_rows);
    bool known = true, weighed = true, counted = true;
    for (std::int64_t at = start; at < stop; ++at) {
      known &= static_cast<std::uint64_t>(lists.rows[at]) < n_rows;  // a negative number becomes a large one
      weighed &= is_weight(lists.weights[at]);
    }
    for (std::int64_t at = start; at < stop && lists.repetitions; ++at)
      counted &= lists.weights[at] == 0.0 || (lists.repetitions[at] > 0.0 && is_weight(lists.repetitions[at]));
    require(known, "no such row");
    require(weighed, "weights are finite and not negative");
    require(counted, "repetitions are finite and above 0");
  }

  void write_coefficients(std::size_t q, const double* query) {
    const LocalTable& table = questions_.table;
    const std::vector<std::size_t>& slots = questions_.slots;
    double* out = answers_.slopes.data() + q * table.n_targets * slots.back();
    for (std::size_t t = 0; t < table.n_targets; ++t, out += slots.back()) {
      for (std::size_t a = 0; a < table.n_attributes; ++a) {
        if (std::isnan(query[a])) continue;
        const std::size_t count = slots[a + 1] - slots[a];
        if (table.kinds[a] != LocalTable::nominal)
          out[slots[a]] = questions_.rules.degree == 0 ? no_number : 0.0;
        else if (query[a] >= 0.0 && query[a] < static_cast<double>(count))
          out[slots[a] + static_cast<std::size_t>(query[a])] = 0.0;
      }
      for (std::size_t j = 0; j < fit_.terms().size(); ++j) {
        const DesignTerm& term = fit_.terms()[j];
        if (term.other != DesignTerm::none) continue;
        const std::size_t offset = term.value == DesignTerm::none ? 0 : static_cast<std::size_t>(term.value);
        out[slots[term.attribute] + offset] = fit_.coefficients(t)[j] / term.unit;
      }
    }
  }

  void write_statistics(std::size_t q) {
    statistics_.take(fit_);
    if (questions_.wanted & LocalQuestions::statistics) write_summary(q);
    if (questions_.wanted & LocalQuestions::hat_rows)
      for (std::size_t i = 0; i < fit_.voters().size(); ++i)
        answers_.hat[fit_.voters().place(i)] = statistics_.hat()[i];
    if (questions_.own) {
      answers_.own[q] = 0.0;
      for (std::size_t i = 0; i < fit_.voters().size(); ++i)
        if (fit_.voters().row(i) == questions_.own[q]) answers_.own[q] += statistics_.hat()[i];
    }
    const bool squares = questions_.wanted & LocalQuestions::statistics;
    const bool left_out = questions_.wanted & LocalQuestions::left_out;
    const std::size_t n_targets = questions_.table.n_targets;
    for (std::size_t t = 0; t < n_targets && (squares || left_out); ++t) {
      residuals_.take(fit_, t);
      if (squares) answers_.residuals[q * n_targets + t] = residuals_.squares(fit_);
      if (left_out) answers_.loo[q * n_targets + t] = residuals_.left_out(fit_, statistics_, t);
    }
  }

  void write_summary(std::size_t q) {
    const LocalSummary sums = statistics_.summary(fit_);
    answers_.weight[q] = sums.weight;
    answers_.squares[q] = sums.squares;
    answers_.parameters[q] = sums.parameters;
    answers_.trace[q] = sums.trace;
    answers_.variance[q] = sums.variance;
    answers_.rank[q] = static_cast<double>(fit_.rank());
  }

  const LocalQuestions& questions_;
  LocalAnswers& answers_;
  LocalFit fit_;
  LocalStatistics statistics_;
  LocalResiduals residuals_;
};

// Codes of nominal values become indices of coefficients, so they must be below the number of values.
void require_codes(const LocalTable& table, const std::vector<std::size_t>& slots) {
  for (std::size_t a = 0; a < table.n_attributes; ++a) {
    if (table.kinds[a] != LocalTable::nominal) continue;
    const double count = static_cast<double>(slots[a + 1] - slots[a]);
    for (std::size_t i = 0; i < table.n_rows; ++i) {
      const double cell = table.cells[i * table.n_attributes + a];
      require(std::isnan(cell) || (cell >= 0.0 && cell < count), "no such value");
    }
  }
}

LocalAnswers room_for(const LocalQuestions& questions, std::size_t n_voters) {
  const std::size_t q = questions.n_queries, t = questions.table.n_targets;
  LocalAnswers answers;
  answers.predictions.assign(q * t, no_number);
  if (questions.wanted & LocalQuestions::statistics) {
    for (auto* sums : {&answers.weight, &answers.squares, &answers.parameters, &answers.trace, &answers.rank})
      sums->assign(q, 0.0);
    answers.variance.assign(q, no_number);
    answers.residuals.assign(q * t, no_number);
  }
  if (questions.own) answers.own.assign(q, no_number);
  if (questions.wanted & LocalQuestions::coefficients) answers.slopes.assign(q * t * questions.slots.back(), no_number);
  if (questions.wanted & LocalQuestions::hat_rows) answers.hat.assign(n_voters, 0.0);
  if (questions.wanted & LocalQuestions::left_out) answers.loo.assign(q * t, no_number);
  return answers;
}

}  // namespace

LocalAnswers fit_queries(const LocalQuestions& questions, std::size_t threads) {
  const auto n_voters = static_cast<std::size_t>(questions.lists.indptr[questions.n_queries]);
  if (questions.wanted & LocalQuestions::coefficients) require_codes(questions.table, questions.slots);
  LocalAnswers answers = room_for(questions, n_voters);
  const QueryBlocks blocks(questions.n_queries, n_voters, questions.table.n_attributes);
  base::for_blocks(questions.n_queries, blocks.block, threads, [&] { return QueryFitter(questions, answers); },
                   blocks.least);
  return answers;
}

}  // namespace priorcase::local
