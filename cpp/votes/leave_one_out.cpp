#include "votes/leave_one_out.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/sums.hpp"
#include "base/threads.hpp"

namespace priorcase::votes {

namespace {

// Classes ---------------------------------------------------------------------------------------------------------

// A vote that is too close to call from running sums: the voters' classes, and what breaks a tie.
struct CloseVote {
  const DistanceVote& rule;
  const RankedList& list;
  const Cut& cut;
  const std::int64_t* classes;    // of the listed rows
  const double* prior;            // of each class; null: no prior
  const double* class_weights;    // total weight of the rows of each class, without the left-out row
  std::size_t n_classes;
  VoteTies ties;
};

// Finds the winning class where running sums are too close to decide: adds the votes up in the order of any other vote.
class CarefulWinner {
 public:
  std::int64_t operator()(const CloseVote& vote) {
    const std::size_t n = vote.cut.n_voters();
    const double bandwidth = vote.rule.bandwidth > 0.0 ? vote.rule.bandwidth : vote.cut.bandwidth;
    weigh(vote.rule, vote.list.distances.data(), n, bandwidth, votes_);
    mass_.assign(vote.n_classes, 0.0);
    for (std::size_t i = 0; i < n; ++i) mass_[vote.classes[i]] += votes_[i] * count(vote, i);
    lead(vote, vote.cut.total);
    if (leaders_.empty()) return vote.classes[0];  // the sums overflowed
    if (leaders_.size() == 1) return leaders_.front();
    switch (vote.ties) {
      case VoteTies::first: return leaders_.front();
      case VoteTies::nearest: return nearest(vote, n);
      case VoteTies::reduce: return reduced(vote, n);
      default: break;
    }
    const double* weights = vote.class_weights;
    return *std::max_element(leaders_.begin(), leaders_.end(),
                             [&](std::int64_t a, std::int64_t b) { return weights[a] < weights[b]; });
  }

 private:
  static double count(const CloseVote& vote, std::size_t i) {
    return i < vote.cut.whole ? vote.list.counts[i] : vote.cut.part;
  }

  // Sets leaders_ to the classes with the largest mass, in ascending order. If there is a prior, the masses are first
  // scaled to sum to `total`, and the prior is added.
  void lead(const CloseVote& vote, double total) {
    double sum = 0.0;
    for (const double mass : mass_) sum += mass;
    if (vote.prior != nullptr && sum > 0.0)
      for (std::size_t c = 0; c < mass_.size(); ++c) mass_[c] = mass_[c] * (total / sum) + vote.prior[c];
    const double most = *std::max_element(mass_.begin(), mass_.end());
    leaders_.clear();
    for (std::size_t c = 0; c < mass_.size(); ++c)
      if (mass_[c] == most) leaders_.push_back(static_cast<std::int64_t>(c));
  }

  std::int64_t nearest(const CloseVote& vote, std::size_t n) const {
    for (std::size_t i = 0; i < n; ++i)
      if (std::find(leaders_.begin(), leaders_.end(), vote.classes[i]) != leaders_.end()) return vote.classes[i];
    return leaders_.front();  // no voter is of these classes: they lead by their prior alone
  }

  // Drops the farthest neighbors one by one until a class leads alone.
  std::int64_t reduced(const CloseVote& vote, std::size_t n) {
    double reach = 0.0;
    reach_.clear();
    for (std::size_t i = 0; i < n; ++i) reach_.push_back(reach += count(vote, i));
    for (auto fewer = static_cast<std::int64_t>(std::min(std::nearbyint(reach), 1e15)) - 1; fewer > 0; --fewer) {
      base::check_interrupt();
      const double wanted = static_cast<double>(fewer);
      const std::size_t last = std::min<std::size_t>(
          std::lower_bound(reach_.begin(), reach_.end(), wanted * (1 - slack)) - reach_.begin(), n - 1);
      mass_.assign(vote.n_classes, 0.0);
      for (std::size_t i = 0; i < last; ++i) mass_[vote.classes[i]] += votes_[i] * count(vote, i);
      const double times = count(vote, last);
      mass_[vote.classes[last]] += votes_[last] * std::min(times, wanted - (reach_[last] - times));
      lead(vote, wanted);
      if (leaders_.size() == 1) return leaders_.front();
    }
    return vote.classes[0];
  }

