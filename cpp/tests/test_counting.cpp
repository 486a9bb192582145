// Counts and scores equal those of plain loops for any type, stride, translation, width and number of threads.
#include "check.hpp"
#include "bayes/counts.hpp"
#include "bayes/scoring.hpp"

#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <string>

using namespace priorcase;
using priorcase::testing::gap;

namespace {

constexpr std::size_t value_count = 5, row_counts[] = {0, 1, 2, 63, 64, 65, 255, 256, 257, 4096, 9001};

// Random codes from `low` to high - 1. By default, the column is every second item of the memory.
template <class Code>
struct Codes {
  std::vector<Code> data;
  Codes(std::mt19937_64& random, std::size_t n, int high, int low = -1) : data(2 * n + 1) {
    for (Code& code : data)
      code = static_cast<Code>(low + static_cast<int>(random() % static_cast<std::size_t>(high - low)));
  }
  bayes::Column column(bayes::CellType type, std::ptrdiff_t stride = 2) const {
    return {type, data.data(), stride, nullptr, 0};
  }
};

struct Reals {
  std::vector<double> data;
  Reals(std::mt19937_64& random, std::size_t n, bool ranks) : data(n) {
    std::normal_distribution<double> normal;
    for (double& x : data) {
      x = ranks ? static_cast<double>(random() % (value_count + 2)) - 1.0 : normal(random);
      if (random() % 8 == 0) x = gap;
    }
  }
  bayes::Column column() const { return {bayes::CellType::real, data.data(), 1, nullptr, 0}; }
};

std::int32_t slow_slot(const bayes::Column& column, const std::vector<double>* cuts, std::size_t row,
                       std::int32_t n_slots) {
  const auto at = static_cast<std::ptrdiff_t>(row) * column.stride;
  if (column.type == bayes::CellType::real) {
    const double x = column.number(row);
    if (x != x) return 0;
    if (!cuts) return x < 0 || x + 2 >= n_slots ? 1 : static_cast<std::int32_t>(x) + 2;
    std::int32_t bin = 0;
    for (double cut : *cuts) bin += cut <= x;
    return bin + 2;
  }
  std::int32_t code = 0;
  if (column.type == bayes::CellType::int8) code = static_cast<const std::int8_t*>(column.data)[at];
  if (column.type == bayes::CellType::int16) code = static_cast<const std::int16_t*>(column.data)[at];
  if (column.type == bayes::CellType::int32) code = static_cast<const std::int32_t*>(column.data)[at];
  std::int32_t slot = code < 0 ? 0 : code + 2;
  if (column.translate)
    slot = code + 1 >= static_cast<std::int32_t>(column.n_translate) ? 0 : column.translate[code + 1];
  return slot < n_slots ? slot : 1;
}

// Columns of three types of codes, of ranks, and of numbers with cuts; then the columns of codes again with stride 1.
struct Table {
  std::unique_ptr<Codes<std::int8_t>> small;
  std::unique_ptr<Codes<std::int16_t>> middle;
  std::unique_ptr<Codes<std::int32_t>> wide;
  std::unique_ptr<Reals> ranks, numbers;
  std::vector<std::int32_t> translate{0, 4, 2, 1, 6, 3, 77};
  std::vector<double> cuts{-0.5, 0.0, 0.75};

  Table(std::mt19937_64& random, std::size_t n)
      : small(std::make_unique<Codes<std::int8_t>>(random, n, 5)),
        middle(std::make_unique<Codes<std::int16_t>>(random, n, 5)),
        wide(std::make_unique<Codes<std::int32_t>>(random, n, 9)),
        ranks(std::make_unique<Reals>(random, n, true)),
        numbers(std::make_unique<Reals>(random, n, false)) {}

