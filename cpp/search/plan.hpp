// How two rows differ: one difference per attribute, a power, and a rule for gaps.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <vector>

#include "base/numbers.hpp"

namespace priorcase::search {

// The sum over classes of |p - q|^exponent, turned into a difference by a factor and perhaps a root.
struct ProfileRule {
  base::Power exponent;
  bool root = false;

  double operator()(const double* p, const double* q, std::size_t width, double factor) const {
    double sum = 0.0;
    for (std::size_t c = 0; c < width; ++c) sum += exponent(std::fabs(p[c] - q[c]));
    return root ? std::sqrt(factor * sum) : factor * sum;
  }
};

// One attribute's difference. All f are differences already raised to the plan's power.
struct Attribute {
  enum class Kind { unset, linear, curve, overlap, profile, table };
  Kind kind = Kind::unset;
  bool coded = false;  // cells are codes or ranks: a negative query was never seen
  double f_one = 1.0, f_both = 1.0, f_unseen = 1.0, f_differ = 1.0;

  // linear: |x - q| / scale
  double scale = 1.0, low = 0.0, high = 0.0;
  bool widen = false, cap = false, aha = false;

  // curve: class profiles along a number line; profile: class profiles of symbols; table: f itself
  std::vector<double> breaks, profiles, factors;
  std::size_t width = 0, count = 0;
  bool finite = true;
  bool step = false;
  ProfileRule rule;
  std::vector<double> unseen, missing;
  double unseen_factor = 1.0, missing_factor = 1.0;

  // Profile at x on a curve, written to out (width numbers).
  void profile_at(double x, double* out) const {
    const std::size_t last = count - 1;
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

class Plan {
 public:
  Plan(std::size_t n_attributes, double power, bool skip, bool mean, double nothing_shared, bool root = false)
      : power(power), root(power, root), skip(skip), mean(mean), nothing_shared(nothing_shared),
        attributes_(n_attributes) {}

  Attribute& define(std::size_t a, Attribute::Kind kind) {
    if (a >= attributes_.size()) throw std::out_of_range("attribute index outside the plan");
    if (attributes_[a].kind != Attribute::Kind::unset) throw std::invalid_argument("attribute set twice in the plan");
    attributes_[a].kind = kind;
    return attributes_[a];
  }

  // Another range for a linear attribute, as instances arrive.
  void set_range(std::size_t a, double low, double high) {
    attributes_[a].low = low;
    attributes_[a].high = high;
    attributes_[a].scale = high - low;
  }

  const Attribute& operator[](std::size_t a) const { return attributes_[a]; }
  std::size_t size() const { return attributes_.size(); }

  // Sums of bounds and distances must stay numbers: a search that compares with NaN finds nobody.
  void require_complete() const {
    for (const Attribute& attribute : attributes_) {
      if (attribute.kind == Attribute::Kind::unset) throw std::invalid_argument("the plan lacks an attribute");
      if (!attribute.finite) throw std::invalid_argument("a table of differences must be finite to search by it");
    }
  }

  const base::Power power;
  const base::Root root;
  const bool skip, mean;
  const double nothing_shared;

 private:
  std::vector<Attribute> attributes_;
};

}  // namespace priorcase::search
