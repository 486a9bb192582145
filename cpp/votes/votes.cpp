#include "votes/votes.hpp"

#include "base/threads.hpp"

namespace priorcase::votes {

namespace {

constexpr double leads = -1.0;  // replaces the mass of a leading class

std::int64_t most_frequent(const Majority& ballot, const Row* voters, std::size_t n) {
  std::int64_t best = -1;
  std::size_t most = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t label = ballot.labels[voters[i]];
    std::size_t first = 0, votes = 1;
    while (ballot.labels[voters[first]] != label) ++first;
    if (first < i) continue;  // counted with its first voter
    for (std::size_t j = i + 1; j < n; ++j) votes += ballot.labels[voters[j]] == label;
    if (votes > most || (votes == most && !ballot.nearest && label < best)) {
      best = label;
      most = votes;
    }
  }
  return best;
}

double mean_of(const double* targets, const Row* voters, std::size_t n) {
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) sum += targets[voters[i]];
  return sum / static_cast<double>(n);
}

}  // namespace

// Voters ----------------------------------------------------------------------------------------------------------

void weigh_by_square(const double* distances, std::size_t n, double* votes) {
  for (std::size_t i = 0; i < n; ++i) {
    if (distances[i] == distances[0]) continue;
    const double ratio = distances[0] / distances[i];
    votes[i] = ratio * ratio;
  }
}

void Poll::take(const std::vector<search::Found>& found, const base::Root& root, VoteRule rule) {
  ids.clear();
  distances.clear();
  for (const auto& [cost, id] : found) {
    ids.push_back(id);
    distances.push_back(root(cost));
  }
  votes.assign(ids.size(), 1.0);
  if (rule == VoteRule::inverse_square) weigh_by_square(distances.data(), distances.size(), votes.data());
}

// Classes ---------------------------------------------------------------------------------------------------------

std::int64_t Election::winner(const Electorate& voters) {
  double most = 0.0;
  for (std::size_t i = 0; i < voters.size; ++i) mass_[voters.classes[i]] += voters.votes[i];
  for (std::size_t i = 0; i < voters.size; ++i) most = std::max(most, mass_[voters.classes[i]]);
  leaders_.clear();
  for (std::size_t i = 0; i < voters.size; ++i)
    if (const std::int64_t c = voters.classes[i]; mass_[c] == most) {
      leaders_.push_back(c);
      mass_[c] = leads;
    }
  const std::int64_t chosen = leaders_.size() == 1 ? leaders_.front() : among_leaders(voters);
  for (std::size_t i = 0; i < voters.size; ++i) mass_[voters.classes[i]] = 0.0;
  return chosen;
}

std::int64_t Election::reduced(const Electorate& voters) {
  for (std::size_t fewer = voters.size - 1; fewer > 0; --fewer)
    if (const std::int64_t c = winner({voters.classes, voters.votes, voters.distances, fewer}); c >= 0) return c;
  return voters.classes[0];
}

std::int64_t Election::among_leaders(const Electorate& voters) {
  if (ties_ == VoteTies::reduce || (ties_ == VoteTies::majority && class_weights_ == nullptr)) return -1;
  if (ties_ == VoteTies::nearest) return nearest(voters);
  std::sort(leaders_.begin(), leaders_.end());
  if (ties_ == VoteTies::first) return leaders_.front();
  const auto fewer = [&](std::int64_t one, std::int64_t other) { return class_weights_[one] < class_weights_[other]; };
  return *std::max_element(leaders_.begin(), leaders_.end(), fewer);  // the first of equal maxima
}

std::int64_t Election::nearest(const Electorate& voters) const {
  std::size_t best = voters.size;
  for (std::size_t i = 0; i < voters.size; ++i)
    if (mass_[voters.classes[i]] == leads && (best == voters.size || voters.distances[i] < voters.distances[best]))
      best = i;
  return voters.classes[best];
}

std::vector<std::int64_t> elect(const VoteLists& lists, const std::int64_t* classes, const double* distances,
                                Election& election) {
  std::vector<std::int64_t> chosen(lists.n_queries);
  for (std::size_t q = 0; q < lists.n_queries; ++q) {
    if (q % 16 == 0) base::check_interrupt();
    const std::size_t start = lists.starts[q], stop = lists.starts[q + 1];
    chosen[q] = election.winner({classes + start, lists.votes + start, distances + start, stop - start});
  }
  return chosen;
}

// Numbers ---------------------------------------------------------------------------------------------------------

double weighted_mean(const double* numbers, const double* votes, std::size_t n) {
  double total = 0.0, sum = 0.0, low = numbers[0], high = numbers[0];
  for (std::size_t i = 0; i < n; ++i) {
    total += votes[i];
    sum += votes[i] * numbers[i];
    low = std::min(low, numbers[i]);
    high = std::max(high, numbers[i]);
  }
  double mean = sum / total;
  if (!std::isfinite(mean)) {  // sums of very large numbers overflow; sums of their fractions cannot
    sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) sum += votes[i] / total / 2 * numbers[i];
    mean = sum * 2;
  }
  return std::min(std::max(mean, low), high);
}

std::vector<double> weighted_means(const VoteLists& lists, const double* numbers) {
  std::vector<double> means(lists.n_queries);
  for (std::size_t q = 0; q < lists.n_queries; ++q) {
    if (q % 16 == 0) base::check_interrupt();
    const std::size_t start = lists.starts[q], stop = lists.starts[q + 1];
    means[q] = weighted_mean(numbers + start, lists.votes + start, stop - start);
  }
  return means;
}

// Losses ----------------------------------------------------------------------------------------------------------

double Majority::loss(std::size_t row, const Row* voters, std::size_t n) const {
  return most_frequent(*this, voters, n) == labels[row] ? 0.0 : 1.0;
}

double Mean::loss(std::size_t row, const Row* voters, std::size_t n) const {
  return n == 0 ? base::infinity : std::fabs(targets[row] - mean_of(targets, voters, n));
}

double Mean::enemy_limit(const Row* voters, std::size_t n) const {
  if (n == 0) return 0.0;
  const double centre = mean_of(targets, voters, n);
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) sum += (targets[voters[i]] - centre) * (targets[voters[i]] - centre);
  return alpha * std::sqrt(sum / static_cast<double>(n));
}

}  // namespace priorcase::votes
