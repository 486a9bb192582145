// How two rows differ: one difference per attribute, a power, and a rule for missing values.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <variant>
#include <vector>

#include "base/numbers.hpp"

namespace priorcase::search {

// Every f below is a difference d raised to the plan's power.

// d = |x - q| / scale; 0 where the scale is 0.
struct Linear {
  double scale = 1.0, low = 0.0, high = 0.0;
  bool widen = false;  // the scale is the range, widened to hold the query
  bool cap = false;    // d is at most 1
  bool aha = false;    // a missing value is at the end of the range that is farther away
  bool ranks = false;  // numbers are ranks of levels: a negative query was never seen
};

// f between numbers that come round again, such as angles and times: a share of it for each period, of the way round the
// shorter side as a part of half the period, and a share for the distance on the line as a part of the scale.
struct Periodic {
  std::vector<double> periods, shares;
  double scale = 0.0, line_share = 0.0;  // no scale: the line does not count

  // The shorter way round between two numbers at a distance.
  static double around(double distance, double period) {
    const double rest = std::fmod(distance, period);
    return std::min(rest, period - rest);
  }
};

// The sum over classes of |p - q|^exponent, turned into a difference by a factor and perhaps a root.
struct ProfileRule {
  base::Power exponent;
  bool root = false;

  double operator()(const double* p, const double* q, std::size_t width, double factor) const {
    double sum = 0.0;
    if (exponent.whole() == 1)
      for (std::size_t c = 0; c < width; ++c) sum += std::fabs(p[c] - q[c]);
    else
      for (std::size_t c = 0; c < width; ++c) sum += exponent(std::fabs(p[c] - q[c]));
    return root ? std::sqrt(factor * sum) : factor * sum;
  }
};

// d between class profiles read off a curve along a number line: one profile of `width` numbers at every break, and in
// between the last one (step) or a mixture of the two.
struct Curve {
  std::vector<double> breaks, profiles;
  std::size_t width = 0;
  ProfileRule rule;
  double factor = 1.0;
  bool step = false;

  // The profile at x.
  void profile_at(double x, double* out) const {
    const std::size_t last = breaks.size() - 1;
    const std::size_t above = std::upper_bound(breaks.begin(), breaks.end(), x) - breaks.begin();
    const std::size_t i = above == 0 ? 0 : above - 1;
    const double* here = profiles.data() + i * width;
    if (step || above == 0 || i == last) {
      std::copy(here, here + width, out);
      return;
    }
    const double share = (x - breaks[i]) / (breaks[i + 1] - breaks[i]);
    const double* next = here + width;
    for (std::size_t c = 0; c < width; ++c) out[c] = here[c] + share * (next[c] - here[c]);
  }
};

// f is 0 for equal symbols, and f_differ for others.
struct Overlap {
  double f_differ = 1.0;
};

// d between the class profiles of symbols, `width` numbers each; the factor is that of the query's symbol. A symbol
// that was never seen and a missing value may have profiles, too; these are empty where they have none.
struct Profiles {
  std::vector<double> profiles, factors;
  std::size_t width = 0;
  ProfileRule rule;
  std::vector<double> unseen, missing;
  double unseen_factor = 1.0, missing_factor = 1.0;
};

// f of each pair of values, the query's first: rows of `count` numbers. Codes are positions of rows and columns, unless
// these have labels: the cells of the queries that rows are for, and the stored numbers that columns are for.
struct Table {
  std::vector<double> f;
  std::size_t count = 0;
  bool has_row_labels = false, has_column_labels = false;
  std::vector<double> row_labels, column_labels;  // ascending

  // Where given, the row of a query's cell: f and row labels are empty, and the row may have any length.
  std::function<std::vector<double>(double)> row_of;

  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

  // The position of a cell among labels.
  static std::size_t place(const std::vector<double>& labels, double cell) {
    const auto found = std::lower_bound(labels.begin(), labels.end(), cell);
    return found == labels.end() || *found != cell ? nowhere : static_cast<std::size_t>(found - labels.begin());
  }
};

// One attribute's difference.
struct Attribute {
  using Kind = std::variant<std::monostate, Linear, Periodic, Curve, Overlap, Profiles, Table>;
  Kind kind;
  double f_one = 1.0, f_both = 1.0, f_unseen = 1.0;  // missing in one row, in both; or never seen

  template <class Of>
  const Of* as() const {
    return std::get_if<Of>(&kind);
  }

  // Whether cells are codes or ranks, so that a negative query was never seen.
  bool coded() const {
    const Linear* const linear = as<Linear>();
    if (const Table* const table = as<Table>()) return !table->has_column_labels;
    return linear != nullptr ? linear->ranks : as<Curve>() == nullptr && as<Periodic>() == nullptr;
  }

  // Whether queries are looked up by labels or asked for, so that a stored value may be no query.
  bool is_for_queries() const {
    const Table* const table = as<Table>();
    return table != nullptr && (table->has_row_labels || table->row_of);
  }

  // The codes it knows are those below this; infinite where any number will do.
  double codes_end() const {
    if (const Profiles* const profiles = as<Profiles>()) return static_cast<double>(profiles->factors.size());
    if (const Table* const table = as<Table>())
      return table->has_column_labels || table->row_of ? base::infinity : static_cast<double>(table->count);
    return base::infinity;
  }

  // The same for the codes of queries.
  double queries_end() const { return is_for_queries() ? base::infinity : codes_end(); }

  // Whether values are looked up by code, so that their column must be coded.
  bool needs_codes() const {
    const Table* const table = as<Table>();
    return table != nullptr ? !table->has_column_labels : codes_end() < base::infinity;
  }
};

class Plan {
 public:
  Plan(std::size_t n_attributes, double power, bool skip, bool mean, double nothing_shared, bool root = false);

  // Sets an attribute, once. Shapes and numbers are checked here, and nowhere later.
  void set(std::size_t a, Attribute attribute);

  // Another range for a linear attribute, as instances arrive.
  void set_range(std::size_t a, double low, double high);

  const Attribute& operator[](std::size_t a) const { return attributes_[a]; }
  std::size_t size() const { return attributes_.size(); }

  // Whether every attribute is set.
  bool is_complete() const { return n_set_ == attributes_.size(); }

  // Sums of bounds and distances must stay numbers: a search that compares with NaN finds nobody.
  void require_complete() const;

  // Whether the cells of some rows are codes that the plan knows, or missing; queries may also have negative ones.
  bool knows(const std::vector<std::uint8_t>& coded, const double* rows, std::size_t n, bool queries) const;

  // Throws std::invalid_argument unless columns whose differences are looked up by code are marked as coded.
  void require_codes(const std::vector<std::uint8_t>& coded) const;

  // Throws std::invalid_argument unless the plan is complete and knows the cells of some rows.
  void require_rows(const std::vector<std::uint8_t>& coded, const double* rows, std::size_t n) const;

  const base::Power power;
  const base::Root root;
  const bool skip, mean;
  const double nothing_shared;

 private:
  std::vector<Attribute> attributes_;
  std::size_t n_set_ = 0;
  bool finite_ = true;  // every table of differences is
};

// Linear attributes whose scale is the range of the numbers seen so far; NaN where none was seen.
struct Ranges {
  std::vector<std::uint8_t> ranged;
  std::vector<double> low, high;

  // Gives the plan these ranges.
  void set(Plan& plan) const;

  // Widens them to hold the numbers of a row.
  void widen(const double* row, Plan& plan);

  void clear(Plan& plan);
};

}  // namespace priorcase::search
