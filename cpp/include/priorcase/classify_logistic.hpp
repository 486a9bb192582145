// Multinomial logistic regression over the voters of each query, with a ridge, by Newton's method.
#pragma once

#include "priorcase/classify_design.hpp"

namespace priorcase {

struct LogisticRules {
  double ridge = 1;       // lambda: lambda^2 / 2 times the squared slopes of all classes are added to the loss
  int most_steps = 100;
  double tolerance = 1e-12;  // of the loss, relative to the voters' weight
};

// Minimises  -sum_i w_i ln p_i(class of i) + lambda^2 / 2 sum_c |beta_c|^2,  p_i = softmax(b_c + x_i' beta_c).
// The slopes of the classes sum to zero at the minimum, so the last class's are left out: with g_c = beta_c - beta_last the
// penalty is  sum_c |g_c|^2 - |sum_c g_c|^2 / classes.
class LocalLogistic {
 public:
  LocalLogistic(const ClassTask& task, const LogisticRules& rules) : task_(task), rules_(rules), voters_(task), design_(task) {}

  // Probabilities of all classes for one query, 0 for classes without a voter. True where the minimum was reached.
  bool answer(std::size_t q, double* out) {
    std::fill(out, out + task_.classes, 0.0);
    voters_.gather(q);
    const std::size_t present = voters_.present.size();
    if (present == 1) return out[voters_.present[0]] = 1.0, true;
    design_.build(q, voters_);
    begin(present);
    const bool reached = descend();
    linear_.resize(present);
    shares(design_.line(voters_.size()), theta_, linear_.data());
    for (std::size_t l = 0; l < present; ++l) out[voters_.present[l]] = linear_[l];
    return reached;
  }

 private:
  // Every class its share, and no slopes.
  void begin(std::size_t present) {
    free_ = present - 1, width_ = design_.width(), size_ = free_ * width_;
    theta_.assign(size_, 0.0);
    total_ = 0;
    for (const double mass : voters_.masses) total_ += mass;
    for (std::size_t c = 0; c < free_; ++c) theta_[c * width_] = std::log(voters_.masses[c] / voters_.masses[free_]);
    probabilities_.resize(voters_.size() * present);
  }

  bool descend() {
    double loss = evaluate(theta_);
    for (int step = 0; step < rules_.most_steps; ++step) {
      derive();
      solve();
      double slope = 0;
      for (std::size_t j = 0; j < size_; ++j) slope += gradient_[j] * move_[j];
      const bool close = slope <= rules_.tolerance * total_;
      double length = 1;
      for (int halving = 0;; ++halving, length *= 0.5) {
        trial_ = theta_;
        for (std::size_t j = 0; j < size_; ++j) trial_[j] -= length * move_[j];
        const double found = evaluate(trial_);
        if (found <= loss - 1e-4 * length * slope) {
          loss = found, theta_.swap(trial_);
          break;
        }
        if (close || halving == most_halvings) return close;  // nothing left but rounding
      }
      if (close) return true;
    }
    return false;
  }

  // The loss, and the probabilities of each voter's classes in passing.
  double evaluate(const std::vector<double>& theta) {
    const std::size_t present = free_ + 1;
    double loss = 0;
    for (std::size_t i = 0; i < voters_.size(); ++i) {
      double* p = &probabilities_[i * present];
      loss -= voters_.weights[i] * shares(design_.line(i), theta, p, voters_.of[i]);
    }
    double squares = 0;
    for (std::size_t j = 1; j < width_; ++j) {
      double sum = 0;
      for (std::size_t c = 0; c < free_; ++c) {
        const double g = theta[c * width_ + j];
        squares += g * g, sum += g;
      }
      squares -= sum * sum / static_cast<double>(present);
    }
    return loss + 0.5 * rules_.ridge * rules_.ridge * squares;
  }

