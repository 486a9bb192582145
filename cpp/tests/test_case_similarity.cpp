// The best cases are those with the largest of all similarities, with and without groups of values, for any order of
// attributes and any number of threads. Invalid codes and similarities are refused. Compensated sums do not depend
// on the order of the terms.
#include "cases/similarity.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/cpu.hpp"
#include "base/sums.hpp"

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
      std::vector<double> numbers(size);
      for (double& number : numbers) number = static_cast<double>(random() % 1000);
      groups.emplace_back(codes.back().data(), n, size == 4 || size == 3000 ? numbers.data() : nullptr, size);
    }
    for (std::size_t i = 0; i < n; ++i) mask.push_back(random() % 3 != 0);
  }

  cases::Query query(const std::vector<std::size_t>& order, bool ignore, bool grouped = false) const {
    cases::Query asked{{}, n, ignore};
    for (const std::size_t a : order)
      asked.attributes.push_back(
          {codes[a].data(), tables[a].data(), tables[a].size(), weights[a], grouped ? &groups[a] : nullptr});
    asked.check();
    return asked;
  }

  std::size_t n;
  std::vector<std::vector<std::int32_t>> codes;
  std::vector<std::vector<double>> tables;
  std::vector<cases::ValueGroups> groups;
  std::vector<double> weights{1.0, 0.1, 3.0, 0.7};
  std::vector<std::uint8_t> mask;
};

bool same(const std::vector<cases::Match>& a, const std::vector<cases::Match>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const cases::Match& x, const cases::Match& y) {
    return x.similarity == y.similarity && x.position == y.position;
  });
}

