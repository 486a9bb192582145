// Multinomial logistic regression over the voters of each query, with a ridge, by Newton's method.
#pragma once

#include "local/classify_columns.hpp"

namespace priorcase::local {

struct LogisticRules {
  double ridge;      // lambda: lambda^2 / 2 times the squared slopes of all classes are added to the loss
  int most_steps;
  double tolerance;  // a step that can gain no more than this share of the voters' weight is the last
};

// Minimises  -sum_i w_i ln p_i(class of i) + lambda^2 / 2 sum_c |b_c|^2  with p_i = softmax over c of a_c + x_i' b_c.
// The slopes sum to zero over the classes at the minimum, so those of the last class are left out: with g_c = b_c - b_last
// the penalty is  sum_c |g_c|^2 - |sum_c g_c|^2 / classes.
class LocalLogistic {
 public:
  LocalLogistic(const ClassTask& task, const LogisticRules& rules) : task_(task), rules_(rules), voters_(task) {}

  // Probabilities of all classes for one query, 0 for classes without a voter. False where the fit was given up.
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
  // Every class its share, and no slopes.
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
      derive();
      solve();
      double slope = 0.0;
      for (std::size_t j = 0; j < size_; ++j) slope += gradient_[j] * move_[j];
      if (slope <= rules_.tolerance * total_) {  // so near the minimum the whole step is right, and the loss is rounding
        for (std::size_t j = 0; j < size_; ++j) theta_[j] -= move_[j];
        return true;
      }
      if (!step_down(loss, slope)) return false;
    }
    return false;
  }

  // Moves by Newton's step, or by as small a part of it as makes the loss fall; false where none does.
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

  // The loss, and in passing the probabilities of the classes of each voter.
  double evaluate(const std::vector<double>& theta) {
    const std::size_t n = design_.length();
    std::fill_n(shares_[free_], n, 0.0);
    for (std::size_t c = 0; c < free_; ++c) {
      std::fill_n(shares_[c], n, 0.0);
      for (std::size_t j = 0; j < width_; ++j) sums_->add_multiple(theta[c * width_ + j], design_[j], shares_[c], n);
    }
    double loss = 0.0;
    for (std::size_t i = 0; i < voters_.size(); ++i) loss -= voters_.weight(i) * soften(i);
    return loss + 0.5 * rules_.ridge * rules_.ridge * squares(theta);
  }

  // Scores of one voter's classes become probabilities; the logarithm of that of its own class.
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

  // Gradient and Hessian (its lower triangle) of the loss at the point last evaluated.
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
          off[i] = i < voters_.size() ? voters_.weight(i) * shares_[c][i] * ((c == d ? 1.0 : 0.0) - shares_[d][i]) : 0.0;
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

  // Newton's step; where rounding has made the Hessian singular its diagonal is raised until it is not.
  void solve() {
    for (double raise = 0.0; raise < 1e3; raise = raise == 0.0 ? 1e-12 : raise * 10) {
      factor_ = hessian_;
      for (std::size_t j = 0; j < size_; ++j) factor_[j * size_ + j] += raise * (factor_[j * size_ + j] + total_);
      if (!cholesky()) continue;
      move_ = gradient_;
      return substitute();
    }
    move_.assign(size_, 0.0);
  }

  bool cholesky() {
    for (std::size_t j = 0; j < size_; ++j) {
      double* line = &factor_[j * size_];
      const double before = line[j];
      for (std::size_t l = 0; l < j; ++l) {
        const double* other = &factor_[l * size_];
        for (std::size_t m = 0; m < l; ++m) line[l] -= line[m] * other[m];
        line[l] /= other[l];
        line[j] -= line[l] * line[l];
      }
      if (!(line[j] > 1e-14 * before)) return false;
      line[j] = std::sqrt(line[j]);
    }
    return true;
  }

  void substitute() {
    for (std::size_t j = 0; j < size_; ++j) {
      for (std::size_t m = 0; m < j; ++m) move_[j] -= factor_[j * size_ + m] * move_[m];
      move_[j] /= factor_[j * size_ + j];
    }
    for (std::size_t j = size_; j-- > 0;) {
      move_[j] /= factor_[j * size_ + j];
      for (std::size_t m = 0; m < j; ++m) move_[m] -= factor_[j * size_ + m] * move_[j];
    }
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
  const ClassTask& task_;
  const LogisticRules& rules_;
  ClassVoters voters_;
  CentredColumns design_;
  Columns shares_, scratch_;
  std::size_t free_ = 0, width_ = 0, size_ = 0;
  double total_ = 0.0;
  std::vector<double> theta_, trial_, move_, gradient_, hessian_, factor_;
};

}  // namespace priorcase::local
