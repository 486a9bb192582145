#include "local/classifiers.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/numbers.hpp"
#include "base/threads.hpp"

namespace priorcase::local {

namespace {

// The voters of one query (see Voters). The classes that occur among them are numbered by first occurrence.
class ClassVoters {
 public:
  explicit ClassVoters(const LocalClassTask& task) : task_(task), number_(task.n_classes, absent) {}

  void take(std::size_t q) {
    for (const std::size_t c : present_) number_[c] = absent;
    present_.clear();
    masses_.clear();
    of_.clear();
    weights_.clear();
    voters_.take(task_.lists, q);
    for (std::size_t i = 0; i < voters_.size(); ++i) {
      const auto c = static_cast<std::size_t>(task_.codes[voters_.row(i)]);
      if (number_[c] == absent) {
        number_[c] = present_.size();
        present_.push_back(c);
        masses_.push_back(0.0);
      }
      of_.push_back(number_[c]);
      weights_.push_back(voters_.restore(voters_.weights()[i]));
      masses_[number_[c]] += weights_.back();
    }
  }

  std::size_t size() const { return voters_.size(); }
  const Voters& voters() const { return voters_; }
  // The classes that occur among the voters, and the total weight of class number l.
  const std::vector<std::size_t>& present() const { return present_; }
  double mass(std::size_t l) const { return masses_[l]; }
  // For voter i: the number of its class, its weight, and a cell of its row.
  std::size_t of(std::size_t i) const { return of_[i]; }
  double weight(std::size_t i) const { return weights_[i]; }
  double cell(std::size_t i, std::size_t a) const {
    return task_.table.cells[static_cast<std::size_t>(voters_.row(i)) * task_.table.n_attributes + a];
  }

 private:
  static constexpr std::size_t absent = static_cast<std::size_t>(-1);

  const LocalClassTask& task_;
  Voters voters_;
  std::vector<std::size_t> number_, present_, of_;
  std::vector<double> masses_, weights_;
};

// Naive Bayes -----------------------------------------------------------------------------------------------------

class LocalBayes {
 public:
  LocalBayes(const LocalClassTask& task, const BayesRules& rules) : task_(task), rules_(rules), voters_(task) {}

  // Computes the probabilities of all classes for one query. Classes without voters share the last score, and differ
  // only in their priors.
  void answer(std::size_t q, double* out) {
    voters_.take(q);
    const std::size_t lines = voters_.present().size() + 1;
    scores_.assign(lines, 0.0);
    for (std::size_t a = 0; a < task_.table.n_attributes; ++a) {
      const double asked = task_.query(q)[a];
      if (std::isnan(asked)) continue;
      if (task_.table.kinds[a] == LocalTable::numeric) add_density(a, asked);
      else add_share(a, asked);
    }
    for (std::size_t c = 0; c < task_.n_classes; ++c) out[c] = std::log(rules_.class_prior[c]) + scores_.back();
    for (std::size_t l = 0; l + 1 < lines; ++l) {
      const std::size_t c = voters_.present()[l];
      out[c] = std::log(voters_.mass(l) + rules_.class_prior[c]) + scores_[l];
    }
    normalise(out);
  }

 private:
  void clear() {
    const std::size_t lines = voters_.present().size() + 1;
    known_.assign(lines, 0.0), sums_.assign(lines, 0.0), spread_.assign(lines, 0.0);
  }

  // Adds ln((f + s) / (n + K s)) to the score of each class. K is one larger if the query's value is unseen.
  void add_share(std::size_t a, double asked) {
    clear();
    for (std::size_t i = 0; i < voters_.size(); ++i) {
      const double cell = voters_.cell(i, a);
      if (std::isnan(cell)) continue;
      known_[voters_.of(i)] += voters_.weight(i);
      if (cell == asked) sums_[voters_.of(i)] += voters_.weight(i);
    }
    const double values = static_cast<double>(rules_.sizes[a] + (asked < 0)), s = rules_.value_prior;
    for (std::size_t l = 0; l < scores_.size(); ++l) scores_[l] += std::log((sums_[l] + s) / (known_[l] + values * s));
  }

