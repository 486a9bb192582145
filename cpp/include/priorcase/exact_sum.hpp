// Exact sums of w, w x and w x^2 in each class, as whole numbers of 256 bits.
//
// A double is m 2^e with a whole m below 2^53, so w x^2 is a whole number below 2^159 times a power of two. Terms whose
// exponents share a stretch of 32 are shifted to its beginning and added there: below 2^190 each, so 2^64 of them fit.
// Nothing is ever rounded, hence the order of the rows has no influence.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace priorcase {

// A signed whole number of 256 bits, lowest limb first, negative ones as two's complement.
struct Int256 {
  std::uint64_t limb[4] = {0, 0, 0, 0};

  bool is_zero() const { return (limb[0] | limb[1] | limb[2] | limb[3]) == 0; }
};

// A whole number of 192 bits.
struct Product {
  std::uint64_t limb[3];
};

using Twice = unsigned __int128;

// p 2^shift for a p below 2^160 and a shift below 32.
inline Product shifted(const Product& p, unsigned shift) {
  const Twice low = static_cast<Twice>(p.limb[0]) << shift;
  const Twice middle = (static_cast<Twice>(p.limb[1]) << shift) + static_cast<std::uint64_t>(low >> 64);
  const std::uint64_t high = (p.limb[2] << shift) + static_cast<std::uint64_t>(middle >> 64);
  return {{static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(middle), high}};
}

// sum += p, or sum -= p.
inline void accumulate(Int256& sum, const Product& p, bool negative) {
  const std::uint64_t flip = negative ? ~std::uint64_t{0} : 0;
  Twice carry = negative ? 1 : 0;
  for (int i = 0; i < 3; ++i) {
    carry += static_cast<Twice>(sum.limb[i]) + (p.limb[i] ^ flip);
    sum.limb[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  sum.limb[3] += flip + static_cast<std::uint64_t>(carry);
}

// A finite double as +-mantissa 2^exponent.
struct Parts {
  std::uint64_t mantissa;
  int exponent;
  bool negative;
};

inline Parts parts_of(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto field = static_cast<int>(bits >> 52 & 0x7ff);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  if (field == 0) return {fraction, -1074, bits >> 63 != 0};
  return {fraction | std::uint64_t{1} << 52, field - 1075, bits >> 63 != 0};
}

inline bool is_nan(double x) { return x != x; }
inline bool is_infinite(double x) { return x - x != 0 && x == x; }

// One part of a sum: class, which sum (0: w, 1: w x, 2: w x^2), and value 2^exponent.
struct Term {
  std::int64_t code, which, exponent;
  Int256 value;
};

class ExactSums {
 public:
  explicit ExactSums(std::size_t n_classes) : slots_(n_classes, none) {}

  // False where a value is infinite or a code is too large; codes below 0, gaps and weights of 0 are left out.
  bool add(const double* values, const std::int32_t* codes, const double* weights, std::size_t n) {
    Parts once{1, 0, false};
    for (std::size_t i = 0; i < n; ++i) {
      const double x = values[i];
      if (is_nan(x) || codes[i] < 0) continue;
      if (is_infinite(x) || static_cast<std::size_t>(codes[i]) >= slots_.size()) return false;
      if (weights != nullptr) {
        if (!(weights[i] >= 0) || is_infinite(weights[i])) return false;
        if (weights[i] == 0) continue;
        once = parts_of(weights[i]);
      }
      add_row(sums_of(static_cast<std::size_t>(codes[i])), parts_of(x), once);
    }
    return true;
  }

  // The sums so far, in parts; several parts may be of one sum.
  std::vector<Term> terms() {
    flush();
    return std::move(terms_);
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr int stretch_bits = 5;
  static constexpr int least_exponent = -1074;
  // Stretches of each sum: exponents from -1074, -2148 and -3222 to 971, 1942 and 2913.
  static constexpr int begins[4] = {0, 64, 192, 384};
  static constexpr std::size_t most_slots = 2048;  // 24 MiB

  Int256* sums_of(std::size_t code) {
    if (slots_[code] == none) {
      if (held_.size() == most_slots) flush();
      slots_[code] = static_cast<std::uint32_t>(held_.size());
      held_.push_back(code);
      sums_.resize(held_.size() * begins[3]);
    }
    return sums_.data() + static_cast<std::size_t>(slots_[code]) * begins[3];
  }

  static void add_row(Int256* sums, const Parts& x, const Parts& w) {
    add_term(sums, 0, {{w.mantissa, 0, 0}}, w.exponent, false);
    if (x.mantissa == 0) return;
    const Twice wx = static_cast<Twice>(w.mantissa) * x.mantissa;
    const auto low = static_cast<std::uint64_t>(wx), high = static_cast<std::uint64_t>(wx >> 64);
    add_term(sums, 1, {{low, high, 0}}, w.exponent + x.exponent, x.negative);
    const Twice bottom = static_cast<Twice>(low) * x.mantissa;
    const Twice top = static_cast<Twice>(high) * x.mantissa + static_cast<std::uint64_t>(bottom >> 64);
    add_term(sums, 2,
             {{static_cast<std::uint64_t>(bottom), static_cast<std::uint64_t>(top), static_cast<std::uint64_t>(top >> 64)}},
             w.exponent + 2 * x.exponent, false);
  }

  static void add_term(Int256* sums, int which, const Product& p, int exponent, bool negative) {
    const auto steps = static_cast<unsigned>(exponent - (which + 1) * least_exponent);
    const unsigned shift = steps & ((1u << stretch_bits) - 1);
    accumulate(sums[begins[which] + static_cast<int>(steps >> stretch_bits)], shifted(p, shift), negative);
  }

  void flush() {
    for (std::size_t slot = 0; slot < held_.size(); ++slot) {
      for (int which = 0; which < 3; ++which)
        for (int b = begins[which]; b < begins[which + 1]; ++b) {
          const Int256& sum = sums_[slot * begins[3] + static_cast<std::size_t>(b)];
          if (sum.is_zero()) continue;
          const int exponent = (which + 1) * least_exponent + ((b - begins[which]) << stretch_bits);
          terms_.push_back({static_cast<std::int64_t>(held_[slot]), which, exponent, sum});
        }
      slots_[held_[slot]] = none;
    }
    held_.clear();
    sums_.clear();
  }

  std::vector<std::uint32_t> slots_;  // where the sums of each class are, or none
  std::vector<std::size_t> held_;     // the class of each slot
  std::vector<Int256> sums_;
  std::vector<Term> terms_;
};

}  // namespace priorcase