  std::vector<bayes::Column> columns() const {
    std::vector<bayes::Column> all{small->column(bayes::CellType::int8), middle->column(bayes::CellType::int16),
                                   wide->column(bayes::CellType::int32), ranks->column(), numbers->column(),
                                   small->column(bayes::CellType::int8, 1), middle->column(bayes::CellType::int16, 1),
                                   wide->column(bayes::CellType::int32, 1)};
    all[2].translate = translate.data();
    all[2].n_translate = translate.size();
    return all;
  }
  const std::vector<double>* cuts_of(std::size_t c) const { return c == 4 ? &cuts : nullptr; }
  std::size_t slots_of(std::size_t c) const { return c == 4 ? 2 + cuts.size() + 1 : 2 + value_count; }
};

void test_slots(std::mt19937_64& random) {
  const std::size_t n = 500;
  const Table table(random, n);
  const std::vector<bayes::Column> columns = table.columns();
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const auto n_slots = static_cast<std::int32_t>(table.slots_of(c));
    std::vector<std::int32_t> found(n - 7);
    bayes::read_slots(columns[c], table.cuts_of(c), 7, n, n_slots, found.data());
    for (std::size_t r = 7; r < n; ++r) CHECK(found[r - 7] == slow_slot(columns[c], table.cuts_of(c), r, n_slots));
  }
  const std::vector<double> cuts{1.0, 2.0}, none;
  CHECK(bayes::bin_of(0.5, cuts) == 0 && bayes::bin_of(1.0, cuts) == 1);
  CHECK(bayes::bin_of(2.0, cuts) == 2 && bayes::bin_of(9.0, cuts) == 2);
  CHECK(bayes::bin_of(0.5, none) == 0);
}

// The extreme codes of a type have no slot of their own, and cause no overflow.
template <class Code>
void test_extreme_codes(bayes::CellType type) {
  const Code least = std::numeric_limits<Code>::min(), most = std::numeric_limits<Code>::max();
  const std::vector<Code> codes{most, static_cast<Code>(most - 1), least, static_cast<Code>(least + 1), -1, 0};
  bayes::Column column{type, codes.data(), 1, nullptr, 0};
  std::vector<std::int32_t> found(codes.size());
  bayes::read_slots(column, nullptr, 0, codes.size(), 3, found.data());
  CHECK((found == std::vector<std::int32_t>{1, 1, 0, 0, 0, 2}));
  const std::vector<std::int32_t> slots{1, 2};
  column.translate = slots.data();
  column.n_translate = slots.size();
  bayes::read_slots(column, nullptr, 0, codes.size(), 3, found.data());
  CHECK((found == std::vector<std::int32_t>{0, 0, 0, 0, 1, 2}));
  column.n_translate = 0;
  bayes::read_slots(column, nullptr, 0, codes.size(), 3, found.data());
  CHECK((found == std::vector<std::int32_t>(codes.size(), 0)));
}

// So many blocks of rows that several threads count them.
void test_many_rows(std::mt19937_64& random) {
  const std::size_t n = 300'000;
  const Codes<std::int8_t> values(random, n, 5), own(random, n, 3, 0);
  const bayes::Column classes = own.column(bayes::CellType::int8);
  const std::vector<bayes::CountedColumn> counted{{values.column(bayes::CellType::int8), {}, false, 0, 7}};
  std::vector<std::int64_t> expected(7 * 3, 0);
  for (std::size_t r = 0; r < n; ++r)
    ++expected[static_cast<std::size_t>(values.data[2 * r] < 0 ? 0 : values.data[2 * r] + 2) * 3 +
               static_cast<std::size_t>(own.data[2 * r])];
  for (std::size_t threads : {1, 2, 4}) {
    std::vector<std::int64_t> totals(7 * 3, 0);
    bayes::count_values(counted, classes, 3, n, 1, totals.data(), threads);
    CHECK(totals == expected);
  }
}

void test_counts(std::mt19937_64& random, std::size_t n, std::size_t n_classes) {
  const Table table(random, n);
  const std::vector<bayes::Column> columns = table.columns();
  const Codes<std::int16_t> own(random, n, static_cast<int>(n_classes));
  const bayes::Column classes = own.column(bayes::CellType::int16);
  std::vector<bayes::CountedColumn> counted;
  std::size_t start = 0;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    counted.push_back({columns[c], c == 4 ? table.cuts : std::vector<double>{}, c == 4, start, table.slots_of(c)});
    start += table.slots_of(c);
  }
  std::vector<std::int64_t> expected(start * n_classes, 0);
  for (const bayes::CountedColumn& part : counted)
    for (std::size_t r = 0; r < n; ++r) {
      const std::int32_t k = slow_slot(classes, nullptr, r, static_cast<std::int32_t>(n_classes) + 2) - 2;
      const auto n_slots = static_cast<std::int32_t>(part.n_slots);
      const auto slot = slow_slot(part.column, part.cut ? &part.cuts : nullptr, r, n_slots);
      if (k >= 0) ++expected[(part.start + static_cast<std::size_t>(slot)) * n_classes + static_cast<std::size_t>(k)];
    }
  for (std::size_t threads : {1, 2, 4}) {
    std::vector<std::int64_t> totals(start * n_classes, 0);
    const auto add = [&](int sign) {
      bayes::count_values(counted, classes, n_classes, n, sign, totals.data(), threads);
    };
    add(1);
    CHECK(totals == expected);
    testing::digest.add(totals);
    add(1);
    add(-1);
    CHECK(totals == expected);
    add(-1);
    CHECK(totals == std::vector<std::int64_t>(start * n_classes, 0));
  }
}

