#include "relevance/stretch.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/threads.hpp"
#include "relevance/loops.hpp"
#include "search/difference.hpp"

namespace priorcase::relevance {

StretchTable::StretchTable(const search::Plan& plan, std::vector<std::uint8_t> coded, const double* cells,
                           std::size_t n)
    : plan(plan), n(n), coded(std::move(coded)), columns(plan.size()) {
  const std::size_t width = columns.size();
  for (std::size_t a = 0; a < width; ++a) {
    base::check_interrupt();
    Column& column = columns[a];
    for (std::size_t i = 0; i < n; ++i) {
      const double x = cells[i * width + a];
      column.has_gaps |= x != x;
      if (!this->coded[a]) column.numbers.push_back(x);
      if (this->coded[a] && x == x) column.values.push_back(x);
    }
    std::vector<double>& values = column.values;
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    column.gap = static_cast<std::uint32_t>(values.size());
    for (std::size_t i = 0; i < n && this->coded[a]; ++i) {
      const double x = cells[i * width + a];
      const auto place = [&] { return std::lower_bound(values.begin(), values.end(), x) - values.begin(); };
      column.codes.push_back(x == x ? static_cast<std::uint32_t>(place()) : column.gap);
    }
  }
}

double StretchTable::cell(std::size_t row, std::size_t a) const {
  const Column& column = columns[a];
  if (!coded[a]) return column.numbers[row];
  return column.codes[row] == column.gap ? std::nan("") : column.values[column.codes[row]];
}

namespace {

// The loss of predicting the target of one row by the votes exp(-cost) of all other rows, and its derivatives with
// respect to the costs.
class SoftVote {
 public:
  // A row and the derivative of the loss with respect to its cost.
  struct Voter {
    std::size_t row;
    double pull;
  };

  // The share of the class frequencies in a predicted probability, which limits the influence of single rows.
  static constexpr double doubt = 0.01;

  // Returns the loss of row `own` of n rows, given their costs; one repetition of this row is left out. If no row
  // votes, the class frequencies or the mean are the prediction. Afterwards, `voters` are the rows whose votes are not
  // negligible.
  double operator()(const StretchTargets& targets, std::size_t own, std::size_t n, double* costs) {
    voters.clear();
    const double left = targets.votes[own] - 1.0;
    if (!(left > 0.0)) costs[own] = base::infinity;
    double nearest = base::infinity;
    for (std::size_t j = 0; j < n; ++j)
      if (targets.votes[j] > 0.0 && costs[j] < nearest) nearest = costs[j];
    if (!(nearest < base::infinity)) return untold(targets, own);
    total_ = 0.0;
    for (std::size_t j = 0; j < n; ++j) {
      const double beyond = costs[j] - nearest;
      if (!(beyond < reach) || !(targets.votes[j] > 0.0)) continue;
      const double vote = std::exp(-beyond) * (j == own ? left : targets.votes[j]);
      total_ += vote;
      voters.push_back({j, vote});
    }
    return targets.loss == StretchLoss::squared ? of_number(targets, own) : of_class(targets, own);
  }

  std::vector<Voter> voters;

 private:
  static constexpr double reach = 25.0;  // exp(-25) is negligible compared with 1

  static double untold(const StretchTargets& targets, std::size_t own) {
    if (targets.loss == StretchLoss::squared) return targets.numbers[own] * targets.numbers[own];
    const double share = targets.shares[targets.labels[own]];
    return targets.loss == StretchLoss::log ? -std::log(share) : 1.0 - share;
  }

  double of_class(const StretchTargets& targets, std::size_t own) {
    const std::int64_t label = targets.labels[own];
    double right = 0.0;
    for (const Voter& voter : voters)
      if (targets.labels[voter.row] == label) right += voter.pull;
    const double p = right / total_;
    const double sure = (1.0 - doubt) * p + doubt * targets.shares[label];
    const bool is_log = targets.loss == StretchLoss::log;
    const double slope = is_log ? (1.0 - doubt) / sure : 1.0;  // minus the derivative of the loss with respect to p
    for (Voter& voter : voters) voter.pull *= slope * ((targets.labels[voter.row] == label ? 1.0 : 0.0) - p) / total_;
    return is_log ? -std::log(sure) : 1.0 - p;
  }

  double of_number(const StretchTargets& targets, std::size_t own) {
    double sum = 0.0;
    for (const Voter& voter : voters) sum += voter.pull * targets.numbers[voter.row];
    const double told = sum / total_, off = targets.numbers[own] - told;
    for (Voter& voter : voters) voter.pull *= 2.0 * off * (targets.numbers[voter.row] - told) / total_;
    return off * off;
  }