  // Adds the log density of the query's number to the score of each class. Numbers are shifted and scaled so that the
  // query is at 0 and the unit is the column's spread.
  void add_density(std::size_t a, double asked) {
    clear();
    numbers_.resize(voters_.size());
    double n = 0, sum = 0, low = base::infinity, high = -base::infinity;
    for (std::size_t i = 0; i < voters_.size(); ++i) {
      const double z = numbers_[i] = (voters_.cell(i, a) - asked) / task_.table.scales[a], w = voters_.weight(i);
      if (std::isnan(z)) continue;
      known_[voters_.of(i)] += w, sums_[voters_.of(i)] += w * z;
      n += w, sum += w * z;
      low = std::min(low, z), high = std::max(high, z);
    }
    if (!(low < high)) return;  // fewer than two distinct numbers: the column is ignored
    const double mean = sum / n;
    means_.assign(scores_.size(), mean);
    for (std::size_t l = 0; l < scores_.size(); ++l) if (known_[l] > 0) means_[l] = sums_[l] / known_[l];
    double all = 0;
    for (std::size_t i = 0; i < voters_.size(); ++i) {
      if (std::isnan(numbers_[i])) continue;
      const double away = numbers_[i] - means_[voters_.of(i)], far = numbers_[i] - mean;
      spread_[voters_.of(i)] += voters_.weight(i) * (away * away), all += voters_.weight(i) * (far * far);
    }
    add_terms(n, mean, all);
  }

  // Ignores the column if the log density of any class is not finite in float64.
  void add_terms(double n, double mean, double all) {
    bool finite = true;
    for (std::size_t l = 0; l < scores_.size(); ++l) {
      sums_[l] = rules_.student ? averaged(l, n, mean, all) : plugged(l, n, all);
      finite = finite && std::isfinite(sums_[l]);
    }
    for (std::size_t l = 0; finite && l < scores_.size(); ++l) scores_[l] += sums_[l];
  }

  // Returns the log density at 0 of Student's t: the posterior predictive under a Normal-Gamma prior with the mean and
  // variance of all voters.
  double averaged(std::size_t l, double n_all, double mean, double all) const {
    const double n = known_[l], k = rules_.strength + n, away = means_[l] - mean;
    const double location = mean + n / k * away, a = 0.5 * (rules_.degrees + n);
    const double b = 0.5 * (rules_.degrees * (all / n_all) + spread_[l] + rules_.strength * (n / k) * (away * away));
    const double q = k / (2 * b * (k + 1));
    return log_half_rising(a) + 0.5 * std::log(q / std::numbers::pi) - (a + 0.5) * std::log1p(location * location * q);
  }

  // Returns the log of the normal density at 0. If the known values of a class have a total weight below 2, the
  // variance of all voters is used.
  double plugged(std::size_t l, double n_all, double all) const {
    const double overall = all / std::max(n_all - 1, n_all / 2), n = known_[l];
    const double variance = n >= 2 ? spread_[l] / (n - 1) + rules_.smoothing * overall : overall;
    return -0.5 * (std::log(2 * std::numbers::pi * variance) + means_[l] * means_[l] / variance);
  }

  void normalise(double* out) const {
    const double most = *std::max_element(out, out + task_.n_classes);
    double total = 0;
    for (std::size_t c = 0; c < task_.n_classes; ++c) total += out[c] = std::exp(out[c] - most);
    for (std::size_t c = 0; c < task_.n_classes; ++c) out[c] /= total;
  }

  const LocalClassTask& task_;
  const BayesRules& rules_;
  ClassVoters voters_;
  std::vector<double> scores_, known_, sums_, means_, spread_, numbers_;
};

// Logistic regression ---------------------------------------------------------------------------------------------

// The columns of a local design, prepared for a ridge fit. Column 0 is 1 for every voter. From the other columns, the
// weighted means are subtracted, which does not change a fit with an unpenalized intercept; constant columns are left
// out. If there are more columns than voters, coordinates in an orthonormal basis replace the other columns.
class CentredColumns {
 public:
  void build(const LocalClassTask& task, std::size_t q, const ClassVoters& voters) {
    n_ = voters.size();
    design_.build(task.table, task.query(q), voters.voters(), 1);
    centre(voters.voters());
    if (columns_.count() > n_) reduce();
  }

  std::size_t count() const { return columns_.count(); }
  std::size_t length() const { return columns_.length(); }
  // Entries of a column after the last voter are 0.
  const double* operator[](std::size_t j) const { return columns_[j]; }
  // The values of the columns at the query, where all deviations are 0 before the means are subtracted.
  const std::vector<double>& query() const { return query_; }

