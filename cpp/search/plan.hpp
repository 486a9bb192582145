// How two rows differ: one difference for each attribute, a power, and a rule for missing values.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include "base/numbers.hpp"
#include "search/texts.hpp"

namespace priorcase::search {

// In this file, d is a difference, and f is d raised to the plan's power.

// d = |x - q| / scale; 0 where the scale is 0.
struct Linear {
  double scale = 1.0, low = 0.0, high = 0.0;
  bool widen = false;  // the scale is the range, widened to include the query
  bool cap = false;    // d is at most 1
  bool aha = false;    // a missing value counts as the farther end of the range
  bool ranks = false;  // numbers are ranks of levels: a negative query is an unseen level
};

// f between periodic numbers, such as angles and times: for each period, its share times (the shorter way around / half
// the period)^power, plus line_share times (the distance on the line / scale)^power.
struct Periodic {
  std::vector<double> periods, shares;
  double scale = 0.0, line_share = 0.0;  // scale 0: the distance on the line does not count

  // Returns the shorter way around between two numbers at the given distance.
  static double around(double distance, double period) {
    const double rest = std::fmod(distance, period);
    return std::min(rest, period - rest);
  }
};

// The difference between two class profiles: factor times the sum over classes of |p - q|^exponent, or the square root
// of that.
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

// d between class profiles that are functions of a number: one profile of `width` numbers at each break; between two
// breaks, the lower one's profile (step) or the linear interpolation.
struct Curve {
  std::vector<double> breaks, profiles;
  std::size_t width = 0;
  ProfileRule rule;
  double factor = 1.0;
  bool step = false;

  // Computes the profile at x.
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

// f is 0 for equal symbols and f_differ for different ones.
struct Overlap {
  double f_differ = 1.0;
};

// d between the class profiles of symbols, `width` numbers each. The factor is that of the query's symbol. Unseen
// symbols and missing values may have profiles, too; otherwise these are empty.
struct Profiles {
  std::vector<double> profiles, factors;
  std::size_t width = 0;
  ProfileRule rule;
  std::vector<double> unseen, missing;
  double unseen_factor = 1.0, missing_factor = 1.0;
};

// f of each pair of values: a row for each value of a query, with `count` numbers, one for each stored value. Codes are
// indices of rows and columns, unless there are labels: the cells of queries for rows, the stored numbers for columns.
struct Table {
  std::vector<double> f;
  std::size_t count = 0;
  bool has_row_labels = false, has_column_labels = false;
  std::vector<double> row_labels, column_labels;  // ascending

  // If given, returns the row of a query's cell. Then f and the row labels are empty, and the row may have any length.
  std::function<std::vector<double>(double)> row_of;

  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

  // Returns the position of a cell among the labels, or `nowhere`.
  static std::size_t place(const std::vector<double>& labels, double cell) {
    const auto found = std::lower_bound(labels.begin(), labels.end(), cell);
    return found == labels.end() || *found != cell ? nowhere : static_cast<std::size_t>(found - labels.begin());
  }
};

// d between texts. A query is the code of a stored text, or the label of an unseen one.
struct Texts {
  std::shared_ptr<const StoredTexts> stored;
  std::vector<double> labels;  // ascending, below -1
  TextParts unseen;            // one vector per label
};

// One attribute's difference.
struct Attribute {
  using Kind = std::variant<std::monostate, Linear, Periodic, Curve, Overlap, Profiles, Table, Texts>;
  Kind kind;
  double f_one = 1.0, f_both = 1.0, f_unseen = 1.0;  // f if one or both values are missing, or the query's is unseen

  template <class Of>
  const Of* as() const {
    return std::get_if<Of>(&kind);
  }

  // Whether cells are codes or ranks, so that a negative query is an unseen value.
  bool coded() const {
    const Linear* const linear = as<Linear>();
    if (const Table* const table = as<Table>()) return !table->has_column_labels;
    return linear != nullptr ? linear->ranks : as<Curve>() == nullptr && as<Periodic>() == nullptr;
  }

  // Whether queries are looked up by label or by row_of, so that a stored value need not be a valid query.
  bool is_for_queries() const {
    const Table* const table = as<Table>();
    return as<Texts>() != nullptr || (table != nullptr && (table->has_row_labels || table->row_of));
  }

  // Codes must be below this; infinity if any number is valid.
  double codes_end() const {
    if (const Profiles* const profiles = as<Profiles>()) return static_cast<double>(profiles->factors.size());
    if (const Texts* const texts = as<Texts>()) return static_cast<double>(texts->stored->n_codes());
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

  // Sets an attribute; each may be set only once. Shapes and numbers are checked here and nowhere else.
  void set(std::size_t a, Attribute attribute);

  // Changes the range of a linear attribute, as instances arrive.
  void set_range(std::size_t a, double low, double high);

  const Attribute& operator[](std::size_t a) const { return attributes_[a]; }
  std::size_t size() const { return attributes_.size(); }

  // Whether every attribute is set.
  bool is_complete() const { return n_set_ == attributes_.size(); }

  // Throws std::invalid_argument unless every attribute is set and every table is finite. Sums of bounds and distances
  // must not become NaN: a search that compares with NaN finds nothing.
  void require_complete() const;

  // Whether all codes in some rows are known to the plan. Cells may be missing; the codes of queries may also be
  // negative.
  bool knows(const std::vector<std::uint8_t>& coded, const double* rows, std::size_t n, bool queries) const;

  // Throws std::invalid_argument unless all columns whose differences are looked up by code are marked as coded.
  void require_codes(const std::vector<std::uint8_t>& coded) const;

  // Throws std::invalid_argument unless the plan is complete and knows the codes in some rows.
  void require_rows(const std::vector<std::uint8_t>& coded, const double* rows, std::size_t n) const;

  const base::Power power;
  const base::Root root;
  const bool skip, mean;
  const double nothing_shared;

 private:
  std::vector<Attribute> attributes_;
  std::size_t n_set_ = 0;
  bool finite_ = true;  // whether every table of differences is
};

// The ranges of linear attributes whose scale is the range of the numbers seen so far; NaN if none was seen.
struct Ranges {
  std::vector<std::uint8_t> ranged;
  std::vector<double> low, high;

  // Sets these ranges in the plan.
  void set(Plan& plan) const;

  // Widens the ranges to include the numbers of a row.
  void widen(const double* row, Plan& plan);

  void clear(Plan& plan);
};

}  // namespace priorcase::search