  std::vector<double> votes_, mass_, reach_;
  std::vector<std::int64_t> leaders_;
};

// Scores of predicted classes: accumulates the sums of `ClassSums` over some queries.
class ClassScores {
 public:
  ClassScores(const LeftOutClasses& task, std::size_t n_candidates)
      : task_(task),
        n_each_(task.priors.size() * task.temperatures.size()),
        logs_(n_candidates * n_each_),
        surprises_(n_candidates * n_each_),
        squares_(n_candidates * n_each_, 0.0),
        rights_(n_candidates * task.priors.size(), 0.0),
        held_(task.columns.size()),
        classes_(task.columns.size()) {
    std::size_t most = 0;
    for (const ClassColumn& column : task.columns) {
      slot_of_.emplace_back(column.n_classes, none);
      shares_of_rest_.push_back(1.0 / static_cast<double>(column.n_classes - 1));
      most = std::max(most, column.n_classes);
    }
    masses_.resize(most + 1);
    const auto is_one = [](double temperature) { return temperature == 1.0; };
    const bool plain = std::all_of(task.temperatures.begin(), task.temperatures.end(), is_one);
    const auto is_equal = [](const ClassPrior& prior) { return prior.equal; };
    for (const auto& priors : task.priors)
      equal_.push_back(plain && std::all_of(priors.begin(), priors.end(), is_equal));
  }

  const Shares& begin(const RankedList& list, std::size_t query, double times) {
    const std::size_t n = task_.columns.size();
    query_ = query;
    times_ = times / static_cast<double>(n);
    shares_.clear(n);
    for (std::size_t t = 0; t < n; ++t) {
      for (const auto& held : held_[t]) slot_of_[t][held.second] = none;
      held_[t].clear();
      classes_[t].clear();
    }
    shares_.one_slot = n == 1;
    shares_.coefficients.resize(list.size() * n, 1.0);
    shares_.slots.resize(list.size() * n);
    std::size_t* slot = shares_.slots.data();
    for (const std::size_t row : list.rows)
      for (std::size_t t = 0; t < n; ++t, ++slot) {
        const std::int64_t c = task_.columns[t].stored[row];
        classes_[t].push_back(c);
        *slot = slot_of_[t][c];
        if (*slot != none) continue;
        *slot = slot_of_[t][c] = shares_.n_slots++;
        held_[t].emplace_back(*slot, c);
      }
    return shares_;
  }

  bool in_range() const { return true; }

  // Scores all ks of one vote rule; `candidate` is the index of the first k. sums[slot * cuts.size() + i] is for cut i.
  void score(std::size_t candidate, const DistanceVote& rule, const RankedList& list, const std::vector<Cut>& cuts,
             const std::vector<double>& sums) {
    for (std::size_t p = 0; p < task_.priors.size(); ++p)
      for (std::size_t t = 0; t < task_.columns.size(); ++t) {
        const ColumnVotes votes{t, task_.priors[p][t], candidate, p, rule, list, cuts, sums.data()};
        if (!equal_[p])
          for (std::size_t i = 0; i < cuts.size(); ++i) score_one(votes, i);
        else
          for (std::size_t i = 0; i < cuts.size(); i += at_once)
            score_some(votes, i, std::min(at_once, cuts.size() - i));
      }
  }

