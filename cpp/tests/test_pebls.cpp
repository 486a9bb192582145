// Records and searches of exemplars are those of the definition, on every code path and for any number of threads.
#include <utility>

#include "base/cpu.hpp"
#include "base/threads.hpp"
#include "check.hpp"
#include "search/difference.hpp"
#include "concepts/exemplars.hpp"

using namespace priorcase;

namespace {

constexpr std::size_t width = 4;
const std::vector<double> attribute_weights{1.0, 2.0, 0.0, 0.5};

// Symbols with few different profiles, so that distances tie; attribute 3 has more symbols than the scan has codes.
search::Plan symbol_plan(std::mt19937_64& random) {
  search::Plan plan(width, 2.0, false, false, base::infinity);
  for (std::size_t a = 0; a < width; ++a) {
    search::Profiles symbols;
    symbols.width = 2;
    symbols.factors.assign(a == 3 ? 100 : 4, 1.0);
    for (std::size_t v = 0; v < symbols.factors.size(); ++v) {
      const double share = static_cast<double>(random() % 5) / 4;
      symbols.profiles.insert(symbols.profiles.end(), {share, 1.0 - share});
    }
    symbols.missing = {0.5, 0.5};
    plan.set(a, {.kind = symbols, .f_unseen = 4.0});
  }
  return plan;
}

std::vector<double> symbol_rows(std::mt19937_64& random, std::size_t n, bool queries) {
  std::vector<double> rows;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t a = 0; a < width; ++a) {
      const double symbol = static_cast<double>(random() % (a == 3 ? 100 : 4));
      rows.push_back(random() % 10 == 0 ? testing::gap : queries && random() % 10 == 0 ? -1.0 : symbol);
    }
  return rows;
}

// The definition: measures and sorts all rows.
class Obvious {
 public:
  explicit Obvious(const search::Plan& plan) : plan_(plan) {}

  std::vector<search::Found> nearest(const double* query, std::int64_t own, std::size_t k, bool ties) const {
    std::vector<search::Found> all;
    for (std::size_t x = 0; x < labels.size(); ++x)
      if (static_cast<std::int64_t>(x) != own) all.push_back({cost(query, x), static_cast<std::int64_t>(x)});
    std::sort(all.begin(), all.end());
    std::size_t end = std::min(k, all.size());
    while (ties && end < all.size() && all[end].first == all[end - 1].first) ++end;
    all.resize(end);
    return all;
  }

  void record(const double* row, std::int64_t own, std::int64_t label) {
    const std::size_t nearest_one = nearest(row, own, 1, false).front().second;
    ++used[nearest_one];
    correct[nearest_one] += labels[nearest_one] == label;
    latest = nearest_one;
  }

  void keep(const double* row, std::int64_t label, std::int64_t n_used, std::int64_t n_correct) {
    rows.insert(rows.end(), row, row + width);
    labels.push_back(label);
    used.push_back(n_used);
    correct.push_back(n_correct);
  }

  std::vector<double> rows;
  std::vector<std::int64_t> labels, used, correct;
  std::size_t latest = 0;

 private:
  double cost(const double* query, std::size_t x) const {
    double sum = 0.0;
    for (std::size_t a = 0; a < width; ++a) {
      if (attribute_weights[a] == 0.0) continue;
      search::Difference difference;
      difference.prepare(plan_, a, true, query[a]);
      const double value = rows[x * width + a];
      sum += attribute_weights[a] * (std::isnan(value) ? difference.against_missing() : difference.against(value));
    }
    return static_cast<double>(used[x]) / static_cast<double>(correct[x]) * sum;
  }

  const search::Plan& plan_;
};

void check_records(const concepts::Exemplars& exemplars, const Obvious& obvious) {
  CHECK(exemplars.reliability().used() == obvious.used);
  CHECK(exemplars.reliability().correct() == obvious.correct);
}

void check_searches(concepts::Exemplars& exemplars, const search::Plan& plan, const Obvious& obvious,
                    std::mt19937_64& random) {
  const std::size_t n_queries = 12;
  const std::vector<double> queries = symbol_rows(random, n_queries, true);
  std::vector<std::int64_t> exclude(n_queries);
  for (std::size_t q = 0; q < n_queries; ++q) exclude[q] = q % 2 ? -1 : static_cast<std::int64_t>(q);
  for (std::size_t k : {1, 5})
    for (bool ties : {false, true})
      for (std::size_t threads : {1, 3}) {
        search::Request request;
        request.queries = queries.data();
        request.n_queries = n_queries;
        request.k = k;
        request.ties = ties;
        request.exclude = exclude.data();
        request.threads = threads;
        const auto found = exemplars.search(plan, request);
        if (base::path() == base::Path::scalar) testing::digest.add(found);
        for (std::size_t q = 0; q < n_queries; ++q)
          CHECK(found[q] == obvious.nearest(queries.data() + q * width, exclude[q], k, ties));
      }
}

