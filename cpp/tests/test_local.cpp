// Least squares by normal equations and by singular values; local fits and statistics of many shapes; the same bits on
// every code path.
#include "base/cpu.hpp"
#include "check.hpp"
#include "local/design.hpp"

using namespace priorcase;
using namespace priorcase::local;

namespace {

bool near(double a, double b, double error = 1e-10) { return std::abs(a - b) <= error * (1.0 + std::abs(b)); }

double uniform(std::mt19937_64& random) { return static_cast<double>(random() % 1000003) / 1000003.0; }

// Centred columns with weights, some of which are 0.
struct Case {
  Case(std::mt19937_64& random, std::size_t rows, std::size_t count) {
    columns.reshape(rows, count);
    weights.reshape(rows, 1);
    for (std::size_t i = 0; i < columns.length(); ++i) {
      weights[0][i] = i < rows && random() % 8 ? uniform(random) : 0.0;
      for (std::size_t j = 0; j < count; ++j) columns[j][i] = i < rows ? uniform(random) - 0.5 : 0.0;
    }
    weights[0][0] = 1.0;
    centre();
  }

  void centre() {
    double mean;
    const double total = column_sums().sum(weights[0], columns.length());
    for (std::size_t j = 0; j < columns.count(); ++j)
      local::column_sums().centre(weights[0], total, columns[j], columns.length(), mean);
  }