 private:
  void centre(const Voters& voters) {
    const Columns& found = design_.columns();
    const std::size_t n = found.length();
    const double total = sums_->sum(voters.weights(), n);
    columns_.reshape(n_, found.count() + 1);
    fill_ones(columns_[0]);
    query_.assign(1, 1.0);
    for (std::size_t j = 0; j < found.count(); ++j) {
      const auto [low, high] = std::minmax_element(found[j], found[j] + n_);
      const double mean = sums_->dot(voters.weights(), found[j], n) / total;
      if (!(*low < *high) || !std::isfinite(mean)) continue;
      double* column = columns_[query_.size()];
      for (std::size_t i = 0; i < n; ++i) column[i] = i < n_ ? found[j][i] - mean : 0.0;
      query_.push_back(-mean);
    }
    columns_.keep(query_.size());
  }

  void fill_ones(double* column) const {
    for (std::size_t i = 0; i < columns_.length(); ++i) column[i] = i < n_ ? 1.0 : 0.0;
  }

  // The slopes of a ridge fit lie in the span of the voters' rows of the design, so coordinates in an orthonormal basis
  // of that span give the same fit. The basis is computed by Gram-Schmidt; the second pass removes rounding errors.
  void reduce() {
    const std::size_t p = columns_.count() - 1;
    basis_.clear();
    for (std::size_t i = 0; i < n_; ++i) {
      check_interrupt(basis_.size());
      line_.resize(p);
      for (std::size_t j = 0; j < p; ++j) line_[j] = columns_[j + 1][i];
      const double before = norm(line_);
      for (int pass = 0; pass < 2; ++pass)
        for (std::size_t r = 0; r < basis_.size(); r += p) {
          const double along = inner(&basis_[r], line_.data(), p);
          for (std::size_t j = 0; j < p; ++j) line_[j] -= along * basis_[r + j];
        }
      const double left = norm(line_);
      if (!(left > 1e-12 * before)) continue;
      for (const double x : line_) basis_.push_back(x / left);
    }
    rotate(p, basis_.size() / p);
  }

  void rotate(std::size_t p, std::size_t rank) {
    rotated_.reshape(n_, rank + 1);
    fill_ones(rotated_[0]);
    line_.assign(rank + 1, 1.0);
    for (std::size_t r = 0; r < rank; ++r) {
      double* column = rotated_[r + 1];
      std::fill(column, column + rotated_.length(), 0.0);
      for (std::size_t j = 0; j < p; ++j)
        sums_->add_multiple(basis_[r * p + j], columns_[j + 1], column, rotated_.length());
      line_[r + 1] = inner(&basis_[r * p], query_.data() + 1, p);
    }
    std::swap(columns_, rotated_);
    query_ = line_;
  }

  static double inner(const double* x, const double* y, std::size_t n) {
    double sum = 0.0;
    for (std::size_t j = 0; j < n; ++j) sum += x[j] * y[j];
    return sum;
  }
  static double norm(const std::vector<double>& x) { return std::sqrt(inner(x.data(), x.data(), x.size())); }

  const ColumnSums* sums_ = &column_sums();
  std::size_t n_ = 0;
  LocalDesign design_;
  Columns columns_, rotated_;
  std::vector<double> query_, line_, basis_;
};

// Minimises  -sum_i w_i ln p_i(class of i) + lambda^2 / 2 sum_c |b_c|^2  with p_i = softmax over c of a_c + x_i' b_c.
// At the minimum, the slopes sum to zero over the classes, so they are determined by the differences
// g_c = b_c - b_last, and  sum_c |b_c|^2 = sum_c |g_c|^2 - |sum_c g_c|^2 / classes.  Only the differences are fitted.
class LocalLogistic {
 public:
  LocalLogistic(const LocalClassTask& task, const LogisticRules& rules) : task_(task), rules_(rules), voters_(task) {}

  // Computes the probabilities of all classes for one query, 0 for classes without voters. Returns false if the fit
  // did not converge.
  bool answer(std::size_t q, double* out) {
    std::fill(out, out + task_.n_classes, 0.0);
    voters_.take(q);
    const std::size_t present = voters_.present().size();
    if (present == 1) {
      out[voters_.present()[0]] = 1.0;
      return true;
    }
    design_.build(task_, q, voters_);
    begin(present);
    const bool reached = descend();
    const std::vector<double> shares = at_query();
    for (std::size_t l = 0; l < present; ++l) out[voters_.present()[l]] = shares[l];
    return reached;
  }

 private:
  // Starts with slopes 0, and with intercepts that give each class its share of the weight.
  void begin(std::size_t present) {
    free_ = present - 1, width_ = design_.count(), size_ = free_ * width_;
    shares_.reshape(voters_.size(), present);
    scratch_.reshape(voters_.size(), 2);
    theta_.assign(size_, 0.0);
    total_ = 0.0;
    for (std::size_t l = 0; l < present; ++l) total_ += voters_.mass(l);
    for (std::size_t c = 0; c < free_; ++c) theta_[c * width_] = std::log(voters_.mass(c) / voters_.mass(free_));
  }