  double total_ = 0.0;
};

// The costs of all rows for one of them, and their gradient.
class StretchCosts {
 public:
  explicit StretchCosts(const StretchTable& table)
      : table_(table), differences_(table.columns.size()), by_code_(table.columns.size()), costs_(table.n),
        known_(table.plan.skip ? table.n : 0), pulls_(table.n) {}

  // Returns the costs of all rows for one of them. If missing values are skipped, a cost is the mean over the
  // attributes known in both rows, times the total weight.
  double* measure(std::size_t row, const double* weights) {
    const std::size_t width = differences_.size();
    std::fill(costs_.begin(), costs_.end(), 0.0);
    total_ = 0.0;
    double here = 0.0;
    for (std::size_t a = 0; a < width; ++a) {
      prepare(a, table_.cell(row, a));
      total_ += weights[a];
      if (differences_[a].state != search::Difference::State::missing) here += weights[a];
    }
    std::fill(known_.begin(), known_.end(), here);
    for (std::size_t start = 0; start < table_.n; start += block)
      for (std::size_t a = 0; a < width; ++a)
        if (weights[a] > 0.0) add(a, weights[a], start, std::min(table_.n, start + block));
    const double nothing_shared = table_.plan.nothing_shared * (table_.plan.mean ? total_ : 1.0);
    for (std::size_t j = 0; j < known_.size(); ++j)
      costs_[j] = shares(j) ? costs_[j] / known_[j] * total_ : nothing_shared;
    return costs_.data();
  }

  // Adds the contributions of the voters to the gradient with respect to the attribute weights.
  void pull(const std::vector<SoftVote::Voter>& voters, double* gradient) {
    double level = 0.0;  // if missing values are skipped, each weight adds to the total weight, which scales all costs
    for (const SoftVote::Voter& voter : voters)
      if (table_.plan.skip && (shares(voter.row) || table_.plan.mean)) level += voter.pull * costs_[voter.row] / total_;
    const bool many = 8 * voters.size() > table_.n;  // then a loop over the whole column is faster
    if (many) std::fill(pulls_.begin(), pulls_.end(), 0.0);
    for (std::size_t i = 0; i < voters.size() && many; ++i) pulls_[voters[i].row] = voters[i].pull;
    for (std::size_t a = 0; a < differences_.size(); ++a) {
      if (table_.plan.skip)
        gradient[a] += level + pulled_apart(a, voters);
      else
        gradient[a] += many && is_quick(a) ? kernels_.sum(linear(a, 0, table_.n), pulls_.data()) : pulled(a, voters);
    }
  }

  // f of attribute a between the measured row and another.
  double difference(std::size_t a, std::size_t row) const {
    const StretchTable::Column& column = table_.columns[a];
    if (table_.coded[a]) return by_code_[a][column.codes[row]];
    const double x = column.numbers[row];
    return x == x ? differences_[a].against(x) : differences_[a].against_missing();
  }

  bool is_gap(std::size_t a, std::size_t row) const {
    const StretchTable::Column& column = table_.columns[a];
    return table_.coded[a] ? column.codes[row] == column.gap : std::isnan(column.numbers[row]);
  }

 private:
  static constexpr std::size_t block = 2048;  // the costs of this many rows fit into the L1 cache
  static constexpr double least_share = 1e-12;  // a known weight below this share of the total is rounding

  // Whether an attribute of positive weight is known in both the row and the measured row.
  bool shares(std::size_t row) const { return known_[row] > least_share * total_; }

  void prepare(std::size_t a, double query) {
    search::Difference& d = differences_[a];
    d.prepare(table_.plan, a, table_.coded[a] != 0, query);
    if (!table_.coded[a]) return;
    const std::vector<double>& values = table_.columns[a].values;
    by_code_[a].resize(values.size() + 1);
    for (std::size_t place = 0; place < values.size(); ++place) by_code_[a][place] = d.against(values[place]);
    by_code_[a].back() = d.against_missing();
  }

  void add(std::size_t a, double weight, std::size_t start, std::size_t stop) {
    const StretchTable::Column& column = table_.columns[a];
    const bool skip = table_.plan.skip;
    if (skip && differences_[a].state == search::Difference::State::missing) return;
    if (skip && column.has_gaps) {
      for (std::size_t j = start; j < stop; ++j)
        if (is_gap(a, j))
          known_[j] -= weight;
        else
          costs_[j] += weight * difference(a, j);
    } else if (table_.coded[a]) {
      for (std::size_t j = start; j < stop; ++j) costs_[j] += weight * by_code_[a][column.codes[j]];
    } else if (is_quick(a)) {
      kernels_.add(linear(a, start, stop), weight, costs_.data() + start);
    } else {
      for (std::size_t j = start; j < stop; ++j) costs_[j] += weight * difference(a, j);
    }
  }

  // Whether the loops of loops.hpp support the attribute.
  bool is_quick(std::size_t a) const {
    const int power = table_.plan.power.whole();
    return !table_.coded[a] && (power == 1 || power == 2) && differences_[a].is_linear();
  }