void test_scores(std::mt19937_64& random, std::size_t n, std::size_t n_classes) {
  const Table table(random, n);
  const std::vector<bayes::Column> columns = table.columns();
  std::size_t n_cells = 0;
  for (std::size_t c = 0; c < columns.size(); ++c) n_cells += table.slots_of(c);
  std::normal_distribution<double> normal;
  const auto some = [&](std::size_t size) {
    std::vector<double> numbers(size);
    for (double& x : numbers) x = random() % 16 == 0 ? -std::numeric_limits<double>::infinity() : normal(random);
    return numbers;
  };
  const std::vector<double> prior = some(n_classes), terms = some(n_cells * n_classes);
  const std::vector<double> own_prior = some(n_classes), own_terms = some(n_cells * n_classes);
  bayes::Scorer scorer(prior.data(), n_classes, terms.data(), n_cells);
  std::vector<std::size_t> starts;
  for (std::size_t c = 0, start = 0; c < columns.size(); start += table.slots_of(c++)) {
    starts.push_back(start);
    scorer.add(bayes::TableTerm{c, start, table.slots_of(c), c == 4 ? table.cuts : std::vector<double>{}, c == 4});
  }
  scorer.leave_out(own_prior.data(), own_terms.data());
  scorer.check_columns(columns);
  const Codes<std::int8_t> own(random, n, static_cast<int>(std::min<std::size_t>(n_classes, 100)));
  const bayes::Column classes = own.column(bayes::CellType::int8);
  for (const bayes::Column* left_out : {static_cast<const bayes::Column*>(nullptr), &classes}) {
    std::vector<double> expected(n * n_classes);
    for (std::size_t r = 0; r < n; ++r) {
      const auto mine = slow_slot(classes, nullptr, r, static_cast<std::int32_t>(n_classes) + 2) - 2;
      for (std::size_t k = 0; k < n_classes; ++k) {
        const bool out = left_out && mine == static_cast<std::int32_t>(k);
        double sum = out ? own_prior[k] : prior[k];
        for (std::size_t c = 0; c < columns.size(); ++c) {
          const auto slot = slow_slot(columns[c], table.cuts_of(c), r, static_cast<std::int32_t>(table.slots_of(c)));
          sum += (out ? own_terms : terms)[(starts[c] + static_cast<std::size_t>(slot)) * n_classes + k];
        }
        expected[r * n_classes + k] = sum;
      }
    }
    for (std::size_t threads : {1, 2, 4}) {
      std::vector<double> found(n * n_classes, 7.0), logs(n * n_classes), shares(n * n_classes);
      scorer.score(columns, n, left_out, bayes::Scale::joint, found.data(), threads);
      CHECK(found == expected);
      scorer.score(columns, n, left_out, bayes::Scale::log_probability, logs.data(), threads);
      scorer.score(columns, n, left_out, bayes::Scale::probability, shares.data(), threads);
      testing::digest.add(found);
      testing::digest.add(shares);
      for (std::size_t r = 0; r < n; ++r) {
        double total = 0.0;
        for (std::size_t k = 0; k < n_classes; ++k) {
          total += shares[r * n_classes + k];
          CHECK(std::fabs(std::exp(logs[r * n_classes + k]) - shares[r * n_classes + k]) < 1e-12);
        }
        CHECK(std::fabs(total - 1.0) < 1e-12);
      }
    }
  }
}