  bool descend() {
    double loss = evaluate(theta_);
    for (int step = 0; step < rules_.most_steps; ++step) {
      check_interrupt(size_ * design_.length());
      derive();
      solve();
      double slope = 0.0;
      for (std::size_t j = 0; j < size_; ++j) slope += gradient_[j] * move_[j];
      // Near the minimum, the full step is accurate, while differences of the loss are rounding errors.
      if (slope <= rules_.tolerance * total_) {
        for (std::size_t j = 0; j < size_; ++j) theta_[j] -= move_[j];
        return true;
      }
      if (!step_down(loss, slope)) return false;
    }
    return false;
  }

  // Takes the Newton step, halved until the loss decreases enough. Returns false if no step does.
  bool step_down(double& loss, double slope) {
    double length = 1.0;
    for (int halving = 0; halving <= most_halvings; ++halving, length *= 0.5) {
      trial_ = theta_;
      for (std::size_t j = 0; j < size_; ++j) trial_[j] -= length * move_[j];
      const double found = evaluate(trial_);
      if (found > loss - 1e-4 * length * slope) continue;
      loss = found;
      theta_.swap(trial_);
      return true;
    }
    return false;
  }

  // Returns the loss. Also computes the class probabilities of each voter.
  double evaluate(const std::vector<double>& theta) {
    const std::size_t n = design_.length();
    std::fill_n(shares_[free_], n, 0.0);
    for (std::size_t c = 0; c < free_; ++c) {
      check_interrupt(width_ * n);
      std::fill_n(shares_[c], n, 0.0);
      for (std::size_t j = 0; j < width_; ++j) sums_->add_multiple(theta[c * width_ + j], design_[j], shares_[c], n);
    }
    double loss = 0.0;
    for (std::size_t i = 0; i < voters_.size(); ++i) loss -= voters_.weight(i) * soften(i);
    return loss + 0.5 * rules_.ridge * rules_.ridge * squares(theta);
  }

  // Converts the class scores of one voter to probabilities. Returns the log probability of its own class.
  double soften(std::size_t i) {
    double most = shares_[0][i], total = 0.0;
    for (std::size_t c = 1; c <= free_; ++c) most = std::max(most, shares_[c][i]);
    const double own = shares_[voters_.of(i)][i] - most;
    for (std::size_t c = 0; c <= free_; ++c) total += shares_[c][i] = std::exp(shares_[c][i] - most);
    for (std::size_t c = 0; c <= free_; ++c) shares_[c][i] /= total;
    return own - std::log(total);
  }

  double squares(const std::vector<double>& theta) const {
    double squares = 0.0;
    for (std::size_t j = 1; j < width_; ++j) {
      double sum = 0.0;
      for (std::size_t c = 0; c < free_; ++c) {
        const double g = theta[c * width_ + j];
        squares += g * g, sum += g;
      }
      squares -= sum * sum / static_cast<double>(free_ + 1);
    }
    return squares;
  }

  // Computes the gradient of the loss, and the lower triangle of its Hessian, at the point last evaluated.
  void derive() {
    const std::size_t n = design_.length();
    double *off = scratch_[0], *scaled = scratch_[1];
    gradient_.resize(size_), hessian_.resize(size_ * size_);
    for (std::size_t c = 0; c < free_; ++c) {
      for (std::size_t i = 0; i < n; ++i)
        off[i] = i < voters_.size() ? voters_.weight(i) * (shares_[c][i] - (voters_.of(i) == c ? 1.0 : 0.0)) : 0.0;
      sums_->dots(off, design_[0], width_, n, &gradient_[c * width_]);
      for (std::size_t d = 0; d <= c; ++d) {
        for (std::size_t i = 0; i < n; ++i)
          off[i] = i < voters_.size()
                       ? voters_.weight(i) * shares_[c][i] * ((c == d ? 1.0 : 0.0) - shares_[d][i]) : 0.0;
        check_interrupt(width_ * width_ * n);
        for (std::size_t j = 0; j < width_; ++j) {
          sums_->multiply(off, design_[j], scaled, n);
          sums_->dots(scaled, design_[0], j + 1, n, &at(c, j, d, 0));
          for (std::size_t l = 0; l < j; ++l) at(c, l, d, j) = at(c, j, d, l);
        }
      }
    }
    penalise();
  }