  std::vector<std::vector<double>> take() {
    return {logs_.take(), surprises_.take(), std::move(squares_), std::move(rights_)};
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  static constexpr double close = 1e-9;
  static constexpr std::size_t at_once = 64;

  std::int64_t own(std::size_t t) const { return task_.columns[t].asked[query_]; }

  // What the scores are computed from: the mass of the query's own class, and sums over the other classes.
  struct Parts {
    double mine = 0.0, others = 0.0, squares = 0.0, largest_other = 0.0;

    void add(double mass, double times) {
      others += mass * times;
      squares += mass * mass * times;
      largest_other = std::max(largest_other, mass);
    }
  };

  // The votes on one column of classes, with one prior.
  struct ColumnVotes {
    std::size_t t;
    const ClassPrior& prior;
    std::size_t candidate, p;
    const DistanceVote& rule;
    const RankedList& list;
    const std::vector<Cut>& cuts;
    const double* sums;

    const double* of(std::size_t slot) const { return sums + slot * cuts.size(); }
  };

  std::size_t place(const ColumnVotes& votes, std::size_t i) const {
    return (votes.candidate + i) * task_.priors.size() + votes.p;
  }

  // The usual case: every class has the same prior weight and the only temperature is 1, so that the masses need not be
  // kept. Each k goes through the same operations as it would alone, but the loops over ks can be vectorized.
  void score_some(const ColumnVotes& votes, std::size_t first, std::size_t count) {
    const std::size_t t = votes.t, n_classes = task_.columns[t].n_classes, mine = slot_of_[t][own(t)];
    const double weight = votes.prior.weights ? votes.prior.weights[0] : 0.0;
    double factors[at_once], own_mass[at_once], others[at_once], squares[at_once], largest[at_once];
    std::fill_n(factors, count, votes.prior.weights ? 0.0 : 1.0);
    if (votes.prior.weights) {
      for (const auto& held : held_[t]) {
        const double* sums = votes.of(held.first) + first;
        for (std::size_t i = 0; i < count; ++i) factors[i] += sums[i];
      }
      for (std::size_t i = 0; i < count; ++i) factors[i] = votes.cuts[first + i].total / factors[i];
    }
    for (std::size_t i = 0; i < count; ++i) own_mass[i] = weight, others[i] = squares[i] = largest[i] = 0.0;
    if (mine != none) {
      const double* sums = votes.of(mine) + first;
      for (std::size_t i = 0; i < count; ++i) own_mass[i] = sums[i] * factors[i] + weight;
    }
    for (const auto& held : held_[t]) {
      if (held.first == mine) continue;
      const double* sums = votes.of(held.first) + first;
      for (std::size_t i = 0; i < count; ++i) {
        const double mass = sums[i] * factors[i] + weight;
        others[i] += mass;
        squares[i] += mass * mass;
        largest[i] = std::max(largest[i], mass);
      }
    }
    if (const std::size_t silent = n_classes - held_[t].size() - (mine == none); silent > 0) {
      const double times = static_cast<double>(silent), all = weight * times, all_squares = weight * weight * times;
      for (std::size_t i = 0; i < count; ++i) {
        others[i] += all;
        squares[i] += all_squares;
        largest[i] = std::max(largest[i], weight);
      }
    }
    count_rights(votes, first, count, own_mass, largest);
    double shares[at_once], rests[at_once];
    for (std::size_t i = 0; i < count; ++i) {
      const double unit = 1.0 / (own_mass[i] + others[i]), rest = others[i] * unit;
      shares[i] = own_mass[i] * unit;
      rests[i] = rest * shares_of_rest_[t];
      squares[i] = times_ * (rest * rest + squares[i] * unit * unit);
    }
    for (std::size_t m = 0; m < task_.temperatures.size(); ++m) {
      const std::size_t at = place(votes, first) * task_.temperatures.size() + m;
      logs_.add(at, n_each_, shares, count, times_);
      if (n_classes > 1) surprises_.add(at, n_each_, rests, count, times_);
      double* sums = squares_.data() + at;
      if (n_each_ == 1)
        for (std::size_t i = 0; i < count; ++i) sums[i] += squares[i];
      else
        for (std::size_t i = 0; i < count; ++i) sums[i * n_each_] += squares[i];
    }
  }

  void count_rights(const ColumnVotes& votes, std::size_t first, std::size_t count, const double* mine,
                    const double* others) {
    const std::size_t n_priors = task_.priors.size();
    double* rights = rights_.data() + place(votes, first);
    std::int64_t open = 0;
    for (std::size_t i = 0; i < count; ++i)
      open += !(mine[i] > others[i] * (1 + close)) & !(others[i] > mine[i] * (1 + close));
    if (open == 0 && n_priors == 1)
      for (std::size_t i = 0; i < count; ++i) rights[i] += mine[i] > others[i] ? times_ : 0.0;
    else
      for (std::size_t i = 0; i < count; ++i)
        if (is_right(votes, first + i, mine[i], others[i])) rights[i * n_priors] += times_;
  }

  void score_one(const ColumnVotes& votes, std::size_t i) {
    weigh_classes(votes, i);
    const std::size_t at = place(votes, i);
    if (is_right(votes, i, of_masses_.mine, of_masses_.largest_other)) rights_[at] += times_;
    for (std::size_t m = 0; m < task_.temperatures.size(); ++m) {
      const double temperature = task_.temperatures[m];
      add(at * task_.temperatures.size() + m, temperature == 1.0 ? of_masses_ : sharpened(temperature));
    }
  }

  // Computes the masses. The first is that of the query's own class; the last may stand for several classes without
  // votes, last_times_ of them, each with this mass.
  void weigh_classes(const ColumnVotes& votes, std::size_t i) {
    const std::size_t t = votes.t, n = task_.columns[t].n_classes;
    const std::int64_t mine = own(t);
    const std::size_t at = slot_of_[t][mine];
    const double* weights = votes.prior.weights;
    double total = 0.0;
    for (const auto& [slot, c] : held_[t]) total += votes.of(slot)[i];
    const double factor = weights ? votes.cuts[i].total / total : 1.0;
    Parts parts;
    masses_[0] = parts.mine = (at == none ? 0.0 : votes.of(at)[i] * factor) + (weights ? weights[mine] : 0.0);
    std::size_t count = 1;
    for (const auto& [slot, c] : held_[t])
      if (slot != at) parts.add(masses_[count++] = votes.of(slot)[i] * factor + (weights ? weights[c] : 0.0), 1.0);
    const std::size_t silent = n - count;
    last_times_ = 1.0;
    if (silent > 0 && (weights == nullptr || votes.prior.equal)) {
      last_times_ = static_cast<double>(silent);
      parts.add(masses_[count++] = weights ? weights[0] : 0.0, last_times_);
    } else if (silent > 0) {
      for (std::size_t c = 0; c < n; ++c)
        if (slot_of_[t][c] == none && static_cast<std::int64_t>(c) != mine)
          parts.add(masses_[count++] = weights[c], 1.0);
    }
    n_masses_ = count;
    share_of_rest_ = shares_of_rest_[t];
    masses_logs_.clear();
    of_masses_ = parts;
  }

  bool is_right(const ColumnVotes& votes, std::size_t i, double mine, double others) {
    if (mine > others * (1 + close)) return true;
    if (others > mine * (1 + close)) return false;
    const std::size_t t = votes.t;
    const ClassColumn& column = task_.columns[t];
    class_weights_.assign(column.weights, column.weights + column.n_classes);
    class_weights_[own(t)] -= task_.left_out[query_];
    return careful_({votes.rule, votes.list, votes.cuts[i], classes_[t].data(), votes.prior.weights,
                     class_weights_.data(), column.n_classes, task_.ties}) == own(t);
  }

  // Returns the parts of the masses raised to the power 1 / T, relative to the largest mass.
  Parts sharpened(double temperature) {
    const double most = std::max(of_masses_.mine, of_masses_.largest_other);
    if (masses_logs_.empty())
      for (std::size_t i = 0; i < n_masses_; ++i) masses_logs_.push_back(std::log(masses_[i] / most));
    Parts parts;
    parts.mine = std::exp(masses_logs_[0] / temperature);
    for (std::size_t i = 1; i < n_masses_; ++i)
      parts.add(std::exp(masses_logs_[i] / temperature), i + 1 < n_masses_ ? 1.0 : last_times_);
    return parts;
  }

  void add(std::size_t at, const Parts& parts) {
    const double unit = 1.0 / (parts.mine + parts.others), rest = parts.others * unit;
    logs_.add(at, parts.mine * unit, times_);
    squares_[at] += times_ * (rest * rest + parts.squares * unit * unit);
    if (n_masses_ > 1) surprises_.add(at, rest * share_of_rest_, times_);
  }

  const LeftOutClasses& task_;
  const std::size_t n_each_;
  std::vector<std::uint8_t> equal_;  // by prior: whether it is equal for all classes and every temperature is 1
  base::LogSums logs_, surprises_;
  std::vector<double> squares_, rights_;
  std::size_t query_ = 0, n_masses_ = 0;
  double times_ = 1.0, last_times_ = 1.0, share_of_rest_ = 1.0;
  Parts of_masses_;
  Shares shares_;
  std::vector<std::vector<std::size_t>> slot_of_;                          // of each column and class
  std::vector<std::vector<std::pair<std::size_t, std::int64_t>>> held_;    // slots and classes of each column
  std::vector<std::vector<std::int64_t>> classes_;                         // of the listed rows
  std::vector<double> masses_, masses_logs_, shares_of_rest_, class_weights_;
  CarefulWinner careful_;
};

// Numbers ---------------------------------------------------------------------------------------------------------

// Errors of predicted numbers: accumulates the sums of `NumberSums` over some queries.
class NumberScores {
 public:
  NumberScores(const LeftOutNumbers& task, std::size_t n_candidates)
      : task_(task), squares_(n_candidates, 0.0), absolutes_(n_candidates, 0.0) {}

