// The most similar cases: weighted means of local similarities, looked up value by value.
//
// sim(q, c) = sum_a w_a s_a(q, c) / sum_a w_a, the double nearest to the exact quotient (products and sums keep what
// rounding takes), so that neither the order of the attributes nor the number of threads shows, and cases that are
// equally similar compare equal. To be quick, plain sums come first, and only cases that these cannot rule out are
// summed with care.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/numbers.hpp"
#include "base/sums.hpp"

namespace priorcase::cases {

// One attribute that the query knows: for each case the number of its value, below 0 where it has none; for each value
// how similar it is to the query's, from 0 to 1.
struct AskedAttribute {
  const std::int32_t* codes;
  const double* table;
  std::size_t n_values;
  double weight;

  // Whether the codes of all cases have a place in the table.
  bool fits(std::size_t n_cases) const {
    const auto n = static_cast<std::uint32_t>(n_values);
    std::uint32_t below = ~std::uint32_t{0};
    // The difference is negative, its highest bit set, where a code is below n.
    for (std::size_t i = 0; i < n_cases; ++i) below &= static_cast<std::uint32_t>(codes[i]) - n;
    return below >> 31 != 0;
  }
};

struct Match {
  double similarity;
  std::int64_t position;

  bool operator<(const Match& other) const {
    return similarity != other.similarity ? similarity > other.similarity : position < other.position;
  }
};

// The best k so far.
class BestMatches {
 public:
  explicit BestMatches(std::size_t k) : k_(k) {}

  // Less than this is not wanted.
  double least() const {
    return k_ == 0 ? base::infinity : heap_.size() < k_ ? -base::infinity : heap_.front().similarity;
  }

  void offer(const Match& match) {
    if (heap_.size() < k_) {
      heap_.push_back(match);
      std::push_heap(heap_.begin(), heap_.end());
    } else if (k_ > 0 && match < heap_.front()) {
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.back() = match;
      std::push_heap(heap_.begin(), heap_.end());
    }
  }

  void offer(const BestMatches& others) {
    for (const Match& match : others.heap_) offer(match);
  }

  // Most similar first, among equals by position.
  std::vector<Match> take() {
    std::sort_heap(heap_.begin(), heap_.end());
    return std::move(heap_);
  }

 private:
  std::size_t k_;
  std::vector<Match> heap_;
};

class CaseScores {
 public:
  static constexpr std::size_t block = 2048;

  // Where unknown values are ignored, the weights of a case are those of the attributes that it knows.
  CaseScores(std::vector<AskedAttribute> asked, std::size_t n_cases, bool ignore)
      : asked_(std::move(asked)), n_cases_(n_cases), ignore_(ignore) {
    std::erase_if(asked_, [](const AskedAttribute& attribute) { return attribute.weight == 0.0; });
    scale_weights();
    for (const AskedAttribute& attribute : asked_) {
      weights_.emplace_back(attribute.weight);
      whole_.add(attribute.weight);
    }
    // Each sum or product of the quick way may be wrong by a half in the 53rd place; this is more than all together.
    slack_ = 1.0 - static_cast<double>(asked_.size() + 8) * std::numeric_limits<double>::epsilon();
  }

  double similarity(std::size_t row) const {
    base::CarefulSum sum, known;
    for (std::size_t a = 0; a < asked_.size(); ++a) {
      const std::int32_t code = asked_[a].codes[row];
      if (code < 0) continue;
      sum.add_product(weights_[a], asked_[a].table[code]);
      if (ignore_) known.add(asked_[a].weight);
    }
    return sum.over(ignore_ ? known : whole_);
  }

  // The best among cases start to stop that the mask allows (all where there is none), but not the one left out.
  void search(std::size_t start, std::size_t stop, const std::uint8_t* mask, std::int64_t left_out, double* room,
              BestMatches& best) const {
    std::fill(room, room + this->room(), 0.0);
    for (const AskedAttribute& attribute : asked_) add(attribute, start, stop, room);
    const double whole = ignore_ ? 1.0 : whole_.value();
    double least = best.least() * whole * slack_;
    for (std::size_t i = start; i < stop; ++i) {
      double quick = room[i - start];
      if (ignore_ && room[block + i - start] > 0.0) quick /= room[block + i - start];
      if (quick < least || (mask && !mask[i]) || static_cast<std::int64_t>(i) == left_out) continue;
      best.offer({similarity(i), static_cast<std::int64_t>(i)});
      least = best.least() * whole * slack_;
    }
  }

  std::size_t size() const { return n_cases_; }

  // Numbers that a search needs room for.
  std::size_t room() const { return (ignore_ ? 2 : 1) * block; }

 private:
  // By a power of two, which changes no quotient: no sum overflows, and no product with a tiny similarity underflows.
  void scale_weights() {
    double most = 0.0;
    for (const AskedAttribute& attribute : asked_) most = std::max(most, attribute.weight);
    constexpr int large = 200;
    int exponent = 0;
    std::frexp(most, &exponent);
    for (AskedAttribute& attribute : asked_) attribute.weight = std::ldexp(attribute.weight, large - exponent);
  }

  void add(const AskedAttribute& attribute, std::size_t start, std::size_t stop, double* room) const {
    static constexpr double nothing = 0.0;
    const std::int32_t* codes = attribute.codes + start;
    const double* table = attribute.table;
    const double weight = attribute.weight;
    const std::size_t n = stop - start;
    // A pointer chosen without a branch: gaps cannot be foreseen.
    for (std::size_t i = 0; i < n; ++i) {
      const double* entry = codes[i] < 0 ? &nothing : table + codes[i];
      room[i] += weight * *entry;
    }
    if (!ignore_) return;
    double* known = room + block;
    for (std::size_t i = 0; i < n; ++i) known[i] += codes[i] < 0 ? 0.0 : weight;
  }

  std::vector<AskedAttribute> asked_;
  std::vector<base::SplitDouble> weights_;
  std::size_t n_cases_;
  bool ignore_;
  base::CarefulSum whole_;
  double slack_ = 1.0;
};

}  // namespace priorcase::cases
