// Running sums of votes equal sums computed anew for each k, with and without row weights; sums of logarithms; and
// leave-one-out results of a small table.
#include "votes/leave_one_out.hpp"

#include "base/sums.hpp"
#include "check.hpp"

using namespace priorcase;

namespace {

bool close(double a, double b) { return std::abs(a - b) <= 1e-12 * (1.0 + std::abs(b)); }

// Returns rows with tied distances, each with weight 1 or the given weight. Ids are positions.
votes::RankedList list_of(std::mt19937_64& random, std::size_t n, const std::vector<double>* weights) {
  std::vector<search::Found> found;
  std::vector<std::int64_t> ids(n);
  for (std::size_t i = 0; i < n; ++i) ids[i] = static_cast<std::int64_t>(i);
  for (std::size_t i = 0; i < n; ++i) found.emplace_back(static_cast<double>(random() % 9) / 4.0, ids[i]);
  std::sort(found.begin(), found.end());
  votes::RankedList list;
  list.take(found, base::Root(1.0, false), votes::Positions(ids.data(), n), weights ? weights->data() : nullptr, -1);
  return list;
}

void test_running_sums(bool weighted, bool whole_ties) {
  std::mt19937_64 random(weighted ? 3 : 4);
  const std::vector<double> weights{0.5, 1.0, 2.0, 0.25, 1.0, 1.0, 3.0, 1.0, 0.1, 1.0, 1.0, 1.0, 1.0, 2.0, 1.0, 1.0};
  for (int round = 0; round < 40; ++round) {
    const votes::RankedList list = list_of(random, weights.size(), weighted ? &weights : nullptr);
    votes::Shares shares;
    shares.clear(1);
    for (std::size_t i = 0; i < list.size(); ++i) {
      shares.slots.push_back(list.rows[i] % 3);
      shares.coefficients.push_back(1.0);
    }
    shares.n_slots = 3;
    for (int vote = 0; vote <= static_cast<int>(votes::VoteKind::power); ++vote)
      for (const double bandwidth : {0.0, 0.6}) {
        const votes::DistanceVote rule{static_cast<votes::VoteKind>(vote), vote == 7 ? 0.5 : 2.0,
                                       vote > 1 ? bandwidth : 0.0};
        std::vector<votes::Cut> cuts;
        std::vector<double> sums, in_registers;
        for (std::size_t k = 1; k <= 12; ++k) cuts.push_back(list.cut(k, whole_ties));
        votes::RunningSums().fill(rule, list, shares, cuts, sums);
        votes::Shares few = shares;
        few.one_slot = true;
        votes::RunningSums().fill(rule, list, few, cuts, in_registers);
        CHECK(in_registers == sums);
        for (std::size_t at = 0; at < cuts.size(); ++at) {
          const votes::Cut& cut = cuts[at];
          std::vector<double> votes, expected(3, 0.0);
          const double reach = rule.bandwidth > 0 ? rule.bandwidth : cut.bandwidth;
          votes::weigh(rule, list.distances.data(), cut.n_voters(), reach, votes);
          double total = 0.0, found = 0.0;
          for (std::size_t i = 0; i < votes.size(); ++i) {
            expected[shares.slots[i]] += votes[i] * (i < cut.whole ? list.counts[i] : cut.part);
            total += votes[i] * (i < cut.whole ? list.counts[i] : cut.part);
          }
          const std::size_t n = cuts.size();
          const std::vector<double> running{sums[at], sums[n + at], sums[2 * n + at]};
          testing::digest.add(running);
          for (const double sum : running) found += sum;
          for (std::size_t s = 0; s < 3; ++s) CHECK(close(running[s] / found, expected[s] / total));
        }
      }
  }
}

void test_log_sums() {
  base::LogSums sums(2);
  double expected = 0.0;
  for (int i = 1; i < 3000; ++i) {
    sums.add(0, 1.0 / i, 1.0);
    sums.add(1, 0.5, 2.0);
    expected += std::log(static_cast<double>(i));
  }
  sums.add(1, 0.0, 1.0);
  base::LogSums one_by_one(6), together(6);
  std::mt19937_64 random(9);
  for (int i = 0; i < 2000; ++i) {
    double p[6];
    for (std::size_t k = 0; k < 6; ++k) {
      p[k] = std::pow(static_cast<double>(random() % 1000) / 1000.0, i % 7 == 0 ? 60.0 : 1.0);
      one_by_one.add(k, p[k], 1.0);
    }
    if (i % 2) {
      together.add(0, 1, p, 6, 1.0);
    } else {
      const double odd[3] = {p[1], p[3], p[5]}, even[3] = {p[0], p[2], p[4]};
      together.add(1, 2, odd, 3, 1.0);
      together.add(0, 2, even, 3, 1.0);
    }
  }
  CHECK(one_by_one.take() == together.take());
  const std::vector<double> found = sums.take();
  testing::digest.add(found);
  CHECK(close(found[0], expected));
  CHECK(found[1] == base::infinity);
}

// Leave-one-out on the rows 0, 1 and 3 with the classes 0, 0 and 1: 1-NN misclassifies only the last row.
void test_table() {
  search::Plan plan(1, 1.0, false, false, base::infinity);
  plan.set(0, {search::Linear{}});
  search::Index index({0});
  const std::int64_t ids[] = {0, 1, 2}, classes[] = {0, 0, 1};
  const double rows[] = {0.0, 1.0, 3.0}, ones[] = {1.0, 1.0, 1.0}, counts[] = {2.0, 1.0}, prior[] = {1.0, 1.0};
  index.append(ids, rows, 3);
  index.organise(plan);
  votes::LeaveOneOut work{rows, ids, ones, ones, ids, 3, nullptr, base::Root(1.0, false), search::Algorithm::automatic,
                          2, true, {1, 2}, {votes::DistanceVote{}}, {0, 2, 3}};
  const votes::LeftOutClasses task{{{classes, classes, 2, counts}}, {{{prior, true}}}, {1.0}, ones,
                                   votes::VoteTies::majority};
  const votes::ClassSums found = votes::leave_one_out(index, plan, work, task);
  const std::vector<double>& logs = found.logs;
  CHECK(found.odd.empty() && logs.size() == 4);
  CHECK(close(logs[0], -2 * std::log(2.0 / 3.0)) && close(logs[2], -std::log(1.0 / 3.0)));
  CHECK(close(logs[1], -2 * std::log(0.5)) && close(logs[3], -std::log(0.25)));
  CHECK(found.rights[0] == 2.0 && found.rights[2] == 0.0 && found.rights[3] == 0.0);
  const double targets[] = {0.0, 2.0, 6.0};
  const votes::NumberSums errors = votes::leave_one_out(index, plan, work, votes::LeftOutNumbers{targets, targets, 1});
  CHECK(close(errors.squares[0], 8.0) && close(errors.squares[2], 16.0));
  CHECK(close(errors.absolutes[1], 4.0 + 1.0) && close(errors.absolutes[3], 5.0));
}

}  // namespace

const testing::Test registered("test_leave_one_out", [] {
  for (const bool weighted : {false, true})
    for (const bool whole_ties : {false, true}) test_running_sums(weighted, whole_ties);
  test_log_sums();
  test_table();
});
