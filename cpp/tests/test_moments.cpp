// Running moments: known numbers, rows in parts, rows left out, columns far from 0 and any number of threads.
#include "check.hpp"
#include "bayes/counts.hpp"

#include <cmath>
#include <cstring>

using namespace priorcase;

namespace {

using State = std::vector<bayes::RunningMoments>;

State of(const std::vector<std::vector<double>>& columns, const std::vector<std::int32_t>& codes, const double* weights,
         std::size_t threads = 1) {
  std::vector<const double*> data;
  for (const auto& column : columns) data.push_back(column.data());
  State found(columns.size() * 2);
  bayes::add_moments(data, codes.data(), weights, codes.size(), found.data(), 2, threads);
  return found;
}

bool same(const State& a, const State& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(bayes::RunningMoments)) == 0;
}

}  // namespace

const testing::Test registered("test_moments", [] {
  const std::vector<std::int32_t> codes{0, 1, 0, -1, 0, 1};
  const std::vector<double> x{1.0, 5.0, 3.0, 7.0, std::nan(""), 5.0};
  const State plain = of({x}, codes, nullptr);
  CHECK(plain[0].n == 2 && plain[0].mean == 2 && plain[0].deviation == 2);
  CHECK(plain[1].n == 2 && plain[1].mean == 5 && plain[1].deviation == 0);

  const std::vector<double> weights{2.0, 1.0, 1.0, 1.0, 1.0, 0.0};
  const State weighted = of({x}, codes, weights.data());
  CHECK(weighted[0].n == 3 && std::abs(weighted[0].mean - 5.0 / 3) < 1e-15);
  CHECK(std::abs(weighted[0].deviation - 8.0 / 3) < 1e-15 && weighted[1].n == 1);

  // Rows in two parts end in the same bits.
  std::vector<std::vector<double>> many(9, std::vector<double>(500));
  std::vector<std::int32_t> classes(500);
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < 500; ++i) {
    for (auto& column : many) column[i] = 1e12 + (state = state * 1664525u + 1013904223u) / 4294967296.0;
    classes[i] = static_cast<std::int32_t>((state = state * 1664525u + 1013904223u) >> 31);
  }
  const State whole = of(many, classes, nullptr);
  CHECK(same(whole, of(many, classes, nullptr, 3)));
  std::vector<const double*> data;
  for (const auto& column : many) data.push_back(column.data());
  State parts(many.size() * 2);
  bayes::add_moments(data, classes.data(), nullptr, 123, parts.data(), 2, 1);
  for (const double*& column : data) column += 123;
  bayes::add_moments(data, classes.data() + 123, nullptr, 377, parts.data(), 2, 1);
  CHECK(same(whole, parts));
  for (const bayes::RunningMoments& m : whole) testing::digest.add(std::vector{m.n, m.mean, m.deviation});
  for (const bayes::RunningMoments& m : whole) CHECK(std::abs(m.deviation / m.n - 1.0 / 12) < 0.02);

  // Numbers that differ by less than can be squared do differ; a heavy row after a light one far away counts in full.
  const State small = of({{1e-300, 2e-300}}, {0, 0}, nullptr);
  CHECK(small[0].deviation > 0);
  const std::vector<double> light{1e-30, 1.0};
  const State heavy = of({{1e30, 1.0}}, {0, 0}, light.data());
  CHECK(heavy[0].mean == 2);
});
