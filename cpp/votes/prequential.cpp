#include "votes/prequential.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "base/threads.hpp"

namespace priorcase::votes {

namespace {

std::size_t whole_root(std::size_t n) {
  std::size_t root = static_cast<std::size_t>(std::sqrt(static_cast<double>(n)));
  while (root * root > n) --root;
  while ((root + 1) * (root + 1) <= n) ++root;
  return root;
}

// Predicts and stores rows one by one. Calls answer(i, poll, positions) with the number of a row, its voters and the
// positions of their targets, and learn(position) with the position of the row's own target, before the row is stored.
template <class Answer, class Learn>
TooFar run(Prequential& stream, search::Index& index, const Arrivals& rows, const Answer& answer, const Learn& learn) {
  const Positions position(rows.known, rows.n_known);
  const search::Ranges before = stream.ranges();
  std::vector<std::size_t> at;
  std::size_t i = 0;
  try {
    for (; i < rows.n; ++i) {
      if (i % 16 == 0) base::check_interrupt();
      const double* row = rows.cells + i * stream.n_attributes();
      const std::int64_t id = rows.ids[i];
      const std::size_t own = position(id);
      if (index.has(id)) throw std::invalid_argument("a row with this id is stored already");
      if (const Poll* poll = stream.ask(index, row, rows.version, rows.gate)) {
        if (const std::int64_t voter = stream.too_far(index, row); voter >= 0)
          return {static_cast<std::int64_t>(i), voter};
        at.clear();
        for (const std::int64_t voter : poll->ids) at.push_back(position(voter));
        answer(i, *poll, at);
      }
      learn(own);
      stream.store(index, id, row, rows.version, rows.gate);
    }
  } catch (...) {
    stream.set_ranges(before);
    const std::unique_lock<base::Gate> hold = base::writing(rows.gate);
    while (i > 0) index.remove(rows.ids[--i]);
    throw;
  }
  return {};
}

}  // namespace

Prequential::Prequential(search::Plan plan, search::Ranges ranges, std::vector<double> weights, PollRules rules)
    : plan_(std::move(plan)), ranges_(std::move(ranges)), weights_(std::move(weights)), rules_(rules) {
  ranges_.set(plan_);
}

const Poll* Prequential::ask(search::Index& index, const double* row, search::Version version, base::Gate* gate) {
  const std::size_t k = rules_.k > 0 ? rules_.k : whole_root(index.n_rows());
  if (k == 0 || index.n_rows() < k) return nullptr;
  if (index.is_due()) index.replace(index.organised(plan_), gate);
  search::Request request;
  request.queries = row;
  request.n_queries = 1;
  request.weights = weights_.data();
  request.k = k;
  request.ties = rules_.whole_ties;
  request.algorithm = rules_.algorithm;
  request.version = version;
  poll_.take(index.find(plan_, seeker_, request), rules_.root, rules_.vote);
  if (poll_.ids.empty()) throw std::invalid_argument("a row has no distance from the stored rows");
  return &poll_;
}

std::int64_t Prequential::too_far(const search::Index& index, const double* row) {
  for (std::size_t i = poll_.endless(); i < poll_.ids.size(); ++i)
    if (!plan_.skip || plan_.nothing_shared < base::infinity || shares_something(index, row, poll_.ids[i]))
      return poll_.ids[i];
  return -1;
}

void Prequential::store(search::Index& index, std::int64_t id, const double* row, search::Version version,
                        base::Gate* gate) {
  if (index.is_cramped(row, 1)) index.replace(index.with_room(row, 1), gate);
  {
    const std::unique_lock<base::Gate> hold = base::writing(gate);
    index.append(&id, row, 1, 1, version);
  }
  ranges_.widen(row, plan_);
}

void Prequential::set_ranges(const search::Ranges& ranges) {
  ranges_ = ranges;
  ranges_.set(plan_);
}

bool Prequential::shares_something(const search::Index& index, const double* row, std::int64_t id) {
  other_.resize(weights_.size());
  index.copy_row(id, other_.data());
  for (std::size_t a = 0; a < weights_.size(); ++a)
    if (weights_[a] > 0.0 && !std::isnan(row[a]) && !std::isnan(other_[a])) return true;
  return false;
}

TooFar classify(Prequential& stream, search::Index& index, const Arrivals& rows, const KnownClasses& known,
                std::vector<std::int64_t>& classes) {
  const std::size_t n = known.n_outputs;
  std::vector<double> weights(known.class_weights, known.class_weights + known.starts[n]);
  std::vector<Election> elections;
  for (std::size_t t = 0; t < n; ++t)
    elections.emplace_back(known.ties, weights.data() + known.starts[t], known.starts[t + 1] - known.starts[t]);
  const auto class_at = [&](std::size_t row, std::size_t t) {
    const std::int64_t c = known.codes[row * n + t];
    if (c < 0 || c >= known.starts[t + 1] - known.starts[t]) throw std::out_of_range("no such class");
    return c;
  };
  classes.assign(rows.n * n, -1);
  std::vector<std::int64_t> voted;
  const auto answer = [&](std::size_t i, const Poll& poll, const std::vector<std::size_t>& at) {
    for (std::size_t t = 0; t < n; ++t) {
      voted.clear();
      for (const std::size_t row : at) voted.push_back(class_at(row, t));
      const Electorate voters{voted.data(), poll.votes.data(), poll.distances.data(), voted.size()};
      const std::int64_t winner = elections[t].winner(voters);
      classes[i * n + t] = winner < 0 ? elections[t].reduced(voters) : winner;
    }
  };
  const auto learn = [&](std::size_t row) {
    for (std::size_t t = 0; t < n; ++t) weights[known.starts[t] + class_at(row, t)] += 1.0;
  };
  const TooFar far = run(stream, index, rows, answer, learn);
  std::copy(weights.begin(), weights.end(), known.class_weights);
  return far;
}

TooFar average(Prequential& stream, search::Index& index, const Arrivals& rows, const KnownNumbers& known,
               std::vector<double>& means) {
  const std::size_t n = known.n_outputs;
  means.assign(rows.n * n, std::numeric_limits<double>::quiet_NaN());
  std::vector<double> numbers;
  const auto answer = [&](std::size_t i, const Poll& poll, const std::vector<std::size_t>& at) {
    for (std::size_t t = 0; t < n; ++t) {
      numbers.clear();
      for (const std::size_t row : at) numbers.push_back(known.numbers[row * n + t]);
      means[i * n + t] = weighted_mean(numbers.data(), poll.votes.data(), numbers.size());
    }
  };
  return run(stream, index, rows, answer, [](std::size_t) {});
}

}  // namespace priorcase::votes
