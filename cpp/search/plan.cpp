#include "search/plan.hpp"

#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>

namespace priorcase::search {

namespace {

constexpr double largest_code = 1e9;  // codes are indices of tables

void require(bool holds, const char* rule) {
  if (!holds) throw std::invalid_argument(rule);
}

bool all_finite(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

void check(const ProfileRule& rule) {
  const double exponent = rule.exponent.exponent();
  require(exponent > 0.0 && exponent < base::infinity, "the exponent must be a finite number above 0");
}

bool is_cost(double f) { return f >= 0.0; }  // false for NaN

void check(const std::monostate&) { throw std::invalid_argument("an attribute needs a difference"); }

void check(const Linear& linear) {
  require(linear.scale >= 0.0, "scale must not be negative");
  require(linear.low <= linear.high, "low must not be above high");
}

void check(const Periodic& periodic) {
  require(periodic.periods.size() == periodic.shares.size(), "one share per period is needed");
  const auto is_period = [](double period) { return period > 0.0 && std::isfinite(period); };
  require(std::all_of(periodic.periods.begin(), periodic.periods.end(), is_period),
          "periods must be finite and above 0");
  const auto is_share = [](double share) { return share >= 0.0 && std::isfinite(share); };
  require(std::all_of(periodic.shares.begin(), periodic.shares.end(), is_share) && is_share(periodic.line_share),
          "shares must be finite and not negative");
  require(periodic.scale >= 0.0 && std::isfinite(periodic.scale), "scale must be finite and not negative");
}

void check(const Curve& curve) {
  check(curve.rule);
  require(!curve.breaks.empty() && curve.profiles.size() == curve.breaks.size() * curve.width,
          "a curve needs one profile per break");
  require(curve.width > 0, "profiles must have at least one class");
  require(all_finite(curve.breaks) && std::is_sorted(curve.breaks.begin(), curve.breaks.end()),
          "breaks must be finite and ascending");
  require(all_finite(curve.profiles), "profiles must be finite");
  require(std::isfinite(curve.factor) && curve.factor >= 0.0, "factors must be finite and not negative");
}

void check(const Overlap& overlap) { require(is_cost(overlap.f_differ), "costs must be numbers of 0 or more"); }

void check(const Profiles& symbols) {
  check(symbols.rule);
  const std::size_t width = symbols.width;
  require(symbols.profiles.size() == symbols.factors.size() * width, "one factor per value is needed");
  require(width > 0 || symbols.factors.empty(), "profiles must have at least one class");
  require(symbols.unseen.empty() || symbols.unseen.size() == width, "the unseen profile has another width");
  require(symbols.missing.empty() || symbols.missing.size() == width, "the missing profile has another width");
  require(all_finite(symbols.factors) && std::isfinite(symbols.unseen_factor) && std::isfinite(symbols.missing_factor),
          "factors must be finite");
  const auto is_negative = [](double factor) { return factor < 0.0; };
  require(std::none_of(symbols.factors.begin(), symbols.factors.end(), is_negative) && symbols.unseen_factor >= 0.0 &&
              symbols.missing_factor >= 0.0,
          "factors must not be negative");
  require(all_finite(symbols.profiles) && all_finite(symbols.unseen) && all_finite(symbols.missing),
          "profiles must be finite");
}

void check(const Table& table) {
  const std::size_t n_rows = table.has_row_labels ? table.row_labels.size() : table.count;
  require(!table.row_of || (table.f.empty() && !table.has_row_labels), "a table has either row_of or rows of its own");
  require(table.row_of || table.f.size() == n_rows * table.count,
          "a table must have one row per row label, or be square without row labels");
  require(!table.has_column_labels || table.column_labels.size() == table.count, "one label per column is needed");
  for (const std::vector<double>* const labels : {&table.row_labels, &table.column_labels})
    require(all_finite(*labels) &&
                std::adjacent_find(labels->begin(), labels->end(), std::greater_equal<>()) == labels->end(),
            "labels must be finite and ascending");
  require(std::all_of(table.f.begin(), table.f.end(), is_cost), "costs must be numbers of 0 or more");
}

void check(const Texts& texts) {
  require(texts.stored != nullptr, "there must be stored texts");
  require(std::adjacent_find(texts.labels.begin(), texts.labels.end(), std::greater_equal<>()) == texts.labels.end() &&
              all_finite(texts.labels),
          "labels must be finite and ascending");
  const TextParts& stored = texts.stored->parts();
  require(texts.unseen.size() == stored.size(), "texts must have the same kinds of tokens as the stored texts");
  check_text_parts(texts.unseen, texts.labels.size());
  for (std::size_t p = 0; p < stored.size(); ++p)
    require(texts.unseen[p].n_tokens == stored[p].n_tokens, "texts must have the tokens of the stored texts");
}

double checked_power(double power) {
  require(power > 0.0 && power < base::infinity, "the power must be a finite number above 0");
  return power;
}

}  // namespace

Plan::Plan(std::size_t n_attributes, double power, bool skip, bool mean, double nothing_shared, bool root)
    : power(checked_power(power)), root(power, root), skip(skip), mean(mean), nothing_shared(nothing_shared),
      attributes_(n_attributes) {
  require(is_cost(nothing_shared), "costs must be numbers of 0 or more");
}

void Plan::set(std::size_t a, Attribute attribute) {
  if (a >= attributes_.size()) throw std::out_of_range("attribute index outside the plan");
  require(attributes_[a].as<std::monostate>() != nullptr, "attribute set twice in the plan");
  std::visit([](const auto& kind) { check(kind); }, attribute.kind);
  require(is_cost(attribute.f_one) && is_cost(attribute.f_both) && is_cost(attribute.f_unseen),
          "costs must be numbers of 0 or more");
  if (const Table* const table = attribute.as<Table>()) finite_ = finite_ && all_finite(table->f);
  attributes_[a] = std::move(attribute);
  ++n_set_;
}

void Plan::set_range(std::size_t a, double low, double high) {
  Linear* const linear = std::get_if<Linear>(&attributes_.at(a).kind);
  require(linear != nullptr, "only linear attributes have a range");
  linear->low = low;
  linear->high = high;
  linear->scale = high - low;
}

void Plan::require_complete() const {
  require(is_complete(), "the plan lacks an attribute");
  require(finite_, "a table of differences must be finite to search by it");
}

bool Plan::knows(const std::vector<std::uint8_t>& coded, const double* rows, std::size_t n, bool queries) const {
  for (std::size_t a = 0; a < size(); ++a) {
    const double end = queries ? attributes_[a].queries_end() : attributes_[a].codes_end();
    if (!coded[a] && end == base::infinity) continue;
    for (std::size_t i = 0; i < n; ++i) {
      const double code = rows[i * size() + a];
      if (code >= end || code > largest_code || (code < 0.0 && !queries)) return false;
    }
  }
  return true;
}

void Plan::require_codes(const std::vector<std::uint8_t>& coded) const {
  for (std::size_t a = 0; a < size(); ++a)
    require(coded[a] || !attributes_[a].needs_codes(), "columns whose differences are looked up by code must be coded");
}

void Plan::require_rows(const std::vector<std::uint8_t>& coded, const double* rows, std::size_t n) const {
  require_complete();
  require(size() > 0, "there must be an attribute");
  require(coded.size() == size(), "plan and cells differ in width");
  require_codes(coded);
  require(knows(coded, rows, n, false), "the plan does not know some of the codes of the rows");
}

void Ranges::set(Plan& plan) const {
  for (std::size_t a = 0; a < ranged.size(); ++a)
    if (ranged[a]) std::isnan(low[a]) ? plan.set_range(a, 0.0, 0.0) : plan.set_range(a, low[a], high[a]);
}

void Ranges::widen(const double* row, Plan& plan) {
  for (std::size_t a = 0; a < ranged.size(); ++a) {
    if (!ranged[a] || std::isnan(row[a]) || (low[a] <= row[a] && row[a] <= high[a])) continue;
    low[a] = std::fmin(low[a], row[a]);
    high[a] = std::fmax(high[a], row[a]);
    plan.set_range(a, low[a], high[a]);
  }
}

void Ranges::clear(Plan& plan) {
  std::fill(low.begin(), low.end(), std::numeric_limits<double>::quiet_NaN());
  high = low;
  set(plan);
}

}  // namespace priorcase::search
