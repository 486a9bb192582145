#include "bayes/pairs.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <utility>

#include "base/threads.hpp"

namespace priorcase::bayes {

// Counts -------------------------------------------------------------------------------------------------------------

PairLayout::PairLayout(std::vector<std::size_t> sizes, std::size_t n_classes)
    : sizes_(std::move(sizes)), n_classes_(n_classes) {
  single_at_.reserve(sizes_.size());
  pair_at_.reserve(edge_count(sizes_.size()));
  for (std::size_t v = 0; v < sizes_.size(); ++v) {
    single_at_.push_back(n_singles_);
    n_singles_ += sizes_[v] * n_classes_;
    for (std::size_t u = 0; u < v; ++u) {
      pair_at_.push_back(n_pairs_);
      n_pairs_ += sizes_[u] * sizes_[v] * n_classes_;
    }
  }
}

namespace {

constexpr std::size_t block_rows = 4096;                   // the places of a block stay in the L1 cache
constexpr std::size_t least_rows = 16;                     // per step, so that the loop over rows is worth its overhead
constexpr std::size_t step_work = std::size_t{1} << 25;    // additions between two checks for Ctrl-C
constexpr std::size_t thread_work = std::size_t{1} << 16;  // additions in the time that starting a thread takes

// Counts the values of attribute v in some rows, alone and paired with each attribute before it.
void count_attribute(const PairLayout& layout, const PairRows& rows, std::size_t v, std::size_t start, std::size_t stop,
                     double* singles, double* pairs) noexcept {
  std::array<std::uint32_t, block_rows> places;
  std::array<double, block_rows> amounts;
  std::fill_n(amounts.begin(), std::min(block_rows, stop - start), rows.sign);
  const std::size_t n_classes = layout.n_classes(), step = layout.size(v) * n_classes;
  const std::int32_t* own = rows.columns + v * rows.n_rows;
  double* alone = singles + layout.single(v, 0);
  for (std::size_t first = start; first < stop; first += block_rows) {
    const std::size_t n = std::min(block_rows, stop - first);
    for (std::size_t i = 0; i < n; ++i) {
      places[i] = static_cast<std::uint32_t>(own[first + i] * n_classes + rows.classes[first + i]);
      if (rows.weights) amounts[i] = rows.sign * rows.weights[first + i];
      alone[places[i]] += amounts[i];
    }
    for (std::size_t u = 0; u < v; ++u) {
      const std::int32_t* other = rows.columns + u * rows.n_rows + first;
      double* together = pairs + layout.pair(u, v, 0, 0);
      for (std::size_t i = 0; i < n; ++i) together[other[i] * step + places[i]] += amounts[i];
    }
  }
}

}  // namespace

void count_pairs(const PairLayout& layout, const PairRows& rows, double* classes, double* singles, double* pairs,
                 std::size_t threads) {
  const std::size_t width = layout.n_attributes(), row_work = width * (width + 1) / 2 + 1;
  const auto count = [&](std::size_t start, std::size_t stop) {
    for (std::size_t i = start; i < stop; ++i)
      classes[rows.classes[i]] += rows.weights ? rows.sign * rows.weights[i] : rows.sign;
    const std::size_t worth = std::max<std::size_t>(1, (stop - start) * row_work / thread_work);
    std::atomic<std::size_t> next{width};
    // Counts down, since the last attributes have the most attributes before them and take longest.
    base::run_on_threads(std::min({threads, width, worth}), [&](const std::atomic<bool>&) {
      for (std::size_t left; (left = next.load()) > 0;)
        if (next.compare_exchange_weak(left, left - 1))
          count_attribute(layout, rows, left - 1, start, stop, singles, pairs);
    });
  };
  const std::size_t step = std::max(step_work / row_work, least_rows);
  if (rows.n_rows <= step) return count(0, rows.n_rows);
  const auto copy = [](const double* numbers, std::size_t n) { return std::vector<double>(numbers, numbers + n); };
  const std::vector<double> old_classes = copy(classes, layout.n_classes());
  const std::vector<double> old_singles = copy(singles, layout.n_singles()), old_pairs = copy(pairs, layout.n_pairs());
  try {
    for (std::size_t start = 0; start < rows.n_rows; start += step) {
      base::check_interrupt();
      count(start, std::min(rows.n_rows, start + step));
    }
  } catch (...) {
    std::copy(old_classes.begin(), old_classes.end(), classes);
    std::copy(old_singles.begin(), old_singles.end(), singles);
    std::copy(old_pairs.begin(), old_pairs.end(), pairs);
    throw;
  }
}

// Queries ------------------------------------------------------------------------------------------------------------

namespace {

// With fewer attributes, a loop over all pairs is too short to check for Ctrl-C.
constexpr std::size_t many_attributes = 64;

double log_gamma(double x) {
#if defined(_WIN32)
  return std::lgamma(x);
#else
  int sign;  // lgamma would write the sign to a global variable
  return lgamma_r(x, &sign);
#endif
}

// Returns count - amount, at least 0: a rounded sum of fractional weights may be slightly below one of them.
double lowered(double count, double amount) { return std::max(count - amount, 0.0); }

// Returns the logarithm of the factor by which the last rows of a cell, of total weight `amount`, raised its factor of
// the marginal likelihood: ln(Gamma(count + prior) / Gamma(count - amount + prior)).
double log_rise(double count, double prior, double amount) {
  return log_gamma(count + prior) - log_gamma(lowered(count, amount) + prior);
}

// The factors of the joint probability of one query at a time.
class QueryFactors {
 public:
  explicit QueryFactors(const PairTables& tables)
      : tables_(tables),
        n_(tables.layout->n_attributes()),
        n_classes_(tables.layout->n_classes()),
        base_(n_classes_),
        ratios_(n_classes_ * edge_count(n_)),
        alone_(n_),
        prior_(n_),
        seen_(n_) {
    for (std::size_t k = 0; k < n_classes_; ++k) {
      total_ += tables.classes[k];
      prior_total_ += tables.class_weights[k];
    }
  }

