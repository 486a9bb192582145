#include "search/difference.hpp"

namespace priorcase::search {

void Difference::prepare_looked_up() {
  scale = 1.0;
  low_ = 0.0;
  form_ = Form::constant;
  own_ = nullptr;
  if (const Curve* const curve = attribute_->as<Curve>()) return prepare_curve(*curve);
  if (const Table* const table = attribute_->as<Table>()) return prepare_table(*table);
  if (const Texts* const texts = attribute_->as<Texts>()) return prepare_text(*texts);
  if (attribute_->as<Periodic>() != nullptr) {
    fix();
    if (state == State::known) form_ = Form::periodic;
    return;
  }
  if (state == State::known && query_ < 0.0) state = State::unseen;  // not a code, even if the column is not coded
  fix();
  if (const Profiles* const symbols = attribute_->as<Profiles>()) prepare_profile(*symbols);
}

void Difference::prepare_table(const Table& table) {
  width_ = table.count;
  if (state != State::missing && attribute_->is_for_queries()) {
    const std::size_t row = table.row_of ? 0 : Table::place(table.row_labels, query_);
    state = row == Table::nowhere ? State::unseen : State::known;
    if (table.row_of) {
      profiles_read_ = table.row_of(query_);
      width_ = profiles_read_.size();
      own_ = profiles_read_.data();
    } else if (state == State::known) {
      own_ = table.f.data() + row * width_;
    }
  } else if (state == State::known) {
    if (query_ < 0.0) state = State::unseen;
    else own_ = table.f.data() + static_cast<std::size_t>(query_) * width_;
  }
  fix();
  if (state != State::known) return;
  form_ = table.has_column_labels || table.row_of ? Form::labelled : Form::table;
}

void Difference::prepare_text(const Texts& texts) {
  if (state != State::missing) {
    const std::size_t label = Table::place(texts.labels, query_);
    state = State::known;
    if (label != Table::nowhere)
      text_.start(*texts.stored, texts.unseen, label, power_);
    else if (query_ >= 0.0 && query_ < static_cast<double>(texts.stored->n_codes()))
      text_.start(*texts.stored, texts.stored->parts(), static_cast<std::size_t>(query_), power_);
    else
      state = State::unseen;
  }
  fix();
  if (state == State::known) form_ = Form::text;
}

// Values without a column in the table are infinitely far away.
double Difference::against_label(double x) const {
  const Table& table = *attribute_->as<Table>();
  const std::size_t at = table.has_column_labels ? Table::place(table.column_labels, x) : static_cast<std::size_t>(x);
  return at_label(at);
}

void Difference::prepare_curve(const Curve& curve) {
  fix();
  if (state != State::known) return;
  form_ = Form::curve;
  rule_ = curve.rule;
  width_ = curve.width;
  own_factor_ = curve.factor;
  profiles_read_.resize(2 * width_);
  curve.profile_at(query_, profiles_read_.data());
  own_ = profiles_read_.data();
}

void Difference::prepare_profile(const Profiles& symbols) {
  rule_ = symbols.rule;
  width_ = symbols.width;
  profiles_ = symbols.profiles.data();
  if (state == State::known) {
    const std::size_t v = static_cast<std::size_t>(query_);
    own_ = profiles_ + v * width_;
    own_factor_ = symbols.factors[v];
  } else if (state == State::unseen && !symbols.unseen.empty()) {
    own_ = symbols.unseen.data();
    own_factor_ = symbols.unseen_factor;
  } else if (state == State::missing && !symbols.missing.empty()) {
    own_ = symbols.missing.data();
    own_factor_ = symbols.missing_factor;
  }
  if (own_ != nullptr) form_ = Form::profile;
  if (symbols.missing.empty()) return;
  missing_ = own_ == nullptr ? attribute_->f_unseen
                             : power_(rule_(own_, symbols.missing.data(), width_, own_factor_));
}

double Difference::periodic(double x) const {
  const Periodic& kind = *attribute_->as<Periodic>();
  const double distance = std::fabs(x - query_);
  double sum = kind.scale > 0.0 ? kind.line_share * power_(distance / kind.scale) : 0.0;
  for (std::size_t i = 0; i < kind.periods.size(); ++i)
    sum += kind.shares[i] * power_(2.0 * Periodic::around(distance, kind.periods[i]) / kind.periods[i]);
  return sum;
}

double Difference::against_interval(double low, double high) const {
  const Periodic& kind = *attribute_->as<Periodic>();
  const double nearest = std::fabs(std::min(std::max(query_, low), high) - query_);
  double sum = kind.scale > 0.0 ? kind.line_share * power_(nearest / kind.scale) : 0.0;
  for (std::size_t i = 0; i < kind.periods.size(); ++i) {
    const double period = kind.periods[i];
    // The interval contains, at least nearly, a number that is whole periods away from the query: its bound is 0.
    if (std::floor((high - query_) / period + 1e-9) > std::floor((low - query_) / period - 1e-9)) continue;
    const double ends = std::min(Periodic::around(std::fabs(low - query_), period),
                                 Periodic::around(std::fabs(high - query_), period));
    sum += kind.shares[i] * power_(2.0 * ends / period);
  }
  return sum;
}

double Difference::against_curve(double x) const {
  double* const other = profiles_read_.data() + width_;
  attribute_->as<Curve>()->profile_at(x, other);
  return power_(rule_(other, own_, width_, own_factor_));
}

void Difference::against_codes(std::size_t n, double weight, double* out) const {
  switch (form_) {
    case Form::constant: std::fill_n(out, n, weight * fixed_); break;
    case Form::overlap:
      std::fill_n(out, n, weight * fixed_);
      if (query_ >= 0.0 && query_ < static_cast<double>(n) && query_ == std::floor(query_))
        out[static_cast<std::size_t>(query_)] = weight * 0.0;
      break;
    case Form::table:
      for (std::size_t c = 0; c < n; ++c) out[c] = weight * own_[c];
      break;
    case Form::profile:
      for (std::size_t c = 0; c < n; ++c)
        out[c] = weight * power_(rule_(own_, profiles_ + c * width_, width_, own_factor_));
      break;
    default:
      for (std::size_t c = 0; c < n; ++c) out[c] = weight * against(static_cast<double>(c));
  }
}

void Difference::bound_bins(const double* low, const double* high, std::size_t n, double weight, double* out) const {
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

double Difference::against_box(const double* low, const double* high) const {
  double* const nearest = profiles_read_.data() + width_;
  for (std::size_t c = 0; c < width_; ++c) nearest[c] = std::min(std::max(own_[c], low[c] - 1e-12), high[c] + 1e-12);
  return power_(rule_(nearest, own_, width_, own_factor_));
}

}  // namespace priorcase::search