  LinearColumn linear(std::size_t a, std::size_t start, std::size_t stop) const {
    const search::Difference& d = differences_[a];
    const double* x = table_.columns[a].numbers.data() + start;
    return {x, stop - start, d.query(), 1.0 / d.scale, d.against_missing(), table_.plan.power.whole() == 2};
  }

  double pulled(std::size_t a, const std::vector<SoftVote::Voter>& voters) const {
    double sum = 0.0;
    if (is_quick(a) && !table_.columns[a].has_gaps && table_.plan.power.whole() == 2) {
      const LinearColumn column = linear(a, 0, table_.n);
      for (const SoftVote::Voter& voter : voters) sum += voter.pull * column.square_at(voter.row);
      return sum;
    }
    if (table_.coded[a]) {
      const std::uint32_t* const codes = table_.columns[a].codes.data();
      const double* const f = by_code_[a].data();
      for (const SoftVote::Voter& voter : voters) sum += voter.pull * std::min(f[codes[voter.row]], largest_difference);
      return sum;
    }
    for (const SoftVote::Voter& voter : voters) sum += voter.pull * limited(a, voter.row);
    return sum;
  }

  double limited(std::size_t a, std::size_t row) const { return std::min(difference(a, row), largest_difference); }

  // The same as `pulled` if missing values are skipped; only rows in which the attribute is known contribute.
  double pulled_apart(std::size_t a, const std::vector<SoftVote::Voter>& voters) const {
    if (differences_[a].state == search::Difference::State::missing) return 0.0;
    double sum = 0.0;
    for (const SoftVote::Voter& voter : voters)
      if (shares(voter.row) && !is_gap(a, voter.row))
        sum += voter.pull * (limited(a, voter.row) * total_ - costs_[voter.row]) / known_[voter.row];
    return sum;
  }