void run(std::uint64_t seed, std::size_t n, bool one_by_one, bool inherit) {
  std::mt19937_64 random(seed);
  const search::Plan plan = symbol_plan(random);
  const std::vector<double> rows = symbol_rows(random, n, false);
  std::vector<std::int64_t> labels(n);
  for (std::int64_t& label : labels) label = static_cast<std::int64_t>(random() % 2);
  concepts::Exemplars exemplars(attribute_weights);
  Obvious obvious(plan);
  if (one_by_one) {
    const std::size_t half = n / 2;
    exemplars.arrive(plan, rows.data(), labels.data(), half, inherit);
    exemplars.arrive(plan, rows.data() + half * width, labels.data() + half, n - half, inherit);
    for (std::size_t i = 0; i < n; ++i) {
      if (i > 0) obvious.record(rows.data() + i * width, -1, labels[i]);
      const bool known = inherit && i > 0;
      obvious.keep(rows.data() + i * width, labels[i], known ? obvious.used[obvious.latest] : 1,
                   known ? obvious.correct[obvious.latest] : 1);
    }
  } else {
    const std::vector<std::int64_t> ones(n, 1);
    exemplars.store(plan, rows.data(), labels.data(), ones.data(), ones.data(), n);
    for (std::size_t i = 0; i < n; ++i) obvious.keep(rows.data() + i * width, labels[i], 1, 1);
    for (int pass = 0; pass < 2; ++pass) {
      exemplars.sweep(plan, rows.data(), 0, n);
      for (std::size_t i = 0; i < n && n > 1; ++i)
        obvious.record(rows.data() + i * width, static_cast<std::int64_t>(i), labels[i]);
    }
  }
  CHECK(exemplars.size() == n);
  check_records(exemplars, obvious);
  check_searches(exemplars, plan, obvious, random);
  if (n > 1) {
    const std::int64_t none = 0, one = 1;
    try {
      exemplars.store(plan, rows.data(), labels.data(), &one, &none, 1);
      CHECK(false);
    } catch (const std::invalid_argument&) {
    }
    check_records(exemplars, obvious);
  }
}

// A call that is interrupted leaves all records as they were, and stores nothing.
bool interrupt = false;

void check_interrupted() {
  const std::size_t n = 100000;  // takes longer than the time between checks for interrupts
  std::mt19937_64 random(99);
  const search::Plan plan = symbol_plan(random);
  const std::vector<double> rows = symbol_rows(random, n, false);
  const std::vector<std::int64_t> ones(n, 1);
  std::vector<std::int64_t> labels(n);
  for (std::int64_t& label : labels) label = static_cast<std::int64_t>(random() % 2);
  concepts::Exemplars exemplars(attribute_weights);
  exemplars.arrive(plan, rows.data(), labels.data(), 500, true);
  const std::vector<std::int64_t> used = exemplars.reliability().used(), correct = exemplars.reliability().correct();
  const auto interrupted = [&](auto call) {
    interrupt = false;
    base::set_interrupt_check([] { return std::exchange(interrupt, true); });  // not at the first check
    bool ended = false;
    try {
      call();
    } catch (const base::Interrupted&) {
      ended = true;
    }
    base::set_interrupt_check(nullptr);
    CHECK(ended);
  };
  interrupted([&] { exemplars.arrive(plan, rows.data(), labels.data(), n, false); });
  CHECK(exemplars.reliability().used() == used && exemplars.reliability().correct() == correct);
  exemplars.store(plan, rows.data(), labels.data(), ones.data(), ones.data(), n);
  CHECK(exemplars.size() == n + 500);
  const std::vector<std::int64_t> later = exemplars.reliability().used();
  interrupted([&] { exemplars.sweep(plan, rows.data(), 500, n); });
  CHECK(exemplars.reliability().used() == later);
}

}  // namespace

const testing::Test registered("test_pebls", [] {
  std::uint64_t seed = 1;
  for (const base::Path path : base::available_paths()) {
    CHECK(base::use_path(base::name_of(path)));
    for (std::size_t n : {1, 2, 40, 300, 700})
      for (bool inherit : {false, true}) {
        run(++seed, n, true, inherit);
        run(++seed, n, false, inherit);
      }
  }
  check_interrupted();
});