  std::size_t n_attributes() const { return n_; }
  std::size_t n_classes() const { return n_classes_; }
  std::size_t n_edges() const { return edge_count(n_); }

  void load(const PairQueries& queries, std::size_t q) {
    codes_ = queries.codes + q * n_;
    own_ = queries.own ? queries.own[q] : -1;
    leave_ = queries.own ? queries.leave[q] : 0.0;
    for (std::size_t k = 0; k < n_classes_; ++k) {
      const double count = left(tables_.classes[k], k);
      base_[k] = std::log((count + tables_.class_weights[k]) / (lowered(total_, leave_) + prior_total_));
      load_class(k, count + tables_.totals[k]);
    }
    for (std::size_t v = 0; v < n_; ++v) count_value(v);
  }

  bool leaves_out() const { return own_ >= 0; }
  std::size_t own() const { return static_cast<std::size_t>(own_); }
  bool leaves_one() const { return leave_ == 1.0; }

  // Returns ln(a_k * prod_v theta_kv), the joint probability of naive Bayes.
  double base(std::size_t k) const { return base_[k]; }
  // Returns theta_kuv / (theta_ku theta_kv) for every pair of attributes, in the order of the edges.
  const double* ratios(std::size_t k) const { return ratios_.data() + k * n_edges(); }
  // Returns how many rows, of any class, have the query's value of an attribute.
  double seen(std::size_t v) const { return seen_[v]; }

  // Writes the logarithm of the factor by which the row to leave out raised the weight of each edge.
  void log_rises(double* out) const {
    const std::size_t k = own();
    if (leaves_one()) {
      for (std::size_t at = 0; at < n_edges(); ++at) out[at] = std::log(ratios(k)[at]);
      return;
    }
    const double in_class = log_rise(tables_.classes[k], tables_.totals[k], leave_);
    for (std::size_t v = 0, at = 0; v < n_; ++v) {
      const double alone = single_rise(v), share = single_prior(v, k) / tables_.totals[k];
      for (std::size_t u = 0; u < v; ++u, ++at)
        out[at] =
            log_rise(pair_count(u, v, k), single_prior(u, k) * share, leave_) + in_class - alone - single_rise(u);
    }
  }

 private:
  double left(double count, std::size_t k) const {
    return static_cast<std::int64_t>(k) == own_ ? lowered(count, leave_) : count;
  }

  double single_count(std::size_t v, std::size_t k) const {
    return codes_[v] < 0 ? 0.0 : tables_.singles[tables_.layout->single(v, static_cast<std::size_t>(codes_[v])) + k];
  }

  double pair_count(std::size_t u, std::size_t v, std::size_t k) const {
    if (codes_[u] < 0 || codes_[v] < 0) return 0.0;
    const auto value_u = static_cast<std::size_t>(codes_[u]), value_v = static_cast<std::size_t>(codes_[v]);
    return tables_.pairs[tables_.layout->pair(u, v, value_u, value_v) + k];
  }

  double single_prior(std::size_t v, std::size_t k) const {
    if (codes_[v] < 0) return tables_.unseen[v * n_classes_ + k];
    return tables_.weights[tables_.layout->single(v, static_cast<std::size_t>(codes_[v])) + k];
  }

  double single_rise(std::size_t v) const {
    return log_rise(single_count(v, own()), single_prior(v, own()), leave_);
  }

