// One attribute of one query, prepared for comparison with any stored value. f is the difference raised to the plan's
// power; see plan.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/plan.hpp"

namespace priorcase::search {

class Difference {
 public:
  enum class State : std::uint8_t { known, unseen, missing };

  Difference() = default;
  Difference(Difference&&) = default;
  Difference(const Difference&) = delete;  // own_ may point into profiles_read_

  // coded: the cells are codes of symbols or ranks of levels, so that a negative query is a value that was never seen.
  // The plan must know the code, if it is one, and outlive the comparisons.
  void prepare(const Plan& plan, std::size_t a, bool coded, double query) {
    attribute_ = &plan[a];
    power_ = plan.power;
    query_ = query;
    state = std::isnan(query) ? State::missing : (coded && query < 0 ? State::unseen : State::known);
    if (const Linear* const linear = attribute_->as<Linear>())
      prepare_linear(*linear);
    else if (const Overlap* const overlap = attribute_->as<Overlap>())
      prepare_overlap(*overlap);
    else
      prepare_looked_up();
  }

  // Returns f against a missing stored value.
  double against_missing() const { return missing_; }

  // Returns f against a known stored value.
  double against(double x) const {
    switch (form_) {
      case Form::linear: return linear(x);
      case Form::farthest: return farthest(x);
      case Form::periodic: return periodic(x);
      case Form::overlap: return x == query_ ? 0.0 : fixed_;
      case Form::curve: return against_curve(x);
      case Form::profile:
        return power_(rule_(own_, profiles_ + static_cast<std::size_t>(x) * width_, width_, own_factor_));
      case Form::table: return own_[static_cast<std::size_t>(x)];
      case Form::labelled: return against_label(x);
      case Form::text: return text_.at(static_cast<std::size_t>(x));
      case Form::constant: break;
    }
    return fixed_;
  }

  // Computes weight * f against each of the codes from 0 to n - 1.
  void against_codes(std::size_t n, double weight, double* out) const;

  // Returns the number in [low, high] with the smallest f, from which the lower bound of a bin is computed.
  double nearest_within(double low, double high) const {
    const double aim = state == State::known ? query_ : low_ + scale / 2;
    return std::min(std::max(aim, low), high);
  }

  // Whether f is the power of |x - query| / scale, without a cap and with a scale that is neither 0 nor infinite.
  bool is_linear() const { return form_ == Form::linear && !cap_ && scale > 0.0 && scale < base::infinity; }

  // Whether the column has no spread, so that all known values count as equal.
  bool is_flat() const { return form_ == Form::linear && scale == 0.0; }

  // Whether f is the same against every known value.
  bool is_constant() const { return form_ == Form::constant; }

  // Whether a known number is compared by periods, such as hours of the day. If so, against_interval returns a lower
  // bound of f over an interval of numbers.
  bool is_periodic() const { return form_ == Form::periodic; }
  double against_interval(double low, double high) const;

  // Whether a known value is compared by its profile on a curve, or by equality.
  bool is_on_curve() const { return form_ == Form::curve; }
  bool is_overlap() const { return form_ == Form::overlap; }

  // Whether a known value is a text, whose difference from another takes long to compute.
  bool is_text() const { return form_ == Form::text; }
  double text_at_least(std::size_t code) const { return text_.at_least(code); }
  const StoredTexts& stored_texts() const { return *attribute_->as<Texts>()->stored; }

  // Whether a known value is compared with stored numbers by a table, in which adjacent numbers may differ in any way.
  bool is_by_number() const { return form_ == Form::labelled && attribute_->as<Table>()->has_column_labels; }

  // Returns f against the number of a column, if is_by_number; infinity if the row from `row_of` is too short.
  double at_label(std::size_t column) const { return column < width_ ? own_[column] : base::infinity; }

  // Computes lower bounds of weight * f over intervals of numbers, if is_linear; infinity for an empty interval.
  void bound_bins(const double* low, const double* high, std::size_t n, double weight, double* out) const;

  // Returns a lower bound of f over a box of profiles, if is_on_curve. The box is widened slightly, against rounding.
  double against_box(const double* low, const double* high) const;

  const Attribute& attribute() const { return *attribute_; }
  double query() const { return query_; }

  // f against a different symbol, if is_overlap; and the number of classes of a profile, if there is one.
  double f_differ() const { return fixed_; }
  std::size_t width() const { return width_; }

  State state = State::missing;
  double scale = 1.0;

 private:
  // How f is computed, given the query.
  enum class Form : std::uint8_t { constant, linear, farthest, periodic, overlap, curve, profile, table, labelled, text };

  void prepare_linear(const Linear& linear) {
    const bool known = state == State::known;
    low_ = linear.widen && known ? std::min(linear.low, query_) : linear.low;
    scale = linear.scale;
    if (linear.widen) scale = (known ? std::max(linear.high, query_) : linear.high) - low_;
    cap_ = linear.cap;
    form_ = known ? Form::linear : linear.aha && state == State::missing ? Form::farthest : Form::constant;
    fix();
    if (linear.aha && known) missing_ = farthest(query_);
  }

  void prepare_overlap(const Overlap& overlap) {
    form_ = state == State::known ? Form::overlap : Form::constant;
    fix();
    if (form_ == Form::overlap) fixed_ = overlap.f_differ;
  }

  // Sets f for a query that is not a known value, and f against a missing stored value.
  void fix() {
    fixed_ = state == State::unseen ? attribute_->f_unseen : attribute_->f_one;
    missing_ = state == State::missing ? attribute_->f_both : attribute_->f_one;
  }

  void prepare_looked_up();
  void prepare_curve(const Curve& curve);
  void prepare_profile(const Profiles& symbols);
  void prepare_table(const Table& table);
  void prepare_text(const Texts& texts);
  double against_label(double x) const;
  double against_curve(double x) const;
  double periodic(double x) const;

  double linear(double x) const {
    if (scale == 0.0) return 0.0;
    const double d = ratio(std::fabs(x - query_));
    return power_(cap_ && d > 1.0 ? 1.0 : d);
  }

  double farthest(double present) const {
    const double v = scale == 0.0 ? 0.0 : ratio(present - low_);
    return power_(std::max(v, 1.0 - v));
  }

  // Returns infinity instead of NaN if both length and scale overflowed.
  double ratio(double length) const {
    return scale == base::infinity ? (length == base::infinity ? base::infinity : 0.0) : length / scale;
  }

  Form form_ = Form::constant;
  bool cap_ = false;
  double query_ = 0.0, low_ = 0.0, fixed_ = 1.0, missing_ = 1.0;
  base::Power power_;
  const Attribute* attribute_ = nullptr;

  // The query's own profile or its row of a table, and the profiles of all symbols.
  const double *own_ = nullptr, *profiles_ = nullptr;
  std::size_t width_ = 0;
  double own_factor_ = 1.0;
  ProfileRule rule_;
  mutable TextRow text_;
  mutable std::vector<double> profiles_read_;  // on a curve: the query's and another; or a row from row_of
};

}  // namespace priorcase::search