  local::Columns columns, weights;
};

// Checks that b solves C'WC b + penalty b = C'W y, and that T'WT is the identity matrix if there is no penalty.
template <class Squares>
void check_solution(const Case& of, Squares& squares, double penalty, std::mt19937_64& random) {
  const std::size_t p = of.columns.count(), n = of.columns.length();
  const ColumnSums& sums = column_sums();
  local::Columns target;
  target.reshape(n, 2);
  for (std::size_t i = 0; i < n; ++i) target[0][i] = uniform(random);
  sums.multiply(of.weights[0], target[0], target[1], n);
  std::vector<double> b(p), white(p);
  if constexpr (std::is_same_v<Squares, local::LeastSquares>)
    squares.solve(target[0], b.data());
  else
    squares.solve(target[1], b.data());
  testing::digest.add(b);
  local::Columns fitted;
  fitted.reshape(n, 1);
  std::fill(fitted[0], fitted[0] + n, 0.0);
  for (std::size_t j = 0; j < p; ++j) sums.add_multiple(b[j], of.columns[j], fitted[0], n);
  for (std::size_t i = 0; i < n; ++i) fitted[0][i] *= of.weights[0][i];
  for (std::size_t j = 0; j < p; ++j)
    CHECK(near(sums.dot(of.columns[j], fitted[0], n) + penalty * b[j], sums.dot(of.columns[j], target[1], n), 1e-9));
  const local::Columns& t = squares.whitened();
  CHECK(t.count() == squares.rank() && squares.rank() <= p);
  for (std::size_t k = 0; k < t.count(); ++k)
    for (std::size_t l = 0; l < t.count() && penalty == 0.0; ++l) {
      double product = 0.0;
      for (std::size_t i = 0; i < n; ++i) product += of.weights[0][i] * t[k][i] * t[l][i];
      CHECK(near(product, k == l ? 1.0 : 0.0, 1e-9));
    }
  if (p == 0) return;
  std::vector<double> row(p);
  for (std::size_t j = 0; j < p; ++j) row[j] = of.columns[j][0];
  squares.whiten(row.data(), white);
  for (std::size_t k = 0; k < t.count(); ++k) CHECK(near(white[k], t[k][0], 1e-8));
}

void both_ways(std::mt19937_64& random) {
  for (std::size_t rows : {1, 2, 7, 8, 9, 33, 200})
    for (std::size_t count : {0, 1, 2, 5, 8, 17})
      for (double penalty : {0.0, 0.1}) {
        const Case one(random, rows, count);
        local::LeastSquares fast;
        fast.factorise(one.columns, one.weights[0], penalty, 1e-10);
        check_solution(one, fast, penalty, random);
        local::SingularSquares careful;
        careful.factorise(one.columns, one.weights[0], penalty, 1e-10);
        check_solution(one, careful, penalty, random);
        if (rows == 200) CHECK(careful.rank() == count && fast.rank() == count);
      }
}

// If a column is the sum of two others, the rank is one less, and the solution is still correct.
void dependent_columns(std::mt19937_64& random) {
  Case one(random, 50, 4);
  for (std::size_t i = 0; i < one.columns.length(); ++i) one.columns[3][i] = one.columns[0][i] + one.columns[1][i];
  local::LeastSquares squares;
  squares.factorise(one.columns, one.weights[0], 0.0, 1e-10);
  CHECK(squares.rank() == 3);
  check_solution(one, squares, 0.0, random);
  std::vector<double> b(4);
  squares.solve(one.columns[3], b.data());  // shortest: 1/3 of each, 2/3 of their sum
  CHECK(near(b[0], 1.0 / 3.0) && near(b[1], 1.0 / 3.0) && near(b[2], 0.0) && near(b[3], 2.0 / 3.0));
  squares.factorise(one.columns, one.weights[0], 1e-3, 1e-10);
  CHECK(squares.rank() == 4);
}

void same_bits_on_every_path(std::mt19937_64& random) {
  const Case one(random, 77, 6);
  const base::Path chosen = base::path();
  std::vector<double> expected;
  for (const base::Path path : base::available_paths()) {
    CHECK(base::use_path(base::name_of(path)));
    local::LeastSquares squares;
    squares.factorise(one.columns, one.weights[0], 0.0, 1e-10);
    local::SingularSquares careful;
    careful.factorise(one.columns, one.weights[0], 0.0, 1e-10);
    std::vector<double> bits(12);
    squares.solve(one.columns[2], bits.data());
    careful.solve(one.weights[0], bits.data() + 6);
    bits.push_back(column_sums().sum(squares.whitened()[5], one.columns.length()));
    if (expected.empty()) expected = bits;
    CHECK(bits == expected);
  }
  testing::digest.add(expected);
  CHECK(base::use_path(base::name_of(chosen)));
}

// Rows with missing values and symbols, and lists of many lengths: hat rows sum to 1 and give the fitted value, and
// leverages sum to the rank.
void any_lists(std::mt19937_64& random, int degree) {
  const std::size_t n = 90, width = testing::coded.size();
  const std::vector<double> cells = testing::mixed_rows(random, n, false);
  const std::vector<double> queries = testing::mixed_rows(random, n, true);
  const std::vector<std::uint8_t> kinds{0, 1, 2, 2, 0, 0};
  const std::vector<double> scales{1.0, 1.5, 1.0, 1.0, 2.0, 100.0};
  std::vector<double> targets, weights;
  std::vector<std::int64_t> indptr{0}, rows;
  for (std::size_t i = 0; i < 2 * n; ++i) targets.push_back(uniform(random));
  for (std::size_t q = 0; q < n; ++q) {
    for (std::size_t i = 0; i < q; ++i) {
      rows.push_back(static_cast<std::int64_t>(random() % n));
      weights.push_back(random() % 5 ? uniform(random) : 0.0);
    }
    indptr.push_back(static_cast<std::int64_t>(rows.size()));
  }
  local::LocalFit fit({cells.data(), n, width, kinds.data(), scales.data(), targets.data(), 2}, {degree, 0.0, 1e-9});
  local::LocalStatistics statistics;
  for (std::size_t q = 0; q < n; ++q) {
    if (!fit.fit({indptr.data(), rows.data(), weights.data(), nullptr}, queries.data() + q * width, q)) {
      CHECK(fit.voters().size() == 0);
      continue;
    }
    statistics.take(fit);
    double total = 0.0, value = 0.0;
    for (std::size_t i = 0; i < fit.voters().size(); ++i) {
      total += statistics.hat()[i];
      value += statistics.hat()[i] * targets[2 * fit.voters().row(i) + 1];
    }
    testing::digest.add(value);
    CHECK(near(total, 1.0, 1e-6) && near(value, fit.value(1), 1e-6));
    CHECK(near(statistics.summary(fit).trace, static_cast<double>(fit.rank()), 1e-6));
    local::LocalResiduals residuals;
    residuals.take(fit, 0);
    CHECK(residuals.squares(fit) >= 0.0 && residuals.left_out(fit, statistics, 0) >= 0.0);
  }
}

}  // namespace

const testing::Test registered("test_local", [] {
  std::mt19937_64 random(11);
  both_ways(random);
  dependent_columns(random);
  same_bits_on_every_path(random);
  for (int degree : {0, 1, 2}) any_lists(random, degree);
});