  void load_class(std::size_t k, double in_class) {
    if (n_ >= many_attributes) base::check_interrupt();
    double* ratio = ratios_.data() + k * n_edges();
    for (std::size_t v = 0, at = 0; v < n_; ++v) {
      prior_[v] = single_prior(v, k);
      alone_[v] = left(single_count(v, k), k) + prior_[v];
      base_[k] += std::log(alone_[v] / in_class);
      const double share = prior_[v] / tables_.totals[k];
      for (std::size_t u = 0; u < v; ++u, ++at) {
        const double together = left(pair_count(u, v, k), k) + prior_[u] * share;
        // These bounds matter only for row weights near the limits of the range of doubles.
        ratio[at] = std::clamp(together / alone_[u] * (in_class / alone_[v]), 1e-300, 1e300);
      }
    }
  }

  void count_value(std::size_t v) {
    seen_[v] = 0.0;
    for (std::size_t k = 0; k < n_classes_; ++k) seen_[v] += left(single_count(v, k), k);
  }

  PairTables tables_;
  std::size_t n_, n_classes_;
  std::vector<double> base_, ratios_, alone_, prior_, seen_;
  double total_ = 0.0, prior_total_ = 0.0, leave_ = 0.0;
  const std::int32_t* codes_ = nullptr;
  std::int32_t own_ = -1;
};

double log_sum(const std::vector<double>& logs) {
  const double top = *std::max_element(logs.begin(), logs.end());
  double sum = 0.0;
  for (const double log : logs) sum += std::exp(log - top);
  return top + std::log(sum);
}

// The average over all spanning trees: T(W o rho_k) / T(W).
class AllTrees {
 public:
  AllTrees(const double* log_weights, std::size_t nodes)
      : weights_(EdgeWeights::exp(log_weights, nodes)), sum_(sum(weights_)) {}

  void factors(const QueryFactors& query, double* out) {
    if (query.leaves_out()) lower(query);
    const EdgeWeights& weights = query.leaves_out() ? lowered_ : weights_;
    const SplitLog before = query.leaves_out() ? sum(lowered_) : sum_;
    for (std::size_t k = 0; k < query.n_classes(); ++k) {
      // The left-out row together with its own class gives the sum over all rows again.
      const bool whole = query.leaves_out() && query.leaves_one() && k == query.own();
      out[k] = ((whole ? sum_ : raised(weights, query.ratios(k))) - before).value();
    }
  }

 private:
  SplitLog sum(const EdgeWeights& weights) {
    scratch_ = weights;
    return tree_sum(scratch_, elimination_);
  }

  SplitLog raised(const EdgeWeights& weights, const double* ratios) {
    scratch_.resize(weights.nodes());
    for (std::size_t at = 0; at < weights.m.size(); ++at)
      scratch_.set(at, extended(weights.m[at] * ratios[at], weights.e[at]));
    return tree_sum(scratch_, elimination_);
  }

  void lower(const QueryFactors& query) {
    lowered_ = weights_;
    if (query.leaves_one()) {
      const double* ratios = query.ratios(query.own());
      for (std::size_t at = 0; at < lowered_.m.size(); ++at)
        lowered_.set(at, extended(weights_.m[at] / ratios[at], weights_.e[at]));
      return;
    }
    rises_.resize(query.n_edges());
    query.log_rises(rises_.data());
    for (std::size_t at = 0; at < lowered_.m.size(); ++at)
      lowered_.set(at, weights_.get(at) / exp_extended(rises_[at]));
  }

  EliminationScratch elimination_;
  EdgeWeights scratch_, weights_, lowered_;
  SplitLog sum_;
  std::vector<double> rises_;
};

// The tree with the largest marginal likelihood, chosen anew whenever a row is left out.
class BestTree {
 public:
  BestTree(const double* log_weights, std::size_t nodes) : logs_(log_weights, log_weights + edge_count(nodes)) {
    best_tree(logs_.data(), nodes, parents_);
  }

  void factors(const QueryFactors& query, double* out) {
    if (query.leaves_out()) {
      lowered_.resize(logs_.size());
      query.log_rises(lowered_.data());
      for (std::size_t at = 0; at < logs_.size(); ++at) lowered_[at] = logs_[at] - lowered_[at];
      best_tree(lowered_.data(), query.n_attributes(), parents_);
    }
    for (std::size_t k = 0; k < query.n_classes(); ++k) {
      out[k] = 0.0;
      for (std::size_t v = 1; v < parents_.size(); ++v)
        out[k] += std::log(query.ratios(k)[edge_at(v, static_cast<std::size_t>(parents_[v]))]);
    }
  }

