// Helpers of the tests: registration by name, a check that prints where it failed, a digest of results, and random rows
// with ties and missing values.
#pragma once

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#include "search/plan.hpp"

#define CHECK(condition)                                                              \
  do {                                                                                \
    if (!(condition)) {                                                               \
      std::fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);    \
      std::exit(1);                                                                   \
    }                                                                                 \
  } while (false)

namespace priorcase::testing {

// A test. Each test is a file with one such object, which has the name of the file; main.cpp runs them.
class Test {
 public:
  Test(const char* name, void (*run)()) : name(name), run(run), next_(first_) { first_ = this; }

  static const Test* first() { return first_; }
  const Test* next() const { return next_; }

  const char* const name;
  void (*const run)();

 private:
  inline static const Test* first_ = nullptr;
  const Test* const next_;
};

// A hash of the results of a test. The same sources give the same hash on every CPU and on every code path.
class Digest {
 public:
  void add(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9E3779B97F4A7C15u;
    state_ ^= state_ >> 29;
    ++count_;
  }
  void add(double x) { add(std::bit_cast<std::uint64_t>(x != x ? gap : x)); }  // NaNs may differ in their bits
  template <class Whole>
    requires std::is_integral_v<Whole>
  void add(Whole x) { add(static_cast<std::uint64_t>(x)); }
  template <class First, class Second>
  void add(const std::pair<First, Second>& both) { add(both.first), add(both.second); }
  template <class Value>
  void add(const std::vector<Value>& values) {
    for (const Value& value : values) add(value);
  }

  std::uint64_t value() const { return state_; }
  std::size_t count() const { return count_; }

 private:
  static constexpr double gap = std::numeric_limits<double>::quiet_NaN();
  std::uint64_t state_ = 0x2545F4914F6CDD1Du;
  std::size_t count_ = 0;
};

inline Digest digest;

inline constexpr double gap = std::numeric_limits<double>::quiet_NaN();

// Attribute 0: numbers; 1: numbers on a coarse grid; 2: five symbols; 3: 150 symbols; 4: numbers compared by a curve;
// 5: periodic numbers.
inline const std::vector<std::uint8_t> coded{0, 0, 1, 1, 0, 0};

inline search::Plan mixed_plan(double power, bool skip) {
  search::Plan plan(coded.size(), power, skip, false, base::infinity);
  plan.set(0, {search::Linear{.scale = 3.0}});
  plan.set(1, {search::Linear{.low = 0.0, .high = 4.0, .widen = true, .aha = true}});
  search::Profiles symbols;
  symbols.width = 2;
  symbols.profiles = {0.5, 0.5, 0.25, 0.75, 1.0, 0.0, 0.0, 1.0, 0.5, 0.5};
  symbols.factors = {1, 1, 1, 1, 1};
  symbols.rule = {base::Power(2.0), true};
  plan.set(2, {.kind = symbols, .f_unseen = 2.0});
  plan.set(3, {search::Overlap{}});
  search::Curve curve;
  curve.breaks = {-1.0, 0.0, 2.0};
  curve.profiles = {0.0, 1.0, 0.5, 0.5, 1.0, 0.0};
  curve.width = 2;
  plan.set(4, {curve});
  plan.set(5, {search::Periodic{{7.0, 24.0}, {0.5, 0.25}, 300.0, 0.25}});
  return plan;
}

inline std::vector<double> mixed_rows(std::mt19937_64& random, std::size_t n, bool queries) {
  std::vector<double> rows;
  std::normal_distribution<double> normal;
  const auto whole = [&](int high) { return static_cast<double>(random() % high); };
  for (std::size_t i = 0; i < n; ++i) {
    const double unseen = queries && random() % 10 == 0 ? -1.0 : 0.0;
    const double row[] = {normal(random), whole(5), unseen < 0 ? unseen : whole(5), unseen < 0 ? unseen : whole(150),
                          normal(random), 0.25 * whole(1200) - 40.0};
    for (double value : row) rows.push_back(random() % 12 == 0 ? gap : value);
  }
  return rows;
}

}  // namespace priorcase::testing