// Compares sorted similarities of all cases with searches, which sum few cases exactly and the others roughly or not at
// all.
void test_sound_and_complete(bool ignore) {
  const Base base(7, 40000);
  const cases::Query query = base.query({0, 1, 2, 3}, ignore), grouped = base.query({0, 1, 2, 3}, ignore, true);
  const std::vector<double> all = cases::all_similarities(query, 2);
  if (base::path() == base::Path::scalar) testing::digest.add(all);
  for (const bool masked : {false, true}) {
    std::vector<cases::Match> expected;
    for (std::size_t i = 0; i < base.n; ++i)
      if (!masked || base.mask[i]) expected.push_back({all[i], static_cast<std::int64_t>(i)});
    std::sort(expected.begin(), expected.end());
    const std::uint8_t* mask = masked ? base.mask.data() : nullptr;
    for (const std::size_t k : {0, 1, 25, 5000, 50000}) {
      const std::vector<cases::Match> wanted(expected.begin(), expected.begin() + std::min(k, expected.size()));
      for (const std::size_t threads : {1, 2, 5}) {
        CHECK(same(cases::best_cases(query, mask, k, threads), wanted));
        CHECK(same(cases::best_cases(grouped, mask, k, threads), wanted));
      }
      for (const bool with_groups : {false, true})
        CHECK(same(cases::best_cases(base.query({3, 1, 0, 2}, ignore, with_groups), mask, k, 1), wanted));
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
        {query_codes[a].data(),
         rows[a].size() / base.tables[a].size(),
         {base.codes[a].data(), rows[a].data(), base.tables[a].size(), base.weights[a]}});
  queries.check();
  std::vector<std::int64_t> positions(3 * 40, -1);
  std::vector<double> similarities(3 * 40, 0.0);
  cases::best_cases_many(queries, 40, 2, positions.data(), similarities.data());
  for (std::size_t q = 0; q < 3; ++q) {
    std::vector<std::uint8_t> mask = base.mask;
    if (own[q] >= 0) mask[static_cast<std::size_t>(own[q])] = 0;
    const std::vector<cases::Match> expected = cases::best_cases(queries.query(q), mask.data(), 40, 1);
    CHECK(expected.size() == 40);
    for (std::size_t i = 0; i < 40; ++i)
      CHECK(expected[i].position == positions[q * 40 + i] && expected[i].similarity == similarities[q * 40 + i]);
  }
}

// Enough cases for several threads.
void test_groups_on_threads() {
  constexpr std::size_t n = 1'300'000;
  std::vector<std::int32_t> codes(n);
  std::vector<double> table(700), numbers(700);
  std::mt19937_64 random(8);
  for (std::int32_t& code : codes) code = static_cast<std::int32_t>(random() % 701) - 1;
  for (std::size_t v = 0; v < 700; ++v) {
    numbers[v] = static_cast<double>(random() % 90);
    table[v] = numbers[v] / 100.0;
  }
  const cases::ValueGroups groups(codes.data(), n, numbers.data(), 700);
  const cases::Query query{{{codes.data(), table.data(), 700, 1.0}}, n, false};
  cases::Query grouped = query;
  grouped.attributes[0].groups = &groups;
  const std::vector<cases::Match> expected = cases::best_cases(query, nullptr, 30, 1);
  for (const std::size_t threads : {1, 2, 4}) CHECK(same(cases::best_cases(grouped, nullptr, 30, threads), expected));
}

bool refused(const cases::Query& query) {
  try {
    query.check();
    cases::best_cases(query, nullptr, 2, 1);
  } catch (const std::invalid_argument&) {
    return true;
  }
  return false;
}

void test_codes_outside_are_seen() {
  const double table[] = {0.0, 1.0};
  for (const std::int32_t wrong : {2, 1000, std::numeric_limits<std::int32_t>::max()}) {
    std::int32_t codes[] = {0, 1, 0, -1};
    const cases::ValueGroups groups(codes, 4, nullptr, 2);
    const cases::Query few{{{codes, table, 2, 1.0}}, 2, false}, all{{{codes, table, 2, 1.0}}, 4, false};
    const cases::Query grouped{{{codes, table, 2, 1.0, &groups}}, 4, false};
    CHECK(!refused(few) && !refused(all) && !refused(grouped));
    codes[2] = wrong;
    CHECK(!refused(few) && refused(all));
    codes[1] = codes[0] = wrong;
    CHECK(refused(grouped));
  }
  const std::int32_t gaps[] = {-1, -1};
  CHECK(!refused({{{gaps, nullptr, 0, 1.0}}, 2, false}));
}

void test_tables_outside_are_seen() {
  const std::size_t n = 300;
  std::vector<std::int32_t> codes(n);
  std::vector<double> numbers(n);
  for (std::size_t i = 0; i < n; ++i) numbers[i] = codes[i] = static_cast<std::int32_t>(i);
  for (const double* by : {static_cast<const double*>(nullptr), static_cast<const double*>(numbers.data())}) {
    const cases::ValueGroups groups(codes.data(), n, by, n);
    for (const double wrong : {testing::gap, 1.5, -1e-300, base::infinity})
      for (const std::size_t at : {0, 17, 256, 298, 299}) {
        std::vector<double> table(n, 0.5);
        const cases::Query query{{{codes.data(), table.data(), n, 1.0}}, n, false};
        const cases::Query grouped{{{codes.data(), table.data(), n, 1.0, &groups}}, n, false};
        CHECK(!refused(query) && !refused(grouped));
        table[at] = wrong;
        CHECK(refused(query) && refused(grouped));
      }
  }
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
  testing::digest.add(found);
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
  const std::vector<cases::Match> found = cases::best_cases({{}, 5000, false}, nullptr, 3, 2);
  CHECK(found.size() == 3 && found[2].position == 2 && found[2].similarity == 0.0);
  CHECK(cases::best_cases({{}, 0, true}, nullptr, 3, 2).empty());
}

}  // namespace

const testing::Test registered("test_case_similarity", [] {
  for (const base::Path path : base::available_paths()) {
    CHECK(base::use_path(base::name_of(path)));
    for (const bool ignore : {false, true}) test_sound_and_complete(ignore);
    test_tables_outside_are_seen();
  }
  for (const bool ignore : {false, true}) test_many(ignore);
  test_groups_on_threads();
  test_codes_outside_are_seen();
  test_careful_sums();
  test_no_attributes();
});