  // Slot 0 sums the votes; slot t + 1 sums the votes times (target t of the neighbor - target t of the query), whose
  // weighted mean is the error.
  const Shares& begin(const RankedList& list, std::size_t query, double times) {
    const std::size_t n = task_.n_targets;
    times_ = times / static_cast<double>(n);
    shares_.clear(n + 1);
    for (const std::size_t row : list.rows) {
      shares_.slots.push_back(0);
      shares_.coefficients.push_back(1.0);
      for (std::size_t t = 0; t < n; ++t) {
        shares_.slots.push_back(t + 1);
        shares_.coefficients.push_back(task_.stored[row * n + t] - task_.asked[query * n + t]);
      }
    }
    shares_.n_slots = n + 1;
    return shares_;
  }

  // Returns whether sums and squares of the differences of targets stay finite.
  bool in_range() const {
    return std::all_of(shares_.coefficients.begin(), shares_.coefficients.end(),
                       [](double number) { return std::abs(number) < 1e150; });
  }

  void score(std::size_t candidate, const DistanceVote&, const RankedList&, const std::vector<Cut>& cuts,
             const std::vector<double>& sums) {
    const std::size_t n = cuts.size();
    double *squares = squares_.data() + candidate, *absolutes = absolutes_.data() + candidate;
    for (std::size_t t = 0; t < task_.n_targets; ++t)
      for (std::size_t i = 0; i < n; ++i) {
        const double error = sums[(t + 1) * n + i] / sums[i];
        squares[i] += times_ * error * error;
        absolutes[i] += times_ * std::abs(error);
      }
  }

