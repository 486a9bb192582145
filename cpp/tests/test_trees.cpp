// Extended numbers, sums over trees, pair counts and joint probabilities equal known values.
#include "check.hpp"
#include "bayes/pairs.hpp"
#include "bayes/trees.hpp"

using namespace priorcase;

namespace {

double log_sum(const std::vector<double>& logs) {
  const double top = *std::max_element(logs.begin(), logs.end());
  double sum = 0.0;
  for (const double log : logs) sum += std::exp(log - top);
  return top + std::log(sum);
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-12 * (1.0 + std::abs(b)); }

void extended_numbers() {
  for (double log : {-1e6, -800.0, -1.0, 0.0, 0.3, 710.0, 1e6}) {
    const bayes::Extended x = bayes::exp_extended(log);
    CHECK(x.m >= 1.0 && x.m < 2.0);
    bayes::SplitLog back;
    back.multiply(x);
    CHECK(near(back.value(), log));
    const bayes::Extended doubled = x + x, same = x + bayes::exp_extended(log - 2000.0);
    CHECK(doubled.m == x.m && doubled.e == x.e + 1.0);
    CHECK(same.m == x.m && same.e == x.e);
    const bayes::Extended one = x / x;
    CHECK(one.m == 1.0 && one.e == 0.0);
  }
  CHECK(bayes::two_to(0.0) == 1.0 && bayes::two_to(-3.0) == 0.125);
  CHECK(bayes::two_to(-1022.0) == 0x1p-1022 && bayes::two_to(-5000.0) == 0.0);
}

// If the weight of each edge is x_u * x_v, the sum over all trees is prod x_v * (sum x_v)^(n - 2).
void products_of_nodes(std::mt19937_64& random, double spread) {
  for (std::size_t n : {1, 2, 3, 4, 7, 30}) {
    std::vector<double> x, logs;
    for (std::size_t v = 0; v < n; ++v) x.push_back(spread * (static_cast<double>(random() % 1000) / 1000.0 - 0.5));
    for (std::size_t v = 0; v < n; ++v)
      for (std::size_t u = 0; u < v; ++u) logs.push_back(x[u] + x[v]);
    bayes::EdgeWeights weights = bayes::EdgeWeights::exp(logs.data(), n);
    double expected = n < 2 ? 0.0 : log_sum(x) * static_cast<double>(n - 2);
    for (double log : x) expected += n < 2 ? 0.0 : log;
    const std::vector<double> shares = bayes::edge_shares(weights);
    testing::digest.add(shares);
    double total = 0.0;
    for (double share : shares) {
      CHECK(share >= 0.0 && share <= 1.0);
      total += share;
    }
    CHECK(near(total, static_cast<double>(n - 1)));
    bayes::EliminationScratch scratch;
    CHECK(near(bayes::tree_sum(weights, scratch).value(), expected));
  }
}

void ties_go_to_the_first_pair() {
  std::vector<std::int64_t> parents;
  bayes::best_tree(nullptr, 1, parents);
  CHECK(parents == std::vector<std::int64_t>{-1});
  const std::vector<double> equal(bayes::edge_count(4), 2.0);
  bayes::best_tree(equal.data(), 4, parents);
  CHECK((parents == std::vector<std::int64_t>{-1, 0, 0, 0}));
}

void counts_come_and_go(std::mt19937_64& random) {
  const std::size_t n = 5000, width = 3;
  const bayes::PairLayout layout({4, 1, 3}, 2);
  std::vector<std::int32_t> columns, classes;
  for (std::size_t a = 0; a < width; ++a)
    for (std::size_t i = 0; i < n; ++i) columns.push_back(static_cast<std::int32_t>(random() % layout.size(a)));
  for (std::size_t i = 0; i < n; ++i) classes.push_back(static_cast<std::int32_t>(random() % 2));
  std::vector<double> counts(2), singles(layout.n_singles()), pairs(layout.n_pairs());
  bayes::PairRows rows{columns.data(), classes.data(), nullptr, n, 1.0};
  bayes::count_pairs(layout, rows, counts.data(), singles.data(), pairs.data(), 2);
  CHECK(counts[0] + counts[1] == static_cast<double>(n));
  double found = 0.0;
  for (std::size_t i = 0; i < n; ++i) found += columns[i] == 2 && columns[2 * n + i] == 1 && classes[i] == 1;
  CHECK(pairs[layout.pair(0, 2, 2, 1) + 1] == found);
  rows.sign = -1.0;
  bayes::count_pairs(layout, rows, counts.data(), singles.data(), pairs.data(), 2);
  for (double count : counts) CHECK(count == 0.0);
  for (double count : singles) CHECK(count == 0.0);
  for (double count : pairs) CHECK(count == 0.0);
}

// The joint probabilities of all classes and all possible queries sum to one, unless rows are left out.
void sums_to_one(bayes::Family family, const bayes::PairTables& tables, const double* logs, const std::int32_t* own,
                 const double* leave) {
  std::vector<std::int32_t> codes;
  for (std::int32_t a = 0; a < 3; ++a)
    for (std::int32_t b = 0; b < 2; ++b)
      for (std::int32_t c = 0; c < 2; ++c) codes.insert(codes.end(), {a, b, c});
  const std::size_t n = codes.size() / 3;
  std::vector<double> out(n * 2), again(n * 2);
  const bayes::PairQueries queries{codes.data(), own, leave, n};
  bayes::joint_logs(family, tables, logs, 0.0, queries, out.data(), 1);
  bayes::joint_logs(family, tables, logs, 0.0, queries, again.data(), 3);
  CHECK(out == again);
  testing::digest.add(out);
  double total = 0.0;
  for (double log : out) total += std::exp(log);
  CHECK(own != nullptr || near(total, 1.0));
}

void families() {
  const bayes::PairLayout layout({3, 2, 2}, 2);
  const std::vector<std::int32_t> columns{0, 1, 2, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 1, 0}, classes{0, 1, 0, 1, 1};
  std::vector<double> counts(2), singles(layout.n_singles()), pairs(layout.n_pairs());
  const bayes::PairRows rows{columns.data(), classes.data(), nullptr, 5, 1.0};
  bayes::count_pairs(layout, rows, counts.data(), singles.data(), pairs.data(), 1);
  // Weights of values by classes, one attribute after the other; those of an attribute sum to the total of each class.
  const std::vector<double> class_weights{0.5, 2.0}, totals{0.75, 1.5}, unseen(6, 1.0);
  const std::vector<double> weights{0.25, 0.5, 0.375, 0.25, 0.125, 0.75, 0.5, 0.5, 0.25, 1.0, 0.375, 0.75, 0.375, 0.75};
  const bayes::PairTables tables{&layout,      counts.data(),  singles.data(), pairs.data(), class_weights.data(),
                                 totals.data(), weights.data(), unseen.data()};
  const double logs[] = {300.0, -2.0, 1.0};
  const std::vector<std::int32_t> own(12, 1);
  for (double amount : {1.0, 0.5}) {
    const std::vector<double> leave(12, amount);
    for (bool leaves : {false, true}) {
      const std::int32_t* classes_left = leaves ? own.data() : nullptr;
      for (bayes::Family family : {bayes::Family::all_trees, bayes::Family::best_tree, bayes::Family::super_parents,
                                   bayes::Family::plain_super_parents})
        sums_to_one(family, tables, logs, classes_left, leave.data());
    }
  }
}

}  // namespace

const testing::Test registered("test_trees", [] {
  std::mt19937_64 random(7);
  extended_numbers();
  for (double spread : {0.0, 3.0, 500.0, 20000.0}) products_of_nodes(random, spread);
  ties_go_to_the_first_pair();
  counts_come_and_go(random);
  families();
});