  // The probabilities of the classes on one line of the design, and the logarithm of one of them.
  double shares(const double* x, const std::vector<double>& theta, double* p, std::size_t of = 0) const {
    double most = p[free_] = 0;
    for (std::size_t c = 0; c < free_; ++c) {
      double sum = 0;
      for (std::size_t j = 0; j < width_; ++j) sum += x[j] * theta[c * width_ + j];
      most = std::max(most, p[c] = sum);
    }
    const double own = p[of] - most;
    double total = 0;
    for (std::size_t c = 0; c <= free_; ++c) total += p[c] = std::exp(p[c] - most);
    for (std::size_t c = 0; c <= free_; ++c) p[c] /= total;
    return own - std::log(total);
  }

  // Gradient and Hessian (lower triangle) of the loss at the point last evaluated.
  void derive() {
    gradient_.assign(size_, 0.0), hessian_.assign(size_ * size_, 0.0);
    const std::size_t present = free_ + 1;
    for (std::size_t i = 0; i < voters_.size(); ++i) {
      const double *p = &probabilities_[i * present], *x = design_.line(i), w = voters_.weights[i];
      for (std::size_t c = 0; c < free_; ++c) {
        const double off = w * (p[c] - (voters_.of[i] == c ? 1.0 : 0.0));
        for (std::size_t j = 0; j < width_; ++j) gradient_[c * width_ + j] += off * x[j];
        for (std::size_t d = 0; d <= c; ++d) add_outer(w * p[c] * ((c == d ? 1.0 : 0.0) - p[d]), x, c, d);
      }
    }
    for (std::size_t c = 0; c < free_; ++c)  // blocks beside the diagonal are symmetric too
      for (std::size_t d = 0; d < c; ++d)
        for (std::size_t j = 0; j < width_; ++j)
          for (std::size_t l = j + 1; l < width_; ++l) at(c, j, d, l) = at(c, l, d, j);
    penalise();
  }

  void add_outer(double s, const double* x, std::size_t c, std::size_t d) {
    for (std::size_t j = 0; j < width_; ++j) {
      const double t = s * x[j];
      double* line = &at(c, j, d, 0);
      for (std::size_t l = 0; l <= j; ++l) line[l] += t * x[l];
    }
  }

  void penalise() {
    const double lambda = rules_.ridge * rules_.ridge, share = 1 / static_cast<double>(free_ + 1);
    for (std::size_t j = 1; j < width_; ++j) {
      double sum = 0;
      for (std::size_t c = 0; c < free_; ++c) sum += theta_[c * width_ + j];
      for (std::size_t c = 0; c < free_; ++c) {
        gradient_[c * width_ + j] += lambda * (theta_[c * width_ + j] - sum * share);
        for (std::size_t d = 0; d <= c; ++d) at(c, j, d, j) += lambda * ((c == d ? 1.0 : 0.0) - share);
      }
    }
  }

  double& at(std::size_t c, std::size_t j, std::size_t d, std::size_t l) {
    return hessian_[(c * width_ + j) * size_ + d * width_ + l];
  }

  // Newton's step; where rounding has made the Hessian singular its diagonal is raised until it is not.
  void solve() {
    for (double raise = 0; raise < 1e3; raise = raise == 0 ? 1e-12 : raise * 10) {
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
      for (std::size_t l = 0; l < j; ++l) {
        const double* other = &factor_[l * size_];
        double sum = line[l];
        for (std::size_t m = 0; m < l; ++m) sum -= line[m] * other[m];
        line[l] = sum / other[l];
      }
      const double before = line[j];
      double pivot = before;
      for (std::size_t m = 0; m < j; ++m) pivot -= line[m] * line[m];
      if (!(pivot > 1e-14 * before)) return false;
      line[j] = std::sqrt(pivot);
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

  static constexpr int most_halvings = 40;

  const ClassTask& task_;
  const LogisticRules& rules_;
  LocalVoters voters_;
  LocalDesign design_;
  std::size_t free_ = 0, width_ = 0, size_ = 0;
  double total_ = 0;
  std::vector<double> theta_, trial_, move_, gradient_, hessian_, factor_, probabilities_, linear_;
};

}  // namespace priorcase