  std::vector<std::vector<double>> take() { return {std::move(squares_), std::move(absolutes_)}; }

 private:
  const LeftOutNumbers& task_;
  std::vector<double> squares_, absolutes_;
  double times_ = 1.0;
  Shares shares_;
};

// All queries -----------------------------------------------------------------------------------------------------

// Queries from start up to stop, scored on one thread.
struct QueryPiece {
  std::size_t block, start, stop;
};

// Pieces never cross the border of a block and do not depend on the number of threads, so that neither do the sums.
std::vector<QueryPiece> pieces_of(const std::vector<std::size_t>& blocks) {
  constexpr std::size_t most = 256;
  std::vector<QueryPiece> pieces;
  for (std::size_t b = 0; b + 1 < blocks.size(); ++b)
    for (std::size_t start = blocks[b]; start < blocks[b + 1]; start += most)
      pieces.push_back({b, start, std::min(start + most, blocks[b + 1])});
  return pieces;
}

// Searches for the neighbors of queries, without the queries' own rows.
class LeftOutSearch {
 public:
  LeftOutSearch(search::Index& index, const search::Plan& plan, const LeaveOneOut& work)
      : index_(index), plan_(plan), work_(work) {
    const bool beyond =
        std::any_of(work.rules.begin(), work.rules.end(), [](const auto& rule) { return rule.follows_neighbours(); });
    wanted_ = work.ks.back() + beyond;
    k_ = std::min(wanted_ + (work.row_weights != nullptr), work.n_stored);
  }

  // wanted(): what the weights of the rows found must add up to; k(): how many rows to search for at first.
  std::size_t wanted() const { return wanted_; }
  std::size_t k() const { return k_; }

  std::vector<std::vector<search::Found>> operator()(std::size_t start, std::size_t count, std::size_t k,
                                                     std::size_t threads) const {
    search::Request request;
    request.queries = work_.queries + start * plan_.size();
    request.n_queries = count;
    request.weights = work_.attribute_weights;
    request.k = k;
    request.ties = work_.whole_ties;
    request.exclude = work_.row_weights ? nullptr : work_.own + start;
    request.algorithm = work_.algorithm;
    request.threads = threads;
    request.version = work_.version;
    request.gate = work_.gate;
    return index_.search(plan_, request);
  }

 private:
  search::Index& index_;
  const search::Plan& plan_;
  const LeaveOneOut& work_;
  std::size_t wanted_, k_;
};

// Scores queries one at a time on one thread.
template <class Scores>
class LeftOutScorer {
 public:
  LeftOutScorer(const LeaveOneOut& work, const LeftOutSearch& search)
      : work_(work), search_(search), position_(work.stored, work.n_stored) {}