 private:
  std::vector<double> logs_, lowered_;
  std::vector<std::int64_t> parents_;
};

// Computes, for each attribute, the sum of the logarithms of its pairs with all others: the logarithm of the factor of
// the structure with this attribute as super-parent.
void star_sums(const double* logs, std::size_t nodes, std::vector<double>& sums) {
  sums.assign(nodes, 0.0);
  for (std::size_t v = 1, at = 0; v < nodes; ++v)
    for (std::size_t u = 0; u < v; ++u, ++at) {
      sums[u] += logs[at];
      sums[v] += logs[at];
    }
}

void log_ratios(const QueryFactors& query, std::size_t k, std::vector<double>& logs) {
  if (query.n_attributes() >= many_attributes) base::check_interrupt();
  logs.resize(query.n_edges());
  for (std::size_t at = 0; at < logs.size(); ++at) logs[at] = std::log(query.ratios(k)[at]);
}

// The average over naive Bayes and one structure for each super-parent, weighted by their marginal likelihoods.
class SuperParents {
 public:
  SuperParents(const double* log_weights, std::size_t nodes) { star_sums(log_weights, nodes, stars_); }

  void factors(const QueryFactors& query, double* out) {
    const std::size_t n = query.n_attributes();
    models_ = stars_;
    if (query.leaves_out()) {
      logs_.resize(query.n_edges());
      query.log_rises(logs_.data());
      star_sums(logs_.data(), n, sums_);
      for (std::size_t p = 0; p < n; ++p) models_[p] -= sums_[p];
    }
    models_.push_back(0.0);  // naive Bayes has no edge
    const double before = log_sum(models_);
    for (std::size_t k = 0; k < query.n_classes(); ++k) {
      log_ratios(query, k, logs_);
      star_sums(logs_.data(), n, sums_);
      sums_.push_back(0.0);
      for (std::size_t p = 0; p <= n; ++p) sums_[p] += models_[p];
      out[k] = log_sum(sums_) - before;
    }
  }

 private:
  std::vector<double> stars_, models_, sums_, logs_;
};

// The unweighted mean over the super-parents whose value occurs in enough rows; naive Bayes if there are none.
class PlainSuperParents {
 public:
  explicit PlainSuperParents(double least) : least_(least) {}

  void factors(const QueryFactors& query, double* out) {
    for (std::size_t k = 0; k < query.n_classes(); ++k) {
      log_ratios(query, k, logs_);
      star_sums(logs_.data(), query.n_attributes(), sums_);
      able_.clear();
      for (std::size_t p = 0; p < sums_.size(); ++p)
        if (query.seen(p) >= least_) able_.push_back(sums_[p]);
      out[k] = able_.empty() ? 0.0 : log_sum(able_) - std::log(static_cast<double>(able_.size()));
    }
  }

 private:
  double least_;
  std::vector<double> logs_, sums_, able_;
};

// A block takes well under a quarter of a second, unless a single query takes longer.
constexpr std::size_t most_queries = 16, block_work = std::size_t{1} << 24;

template <class Make>
void answer(const PairTables& tables, const PairQueries& queries, std::size_t query_work, double* out,
            std::size_t threads, const Make& make) {
  const std::size_t n_classes = tables.layout->n_classes();
  const std::size_t block = std::clamp<std::size_t>(block_work / query_work, 1, most_queries);
  base::for_blocks(queries.n_queries, block, threads, [&] {
    return [&, query = QueryFactors(tables), family = make()](std::size_t start, std::size_t stop) mutable {
      for (std::size_t q = start; q < stop; ++q) {
        query.load(queries, q);
        double* row = out + q * n_classes;
        family.factors(query, row);
        for (std::size_t k = 0; k < n_classes; ++k) row[k] += query.base(k);
      }
    };
  }, std::max<std::size_t>(1, thread_work / query_work));
}

}  // namespace

void joint_logs(Family family, const PairTables& tables, const double* log_weights, double least,
                const PairQueries& queries, double* out, std::size_t threads) {
  const std::size_t nodes = tables.layout->n_attributes(), n_classes = tables.layout->n_classes();
  const std::size_t pairs_work = (nodes * nodes * 8 + 1) * n_classes;
  const auto by = [&](std::size_t work, const auto& make) { answer(tables, queries, work, out, threads, make); };
  switch (family) {
    case Family::all_trees:
      return by(pairs_work + nodes * nodes * nodes / 6 * n_classes, [&] { return AllTrees(log_weights, nodes); });
    case Family::best_tree: return by(pairs_work, [&] { return BestTree(log_weights, nodes); });
    case Family::super_parents: return by(pairs_work, [&] { return SuperParents(log_weights, nodes); });
    case Family::plain_super_parents: return by(pairs_work, [&] { return PlainSuperParents(least); });
  }
}

}  // namespace priorcase::bayes