// A block of rows gives the same scores as the densities of single numbers.
void test_densities(std::mt19937_64& random) {
  const std::size_t n = 300, n_classes = 3;
  Reals numbers(random, n, false);
  numbers.data[0] = 1e300;
  numbers.data[1] = -1e300;
  const std::vector<double> prior(n_classes, -1.0), nothing;
  for (bayes::Shape shape : {bayes::Shape::student, bayes::Shape::normal, bayes::Shape::mixed}) {
    bayes::Scorer scorer(prior.data(), n_classes, nothing.data(), 0);
    bayes::DensityTerm term{0, shape, {{-1.0, 0.5, 2.0, 1.5}, {-2.0, -0.5, 0.25, 3.0}, {0.0, 0.0, 0.0, 0.0}}};
    term.pooled = {-1.5, 0.0, 1.0, 2.0};
    term.log_in = std::log(0.25);
    term.log_out = std::log(0.75);
    scorer.add(term);
    const std::vector<bayes::Column> columns{numbers.column()};
    std::vector<double> found(n * n_classes);
    scorer.score(columns, n, nullptr, bayes::Scale::joint, found.data(), 2);
    testing::digest.add(found);
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t k = 0; k < n_classes; ++k) {
        const double x = numbers.data[r], sum = found[r * n_classes + k];
        CHECK(sum == sum);  // no NaN, however far away
        CHECK(sum == (x != x ? -1.0 : -1.0 + term.at(x, k)));
        if (r > 1 && shape == bayes::Shape::student && x == x) {
          const bayes::Density& d = term.classes[k];
          CHECK(std::fabs(sum + 1.0 - (d.c - d.e * std::log(1.0 + (x - d.location) * (x - d.location) * d.q))) < 1e-12);
        }
      }
    CHECK(shape == bayes::Shape::normal || std::isfinite(found[0]));
  }
  double certain[] = {-std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  bayes::normalise(certain, 2, bayes::Scale::probability, certain);
  CHECK(certain[0] == 0.5 && certain[1] == 0.5);
  const double joint[] = {0.0, std::log(3.0), 5.0, 5.0};
  double shares[4];
  bayes::normalise_rows(joint, 2, 2, bayes::Scale::probability, shares, 2);
  CHECK(std::fabs(shares[0] - 0.25) < 1e-15 && shares[2] == 0.5 && shares[3] == 0.5);
}

void test_codes(std::mt19937_64& random) {
  for (std::size_t n : row_counts) {
    const Codes<std::int16_t> column(random, n, 9);
    const std::vector<std::int64_t> counts = bayes::code_counts(column.column(bayes::CellType::int16), n, 6);
    std::vector<std::int64_t> expected(6, 0);
    const std::vector<std::int32_t> table{3, -1, 120, 0};
    std::vector<std::int8_t> translated(n);
    bayes::recode(column.column(bayes::CellType::int16), n, table.data(), table.size(), bayes::CellType::int8,
                  translated.data());
    for (std::size_t r = 0; r < n; ++r) {
      const int code = column.data[2 * r];
      if (code >= 0 && code < 6) ++expected[static_cast<std::size_t>(code)];
      CHECK(translated[r] == (code >= 0 && code < 4 ? table[static_cast<std::size_t>(code)] : -1));
    }
    CHECK(counts == expected);
  }
}

// Items of any width are numbered in the order of their first occurrence.
void test_factors(std::mt19937_64& random) {
  for (std::size_t width : {0, 1, 4, 8, 13, 40})
    for (std::size_t n : row_counts) {
      std::vector<char> items((n + 1) * (width + 3));
      for (char& item : items) item = static_cast<char>(random() % (n < 1000 ? 2 : 3));
      const bayes::Factors found = bayes::factorise(items.data(), static_cast<std::ptrdiff_t>(width) + 3, width, n);
      std::map<std::string, std::int32_t> codes;
      for (std::size_t r = 0; r < n; ++r) {
        const std::string item(&items[r * (width + 3)], width);
        const auto [entry, fresh] = codes.emplace(item, static_cast<std::int32_t>(codes.size()));
        if (fresh) CHECK(found.first[static_cast<std::size_t>(entry->second)] == static_cast<std::int64_t>(r));
        CHECK(found.codes[r] == entry->second);
      }
      CHECK(found.first.size() == codes.size());
    }
}

// Moments ------------------------------------------------------------------------------------------------------------

// Windows for numbers from 2^-64 to 2^64.
constexpr bayes::MomentWindows windows{{{-4, 14}, {-8, 20}, {-12, 30}}};
constexpr std::size_t digits = 14 + 20 + 30;

using Sums = std::vector<std::int64_t>;

Sums sums_of(const std::vector<std::vector<double>>& columns, const std::vector<std::int32_t>& codes,
             const double* weights, std::size_t threads = 1) {
  std::vector<const double*> data;
  for (const auto& column : columns) data.push_back(column.data());
  Sums found(columns.size() * 2 * digits);
  bayes::add_moments(data, codes.data(), weights, codes.size(), 1, found.data(), windows, 2, threads);
  return found;
}