  void penalise() {
    const double penalty = rules_.ridge * rules_.ridge, share = 1.0 / static_cast<double>(free_ + 1);
    for (std::size_t j = 1; j < width_; ++j) {
      double sum = 0.0;
      for (std::size_t c = 0; c < free_; ++c) sum += theta_[c * width_ + j];
      for (std::size_t c = 0; c < free_; ++c) {
        gradient_[c * width_ + j] += penalty * (theta_[c * width_ + j] - sum * share);
        for (std::size_t d = 0; d <= c; ++d) at(c, j, d, j) += penalty * ((c == d ? 1.0 : 0.0) - share);
      }
    }
  }

  double& at(std::size_t c, std::size_t j, std::size_t d, std::size_t l) {
    return hessian_[(c * width_ + j) * size_ + d * width_ + l];
  }

  // Computes the Newton step. If the Hessian is singular because of rounding errors, its diagonal is raised until it is
  // positive definite.
  void solve() {
    for (double raise = 0.0; raise < 1e3; raise = raise == 0.0 ? 1e-12 : raise * 10) {
      double* matrix = factor_.reshape(size_);
      std::copy(hessian_.begin(), hessian_.end(), matrix);
      for (std::size_t j = 0; j < size_; ++j) matrix[j * size_ + j] += raise * (matrix[j * size_ + j] + total_);
      if (!factor_.factorise(1e-14, 0.0)) continue;
      move_ = gradient_;
      factor_.forward(move_.data());
      return factor_.backward_by_rows(move_.data());
    }
    move_.assign(size_, 0.0);
  }

  std::vector<double> at_query() const {
    std::vector<double> p(free_ + 1, 0.0);
    for (std::size_t c = 0; c < free_; ++c)
      for (std::size_t j = 0; j < width_; ++j) p[c] += theta_[c * width_ + j] * design_.query()[j];
    const double most = *std::max_element(p.begin(), p.end());
    double total = 0.0;
    for (double& share : p) total += share = std::exp(share - most);
    for (double& share : p) share /= total;
    return p;
  }

  static constexpr int most_halvings = 40;

  const ColumnSums* sums_ = &column_sums();
  const LocalClassTask& task_;
  const LogisticRules& rules_;
  ClassVoters voters_;
  CentredColumns design_;
  Columns shares_, scratch_;
  std::size_t free_ = 0, width_ = 0, size_ = 0;
  double total_ = 0.0;
  std::vector<double> theta_, trial_, move_, gradient_, hessian_;
  Cholesky factor_;
};

// Calls answer(model, query) for all queries, with one model per thread.
template <class Model, class Rules, class Answer>
void for_queries(const LocalClassTask& task, const Rules& rules, std::size_t threads, const Answer& answer) {
  const auto n_voters = static_cast<std::size_t>(task.lists.indptr[task.n_queries]);
  const QueryBlocks blocks(task.n_queries, n_voters, task.table.n_attributes);
  const auto make = [&] {
    return [&, model = Model(task, rules)](std::size_t start, std::size_t stop) mutable {
      for (std::size_t q = start; q < stop; ++q) {
        base::check_interrupt();
        answer(model, q);
      }
    };
  };
  base::for_blocks(task.n_queries, blocks.block, threads, make, blocks.least);
}

}  // namespace

double log_half_rising(double a) {
  double ratio = 1;
  for (; a < 16; a += 1) ratio *= a / (a + 0.5);
  const double u = 1 / a, v = u * u;
  const double series = u * (-1.0 / 8 + v * (1.0 / 192 + v * (-1.0 / 640 + v * (17.0 / 14336))));
  return std::log(ratio) + 0.5 * std::log(a) + series;
}

std::vector<double> bayes_probabilities(const LocalClassTask& task, const BayesRules& rules, std::size_t threads) {
  std::vector<double> out(task.n_queries * task.n_classes);
  for_queries<LocalBayes>(task, rules, threads, [&](LocalBayes& model, std::size_t q) {
    model.answer(q, &out[q * task.n_classes]);
  });
  return out;
}

LogisticAnswers logistic_probabilities(const LocalClassTask& task, const LogisticRules& rules, std::size_t threads) {
  LogisticAnswers out{std::vector<double>(task.n_queries * task.n_classes), std::vector<std::uint8_t>(task.n_queries)};
  for_queries<LocalLogistic>(task, rules, threads, [&](LocalLogistic& model, std::size_t q) {
    out.reached[q] = model.answer(q, &out.probabilities[q * task.n_classes]);
  });
  return out;
}

}  // namespace priorcase::local
