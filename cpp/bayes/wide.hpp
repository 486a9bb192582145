// Positive numbers of any size: sums and products where doubles would overflow or vanish.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace priorcase::bayes {

// m * 2^e with m in [1, 2) and a whole e, a double as well: both halves then live in registers of the same kind.
struct Wide {
  double m = 1.0;
  double e = 0.0;
};

// Both parts of a natural logarithm, so that powers of two cancel exactly before the parts are joined.
struct WideLog {
  double of_m = 0.0;
  double e = 0.0;

  void multiply(const Wide& factor) {
    of_m += std::log(factor.m);
    e += factor.e;
  }

  double value() const { return of_m + e * ln2; }
  WideLog operator-(const WideLog& other) const { return {of_m - other.of_m, e - other.e}; }

  static constexpr double ln2 = 0x1.62e42fefa39efp-1;
};

// 2^d for a whole d <= 0; 0 from 2^-1023 on, which is nothing beside a number that is at least 1.
inline double two_to(double d) {
  constexpr double shift = 0x1p52 + 1023.0;  // puts d + 1023 into the lowest bits
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(std::max(d, -1023.0) + shift) << 52);
}

// The number m * 2^e for any positive m that is not subnormal.
inline Wide widened(double m, double e) {
  constexpr std::uint64_t fraction = (std::uint64_t{1} << 52) - 1;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(m);
  const double exponent = std::bit_cast<double>((bits >> 52) | std::bit_cast<std::uint64_t>(0x1p52)) - 0x1p52;
  return {std::bit_cast<double>((bits & fraction) | std::bit_cast<std::uint64_t>(1.0)), e + (exponent - 1023.0)};
}

inline Wide operator*(const Wide& a, const Wide& b) { return widened(a.m * b.m, a.e + b.e); }
inline Wide operator/(const Wide& a, const Wide& b) { return widened(a.m / b.m, a.e - b.e); }

inline Wide operator+(const Wide& a, const Wide& b) {
  const double e = std::max(a.e, b.e);
  return widened(a.m * two_to(a.e - e) + b.m * two_to(b.e - e), e);
}

// exp(log), with ln 2 in two parts: the first has spare bits, so that its multiples are exact.
inline Wide exp_wide(double log) {
  constexpr double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
  const double e = std::floor(log / WideLog::ln2);
  return widened(std::exp((log - e * ln2_high) - e * ln2_low), e);
}

// The weights of all edges between n nodes: row i holds those to the nodes before it.
class Triangle {
 public:
  Triangle() = default;
  explicit Triangle(std::size_t nodes) { resize(nodes); }

  static std::size_t size(std::size_t nodes) { return nodes < 2 ? 0 : nodes * (nodes - 1) / 2; }
  static std::size_t at(std::size_t i, std::size_t j) { return i > j ? size(i) + j : size(j) + i; }

  void resize(std::size_t nodes) {
    nodes_ = nodes;
    m.resize(size(nodes));
    e.resize(size(nodes));
  }

  std::size_t nodes() const { return nodes_; }
  Wide get(std::size_t at) const { return {m[at], e[at]}; }
  void set(std::size_t at, const Wide& value) {
    m[at] = value.m;
    e[at] = value.e;
  }

  std::vector<double> m, e;

 private:
  std::size_t nodes_ = 0;
};

}  // namespace priorcase::bayes
