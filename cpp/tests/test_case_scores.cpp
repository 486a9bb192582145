// The best of all similarities in any order of attributes, threads and parts; sums that keep what rounding takes.
#include "cases/retrieval.hpp"

#include <numeric>

#include "check.hpp"

using namespace priorcase;

namespace {

struct Base {
  Base(std::uint64_t seed, std::size_t n) : n(n) {
    std::mt19937_64 random(seed);
    for (const std::size_t size : {1, 4, 30, 3000}) {
      std::vector<std::int32_t> column(n);
      for (std::int32_t& code : column)
        code = random() % 10 == 0 ? -1 : static_cast<std::int32_t>(random() % size);
      std::vector<double> table(size);
      for (double& entry : table) entry = static_cast<double>(random() % 11) / 10.0;
      codes.push_back(column);
      tables.push_back(table);
    }
    for (std::size_t i = 0; i < n; ++i) mask.push_back(random() % 3 != 0);
  }

  cases::CaseScores scores(const std::vector<std::size_t>& order, bool ignore) const {
    std::vector<cases::AskedAttribute> asked;
    for (const std::size_t a : order) {
      asked.push_back({codes[a].data(), tables[a].data(), tables[a].size(), weights[a]});
      CHECK(asked.back().fits(n));
    }
    return {asked, n, ignore};
  }

  std::size_t n;
  std::vector<std::vector<std::int32_t>> codes;
  std::vector<std::vector<double>> tables;
  std::vector<double> weights{1.0, 0.1, 3.0, 0.7};
  std::vector<std::uint8_t> mask;
};

bool same(const std::vector<cases::Match>& a, const std::vector<cases::Match>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](const cases::Match& x, const cases::Match& y) {
           return x.similarity == y.similarity && x.position == y.position;
         });
}

// All similarities sorted, against the search that sums most cases in the quick way only.
void test_sound_and_complete(bool ignore) {
  const Base base(7, 40000);
  const cases::CaseScores scores = base.scores({0, 1, 2, 3}, ignore);
  const std::vector<double> all = cases::all_similarities(scores, 2);
  for (const bool masked : {false, true}) {
    std::vector<cases::Match> expected;
    for (std::size_t i = 0; i < base.n; ++i)
      if (!masked || base.mask[i]) expected.push_back({all[i], static_cast<std::int64_t>(i)});
    std::sort(expected.begin(), expected.end());
    const std::uint8_t* mask = masked ? base.mask.data() : nullptr;
    for (const std::size_t k : {0, 1, 25, 5000, 50000}) {
      const std::vector<cases::Match> wanted(expected.begin(), expected.begin() + std::min(k, expected.size()));
      for (const std::size_t threads : {1, 2, 5}) CHECK(same(cases::best_cases(scores, mask, k, threads), wanted));
      CHECK(same(cases::best_cases(base.scores({3, 1, 0, 2}, ignore), mask, k, 1), wanted));
    }
  }
}

void test_many(bool ignore) {
  const Base base(9, 5000);
  const std::vector<std::int32_t> query_codes[] = {{0, -1, 0}, {1, 1, 0}};
  const std::vector<double> rows[] = {{0.5}, {1.0, 0.5, 0.25, 0.0, 0.0, 0.5, 1.0, 0.9}};
  const std::int64_t own[] = {4, -1, 17};
  cases::ManyQueries queries{{}, own, 3, base.n, base.mask.data(), ignore};
  for (std::size_t a = 0; a < 2; ++a)
    queries.attributes.push_back(
        {query_codes[a].data(), {base.codes[a].data(), rows[a].data(), base.tables[a].size(), base.weights[a]}});
  std::vector<std::int64_t> positions(3 * 40, -1);
  std::vector<double> similarities(3 * 40, 0.0);
  cases::best_cases_many(queries, 40, 2, positions.data(), similarities.data());
  for (std::size_t q = 0; q < 3; ++q) {
    std::vector<std::uint8_t> mask = base.mask;
    if (own[q] >= 0) mask[static_cast<std::size_t>(own[q])] = 0;
    const std::vector<cases::Match> expected = cases::best_cases(queries.scores(q), mask.data(), 40, 1);
    CHECK(expected.size() == 40);
    for (std::size_t i = 0; i < 40; ++i)
      CHECK(expected[i].position == positions[q * 40 + i] && expected[i].similarity == similarities[q * 40 + i]);
  }
}

void test_codes_outside_are_seen() {
  const double table[] = {0.0, 1.0};
  for (const std::int32_t wrong : {2, 1000, std::numeric_limits<std::int32_t>::max()}) {
    const std::int32_t codes[] = {0, 1, wrong, -1};
    const cases::AskedAttribute attribute{codes, table, 2, 1.0};
    CHECK(!attribute.fits(4) && attribute.fits(2));
  }
  const std::int32_t gaps[] = {-1, -1};
  CHECK((cases::AskedAttribute{gaps, nullptr, 0, 1.0}.fits(2)));
}

void test_careful_sums() {
  std::mt19937_64 random(3);
  std::vector<double> terms{1e16, 1.0, 1.0, 1e-3, 0.1, 0.2, 0.7, 1e8};
  std::vector<double> found;
  for (int round = 0; round < 200; ++round) {
    std::shuffle(terms.begin(), terms.end(), random);
    base::CarefulSum sum, whole;
    for (const double term : terms) sum.add_product(base::SplitDouble(term), base::SplitDouble(1.0 / 3.0));
    whole.add(1.0 / 3.0);
    found.push_back(sum.over(whole));
  }
  for (const double one : found) CHECK(one == found.front());
  base::CarefulSum third, nothing;
  third.add(1.0);
  CHECK(third.over(nothing) == 0.0 && nothing.over(third) == 0.0 && third.over(third) == 1.0);
  for (int i = 0; i < 2; ++i) third.add(1.0);
  base::CarefulSum one;
  one.add(1.0);
  CHECK(one.over(third) == 1.0 / 3.0);
}

void test_no_attributes() {
  const cases::CaseScores nothing({}, 5000, false);
  const std::vector<cases::Match> found = cases::best_cases(nothing, nullptr, 3, 2);
  CHECK(found.size() == 3 && found[2].position == 2 && found[2].similarity == 0.0);
  CHECK(cases::best_cases(cases::CaseScores({}, 0, true), nullptr, 3, 2).empty());
}

}  // namespace

const testing::Test registered("test_case_scores", [] {
  for (const bool ignore : {false, true}) {
    test_sound_and_complete(ignore);
    test_many(ignore);
  }
  test_codes_outside_are_seen();
  test_careful_sums();
  test_no_attributes();
});