// Returns a sum of one class in the first column, which float64 must be able to represent.
double sum_of(const Sums& sums, std::size_t code, std::size_t which) {
  const std::int64_t* at = sums.data() + code * digits;
  for (std::size_t i = 0; i < which; ++i) at += windows[i].width;
  double found = 0;
  for (std::size_t i = windows[which].width; i-- > 0;)
    found += std::ldexp(static_cast<double>(at[i]), static_cast<int>(32 * (windows[which].base + std::int64_t(i))));
  return found;
}

// Sums with known results; sums of rows in parts, in any order, with ignored and removed rows, and on several threads.
void test_moments(std::mt19937_64& random) {
  const std::vector<std::int32_t> codes{0, 1, 0, -1, 0, 1};
  const std::vector<double> x{1.0, 5.0, -3.5, 7.0, std::nan(""), 5.0};
  const Sums plain = sums_of({x}, codes, nullptr);
  CHECK(sum_of(plain, 0, 0) == 2 && sum_of(plain, 0, 1) == -2.5 && sum_of(plain, 0, 2) == 13.25);
  CHECK(sum_of(plain, 1, 0) == 2 && sum_of(plain, 1, 1) == 10 && sum_of(plain, 1, 2) == 50);

  const std::vector<double> weights{2.0, 1.0, 0.25, 1.0, 1.0, 0.0};
  const Sums weighted = sums_of({x}, codes, weights.data());
  CHECK(sum_of(weighted, 0, 0) == 2.25 && sum_of(weighted, 0, 1) == 1.125 && sum_of(weighted, 0, 2) == 5.0625);
  CHECK(sum_of(weighted, 1, 0) == 1 && sum_of(weighted, 1, 1) == 5 && sum_of(weighted, 1, 2) == 25);

  // Rows in another order or in parts, and removed rows, give the same bits.
  std::uniform_real_distribution<double> number(-1e6, 1e6);
  std::vector<std::vector<double>> many(9, std::vector<double>(500)), turned = many;
  std::vector<std::int32_t> classes(500), others(500);
  for (std::size_t i = 0; i < 500; ++i) {
    classes[i] = others[499 - i] = static_cast<std::int32_t>(random() % 2);
    for (std::size_t c = 0; c < many.size(); ++c) many[c][i] = turned[c][499 - i] = std::ldexp(number(random), int(i % 60) - 40);
  }
  const Sums whole = sums_of(many, classes, nullptr);
  CHECK(whole == sums_of(many, classes, nullptr, 3));
  CHECK(whole == sums_of(turned, others, nullptr));
  CHECK(whole == sums_of(many, classes, std::vector<double>(500, 1.0).data()));
  testing::digest.add(std::vector<double>(whole.begin(), whole.end()));
  std::vector<const double*> data;
  for (const auto& column : many) data.push_back(column.data());
  Sums parts(many.size() * 2 * digits);
  bayes::add_moments(data, classes.data(), nullptr, 123, 1, parts.data(), windows, 2, 1);
  const Sums first = parts;
  for (const double*& column : data) column += 123;
  bayes::add_moments(data, classes.data() + 123, nullptr, 377, 1, parts.data(), windows, 2, 1);
  CHECK(whole == parts);
  bayes::add_moments(data, classes.data() + 123, nullptr, 377, -1, parts.data(), windows, 2, 1);
  CHECK(first == parts);

  const double extremes[]{0.0, -5e-324, 1e300, std::nan("")};
  const bayes::BitRange range = bayes::bit_range(extremes, 4);
  CHECK(range.low == -1074 && range.high == std::ilogb(1e300) + 1);
}

}  // namespace

const testing::Test registered("test_counting", [] {
  std::mt19937_64 random(1);
  test_slots(random);
  test_extreme_codes<std::int8_t>(bayes::CellType::int8);
  test_extreme_codes<std::int16_t>(bayes::CellType::int16);
  test_extreme_codes<std::int32_t>(bayes::CellType::int32);
  test_extreme_codes<std::int64_t>(bayes::CellType::int64);
  test_many_rows(random);
  test_codes(random);
  test_factors(random);
  test_densities(random);
  test_moments(random);
  for (std::size_t n : row_counts)
    for (std::size_t n_classes : {1, 2, 3, 5, 8, 9, 2000}) {
      if (n_classes < 100 || n < 100) test_counts(random, n, n_classes);
      if (n_classes < 100 || n < 100) test_scores(random, std::min<std::size_t>(n, 600), n_classes);
    }
});