  // Returns false if the query is left to the caller.
  bool score(Scores& scores, std::size_t query, const std::vector<search::Found>& found) {
    take(query, found);
    if (list_.size() == 0 || list_.is_endless()) return false;
    cuts_.clear();
    for (const std::size_t k : work_.ks) cuts_.push_back(list_.cut(k, work_.whole_ties));
    const Shares& shares = scores.begin(list_, query, work_.times[query]);
    if (!scores.in_range()) return false;
    for (std::size_t v = 0; v < work_.rules.size(); ++v) {
      base::check_interrupt();
      running_.fill(work_.rules[v], list_, shares, cuts_, sums_);
      scores.score(v * cuts_.size(), work_.rules[v], list_, cuts_, sums_);
    }
    return true;
  }

 private:
  // Where row weights are small, searches for more and more rows until their weights add up to the number wanted.
  void take(std::size_t query, const std::vector<search::Found>& found) {
    list_.take(found, work_.root, position_, work_.row_weights, work_.own[query]);
    std::size_t k = search_.k();
    while (work_.row_weights && k < work_.n_stored && !list_.reaches(static_cast<double>(search_.wanted()))) {
      k = std::min(2 * k, work_.n_stored);
      list_.take(search_(query, 1, k, 1)[0], work_.root, position_, work_.row_weights, work_.own[query]);
    }
  }

  const LeaveOneOut& work_;
  const LeftOutSearch& search_;
  Positions position_;
  RankedList list_;
  std::vector<Cut> cuts_;
  RunningSums running_;
  std::vector<double> sums_;
};

struct BlockTotals {
  std::vector<std::vector<double>> sums;  // one block after another
  std::vector<std::int64_t> odd;
};

// Searches for several pieces together, so that the index can choose the order of queries, then scores the pieces.
template <class Scores, class Targets>
BlockTotals run(search::Index& index, const search::Plan& plan, const LeaveOneOut& work, const Targets& targets) {
  constexpr std::size_t most_entries = std::size_t{1} << 20;  // neighbors kept in memory at a time
  struct PieceSums {
    std::vector<std::vector<double>> sums;
    std::vector<std::int64_t> odd;
  };
  BlockTotals totals;
  totals.sums = Scores(targets, work.n_candidates()).take();
  for (auto& sums : totals.sums) sums.assign(sums.size() * work.n_blocks(), 0.0);
  const LeftOutSearch search(index, plan, work);
  const std::vector<QueryPiece> pieces = pieces_of(work.blocks);
  for (std::size_t first = 0, last; first < pieces.size(); first = last) {
    const std::size_t start = pieces[first].start;
    for (last = first + 1; last < pieces.size() && (pieces[last].stop - start) * search.k() <= most_entries;) ++last;
    const std::vector<std::vector<search::Found>> found =
        search(start, pieces[last - 1].stop - start, search.k(), work.threads);
    std::vector<PieceSums> scored(last - first);
    base::for_blocks(scored.size(), 1, work.threads, [&] {
      return [&, scorer = LeftOutScorer<Scores>(work, search)](std::size_t at, std::size_t) mutable {
        const QueryPiece& piece = pieces[first + at];
        Scores scores(targets, work.n_candidates());
        for (std::size_t query = piece.start; query < piece.stop; ++query) {
          if (!scorer.score(scores, query, found[query - start]))
            scored[at].odd.push_back(static_cast<std::int64_t>(query));
        }
        scored[at].sums = scores.take();
      };
    });
    for (std::size_t at = 0; at < scored.size(); ++at) {
      for (std::size_t s = 0; s < totals.sums.size(); ++s) {
        const std::vector<double>& sums = scored[at].sums[s];
        double* total = totals.sums[s].data() + pieces[first + at].block * sums.size();
        for (std::size_t i = 0; i < sums.size(); ++i) total[i] += sums[i];
      }
      totals.odd.insert(totals.odd.end(), scored[at].odd.begin(), scored[at].odd.end());
    }
  }
  return totals;
}

}  // namespace

ClassSums leave_one_out(search::Index& index, const search::Plan& plan, const LeaveOneOut& work,
                        const LeftOutClasses& classes) {
  BlockTotals found = run<ClassScores>(index, plan, work, classes);
  return {std::move(found.sums[0]), std::move(found.sums[1]), std::move(found.sums[2]), std::move(found.sums[3]),
          std::move(found.odd)};
}

NumberSums leave_one_out(search::Index& index, const search::Plan& plan, const LeaveOneOut& work,
                         const LeftOutNumbers& numbers) {
  BlockTotals found = run<NumberScores>(index, plan, work, numbers);
  return {std::move(found.sums[0]), std::move(found.sums[1]), std::move(found.odd)};
}
}  // namespace priorcase::votes
