// One attribute of one query, ready to be compared with any stored value.
#pragma once

#include <cmath>
#include <vector>

#include "search/plan.hpp"

namespace priorcase::search {

class Difference {
 public:
  enum class State { known, unseen, missing };

  Difference() = default;
  Difference(Difference&&) = default;
  Difference(const Difference&) = delete;  // own_ may point into profile_

  // coded: the cell holds a symbol's code or a level's rank, so that a negative query means "never seen".
  void prepare(const Plan& plan, std::size_t a, bool coded, double query) {
    attribute_ = &plan[a];
    power_ = plan.power;
    query_ = query;
    state = std::isnan(query) ? State::missing : (coded && query < 0 ? State::unseen : State::known);
    switch (attribute_->kind) {
      case Attribute::Kind::linear: prepare_linear(); break;
      case Attribute::Kind::curve: prepare_curve(); break;
      case Attribute::Kind::profile: prepare_profile(); break;
      default: break;
    }
  }

  // f against a missing stored value.
  double against_missing() const {
    const Attribute& at = *attribute_;
    if (at.kind == Attribute::Kind::profile && !at.missing.empty()) {
      if (own_ == nullptr) return at.f_unseen;
      return power_(at.rule(own_, at.missing.data(), at.width, own_factor_));
    }
    if (state == State::missing) return at.f_both;
    if (at.kind == Attribute::Kind::linear && at.aha && state == State::known) return farthest(query_);
    return at.f_one;
  }

  // f against a stored value that is known.
  double against(double x) const {
    const Attribute& at = *attribute_;
    switch (at.kind) {
      case Attribute::Kind::linear:
        if (state == State::known) return linear(x);
        if (state == State::missing && at.aha) return farthest(x);
        break;
      case Attribute::Kind::curve:
        if (state == State::known) {
          at.profile_at(x, scratch_.data());
          return power_(at.rule(scratch_.data(), own_, at.width, own_factor_));
        }
        break;
      case Attribute::Kind::overlap:
        if (state == State::known) return x == query_ ? 0.0 : at.f_differ;
        break;
      case Attribute::Kind::profile:
        if (own_ != nullptr)
          return power_(at.rule(own_, at.profiles.data() + static_cast<std::size_t>(x) * at.width, at.width, own_factor_));
        break;
      case Attribute::Kind::table:
        if (state == State::known)
          return at.profiles[static_cast<std::size_t>(query_) * at.count + static_cast<std::size_t>(x)];
        break;
      case Attribute::Kind::unset: break;
    }
    return state == State::unseen ? at.f_unseen : at.f_one;
  }

  // The number in [low, high] whose f is smallest: where the lower bound of a bin is taken.
  double nearest_within(double low, double high) const {
    const double aim = state == State::known ? query_ : low_ + scale / 2;
    return std::min(std::max(aim, low), high);
  }

  bool is_linear() const {
    return attribute_->kind == Attribute::Kind::linear && state == State::known && !attribute_->cap && scale > 0.0 &&
           scale < base::infinity;
  }

  // A column without any spread: all known values are alike.
  bool is_flat() const {
    return attribute_->kind == Attribute::Kind::linear && state == State::known && scale == 0.0;
  }

  // Lower bounds of weight times f over intervals; infinite where the interval is empty.
  void bound_bins(const double* low, const double* high, std::size_t n, double weight, double* out) const {
    for (std::size_t i = 0; i < n; ++i) {
      const double nearest = std::min(std::max(query_, low[i]), high[i]);
      out[i] = std::fabs(nearest - query_);
    }
    if (scale != 1.0)
      for (std::size_t i = 0; i < n; ++i) out[i] /= scale;
    if (power_.whole() == 2)
      for (std::size_t i = 0; i < n; ++i) out[i] = weight * (out[i] * out[i]);
    else
      for (std::size_t i = 0; i < n; ++i) out[i] = weight * power_(out[i]);
  }

  // Lower bound of f over a box of profiles, widened against rounding.
  double against_box(const double* low, const double* high) const {
    const Attribute& at = *attribute_;
    for (std::size_t c = 0; c < at.width; ++c)
      scratch_[c] = std::min(std::max(own_[c], low[c] - 1e-12), high[c] + 1e-12);
    return power_(at.rule(scratch_.data(), own_, at.width, own_factor_));
  }

  const Attribute& attribute() const { return *attribute_; }
  double query() const { return query_; }

  State state = State::missing;
  double scale = 1.0;

 private:
  void prepare_linear() {
    const Attribute& at = *attribute_;
    low_ = at.low;
    scale = at.scale;
    if (!at.widen) return;
    const bool stretch = state == State::known;
    low_ = stretch ? std::min(at.low, query_) : at.low;
    scale = (stretch ? std::max(at.high, query_) : at.high) - low_;
  }

  void prepare_curve() {
    const Attribute& at = *attribute_;
    scratch_.resize(at.width);
    own_factor_ = at.factors.front();
    own_ = nullptr;
    if (state != State::known) return;
    profile_.resize(at.width);
    at.profile_at(query_, profile_.data());
    own_ = profile_.data();
  }

  void prepare_profile() {
    const Attribute& at = *attribute_;
    own_ = nullptr;
    if (state == State::known) {
      const std::size_t v = static_cast<std::size_t>(query_);
      own_ = at.profiles.data() + v * at.width;
      own_factor_ = at.factors[v];
    } else if (state == State::unseen && !at.unseen.empty()) {
      own_ = at.unseen.data();
      own_factor_ = at.unseen_factor;
    } else if (state == State::missing && !at.missing.empty()) {
      own_ = at.missing.data();
      own_factor_ = at.missing_factor;
    }
  }

  double linear(double x) const {
    if (scale == 0.0) return 0.0;
    const double d = ratio(std::fabs(x - query_));
    return power_(attribute_->cap && d > 1.0 ? 1.0 : d);
  }

  double farthest(double present) const {
    const double v = scale == 0.0 ? 0.0 : ratio(present - low_);
    return power_(std::max(v, 1.0 - v));
  }

  // Infinite, not undefined, where both length and scale overflowed.
  double ratio(double length) const { return scale == base::infinity ? (length == base::infinity ? base::infinity : 0.0) : length / scale; }

  const Attribute* attribute_ = nullptr;
  base::Power power_;
  double query_ = 0.0, low_ = 0.0, own_factor_ = 1.0;
  const double* own_ = nullptr;
  std::vector<double> profile_;
  mutable std::vector<double> scratch_;
};

}  // namespace priorcase::search