  const StretchTable& table_;
  std::vector<search::Difference> differences_;
  std::vector<std::vector<double>> by_code_;
  std::vector<double> costs_, known_, pulls_;
  const StretchKernels kernels_ = stretch_kernels();
  double total_ = 0.0;
};

}  // namespace

double stretch_loss(const StretchTable& table, const StretchTargets& targets, const double* weights,
                    const std::int64_t* rows, std::size_t n_rows, const double* times, std::size_t threads,
                    double* gradient) {
  constexpr std::size_t block = 4;
  const std::size_t width = table.columns.size();
  std::vector<double> losses(n_rows), slopes(gradient != nullptr ? n_rows * width : 0, 0.0);
  const auto make = [&] {
    return [&, costs = StretchCosts(table), vote = SoftVote()](std::size_t start, std::size_t stop) mutable {
      for (std::size_t i = start; i < stop; ++i) {
        const std::size_t row = static_cast<std::size_t>(rows[i]);
        losses[i] = vote(targets, row, table.n, costs.measure(row, weights));
        if (gradient != nullptr) costs.pull(vote.voters, slopes.data() + i * width);
      }
    };
  };
  // A cell takes about a nanosecond; a thread is worth starting for 100 microseconds of work.
  base::for_blocks(n_rows, block, threads, make, std::max(block, 100'000 / ((width + 4) * (table.n + 1))));
  double loss = 0.0, count = 0.0;
  if (gradient != nullptr) std::fill_n(gradient, width, 0.0);
  for (std::size_t i = 0; i < n_rows; ++i) {
    const double often = times[rows[i]];
    loss += often * losses[i];
    count += often;
    for (std::size_t a = 0; a < width && gradient != nullptr; ++a) gradient[a] += often * slopes[i * width + a];
  }
  for (std::size_t a = 0; a < width && gradient != nullptr; ++a) gradient[a] /= count;
  return loss / count;
}

namespace {

// Fits the weights of one query to a table of the rows near it.
class LocalStretch {
 public:
  LocalStretch(const StretchTable& table, const StretchTargets& targets, const double* global, double stiffness,
               std::size_t steps)
      : table_(table), targets_(targets), global_(global), width_(table.columns.size()), steps_(steps),
        penalty_(stiffness / std::accumulate(targets.votes, targets.votes + table.n, 0.0)), rows_(table.n),
        delta_(width_, 0.0), weights_(width_) {
    std::iota(rows_.begin(), rows_.end(), 0);
  }

  // Writes the weights, which have the same sum as the global weights.
  void fit(double* out) {
    sharpen();
    std::vector<double> slope(width_), tried(width_), next(width_);
    double best = objective(delta_, slope.data()), step = 1.0;
    for (std::size_t i = 0; i < steps_; ++i) {
      const double length = std::inner_product(slope.begin(), slope.end(), slope.begin(), 0.0);
      if (!(length > 1e-12)) break;
      for (; step > 1e-6; step /= 4.0) {
        for (std::size_t a = 0; a < width_; ++a) tried[a] = delta_[a] - step * slope[a];
        const double found = objective(tried, next.data());
        if (!(found <= best - 1e-4 * step * length)) continue;
        best = found;
        delta_.swap(tried);
        slope.swap(next);
        break;
      }
      step *= 2.0;
    }
    write(out);
  }

 private:
  static constexpr double most = 20.0;  // limit of |delta|, so that weights stay finite

  // Chooses the sharpness, a factor of all weights, with the least loss under the global weights.
  void sharpen() {
    StretchCosts costs(table_);
    double sum = 0.0, count = 0.0;
    for (std::size_t i = 0; i < table_.n; ++i) {
      base::check_interrupt();
      const double* found = costs.measure(i, global_);
      for (std::size_t j = 0; j < table_.n; ++j) {
        const double often = targets_.votes[i] * (j == i ? std::max(targets_.votes[i] - 1.0, 0.0) : targets_.votes[j]);
        if (often > 0.0 && found[j] < base::infinity) sum += often * found[j], count += often;
      }
    }
    const double unit = sum > 0.0 ? count / sum : 1.0;
    double best = base::infinity, chosen = unit;
    for (double times = 0.5; times < 100.0; times *= 2.0) {
      sharpness_ = unit * times;
      const double loss = objective(delta_, nullptr);
      if (loss < best) best = loss, chosen = sharpness_;
    }
    sharpness_ = chosen;
  }

  double objective(const std::vector<double>& delta, double* slope) {
    double squares = 0.0;
    for (std::size_t a = 0; a < width_; ++a) {
      weights_[a] = sharpness_ * global_[a] * std::exp(std::clamp(delta[a], -most, most));
      squares += delta[a] * delta[a];
    }
    const double loss =
        stretch_loss(table_, targets_, weights_.data(), rows_.data(), table_.n, targets_.votes, 1, slope);
    for (std::size_t a = 0; a < width_ && slope != nullptr; ++a)
      slope[a] = slope[a] * weights_[a] + 2.0 * penalty_ * delta[a];
    return loss + penalty_ * squares;
  }

  void write(double* out) const {
    double before = 0.0, after = 0.0;
    for (std::size_t a = 0; a < width_; ++a) {
      out[a] = global_[a] * std::exp(std::clamp(delta_[a], -most, most));
      before += global_[a];
      after += out[a];
    }
    for (std::size_t a = 0; a < width_; ++a) out[a] *= before / after;
  }

  const StretchTable& table_;
  const StretchTargets& targets_;
  const double* global_;
  const std::size_t width_, steps_;
  const double penalty_;
  std::vector<std::int64_t> rows_;
  std::vector<double> delta_, weights_;
  double sharpness_ = 1.0;
};

// Fits the weights of one query to the rows near it. If the counts of these rows sum to at most 1, the weights are the
// global ones.
void fit_local(const Neighborhoods& around, const StretchTargets& told, const double* weights, double stiffness,
               std::size_t steps, std::size_t query, double* out) {
  const std::size_t width = around.coded.size();
  std::vector<double> cells, numbers, votes;
  std::vector<std::int64_t> labels;
  for (std::int64_t e = around.indptr[query]; e < around.indptr[query + 1]; ++e) {
    if (!(around.counts[e] > 0.0)) continue;
    const std::size_t row = static_cast<std::size_t>(around.near[e]);
    cells.insert(cells.end(), around.cells + row * width, around.cells + (row + 1) * width);
    votes.push_back(around.counts[e]);
    if (told.labels != nullptr) labels.push_back(told.labels[row]);
    if (told.numbers != nullptr) numbers.push_back(told.numbers[row]);
  }
  std::copy(weights, weights + width, out);
  if (!(std::accumulate(votes.begin(), votes.end(), 0.0) > 1.0)) return;
  const StretchTable table(around.plan, around.coded, cells.data(), votes.size());
  const StretchTargets targets{told.loss, labels.data(), numbers.data(), told.shares, votes.data()};
  LocalStretch(table, targets, weights, stiffness, steps).fit(out);
}

}  // namespace

std::vector<double> local_weights(const Neighborhoods& around, const StretchTargets& targets, const double* weights,
                                  double stiffness, std::size_t steps, std::size_t threads) {
  const std::size_t width = around.coded.size();
  std::vector<double> out(around.n_queries * width);
  base::for_blocks(around.n_queries, 1, threads, [&] {
    return [&](std::size_t start, std::size_t stop) {
      for (std::size_t q = start; q < stop; ++q)
        fit_local(around, targets, weights, stiffness, steps, q, out.data() + q * width);
    };
  });
  return out;
}

}  // namespace priorcase::relevance
