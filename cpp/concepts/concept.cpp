#include "concepts/concept.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "search/difference.hpp"

namespace priorcase::concepts {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr const char* no_distance = "a row has no distance from the stored instances";

struct Interval {
  double low = 0.0, high = 1.0;
};

// Returns Wilson's score interval of a proportion (Aha, Kibler & Albert 1991, section 4); [0, 1] without trials.
Interval wilson(double successes, double trials, double z) {
  if (!(trials > 0.0)) return {};
  const double p = successes / trials, z2 = z * z;
  const double centre = p + z2 / (2.0 * trials);
  const double half = z * std::sqrt(p * (1.0 - p) / trials + z2 / (4.0 * trials * trials));
  const double denominator = 1.0 + z2 / trials;
  return {(centre - half) / denominator, (centre + half) / denominator};
}

// Returns a request for the nearest instance and all that tie with it.
search::Request nearest_of(const double* rows, std::size_t n, const std::vector<double>& weights,
                           const search::Judge* judge) {
  search::Request request;
  request.queries = rows;
  request.n_queries = n;
  request.weights = weights.data();
  request.k = 1;
  request.ties = true;
  request.judge = judge;
  return request;
}

}  // namespace

// Class frequencies -----------------------------------------------------------------------------------------------

ClassFrequencies::ClassFrequencies(double z_accept, double z_drop, std::int64_t window)
    : z_accept_(z_accept), z_drop_(z_drop), window_(window) {}

void ClassFrequencies::count(std::int64_t label) {
  if (counts.size() <= static_cast<std::size_t>(label)) counts.resize(label + 1, 0.0);
  counts[label] += 1.0;
  seen += 1.0;
  if (window_ > 0) recent.push_back(label);
  if (recent.size() > static_cast<std::size_t>(window_)) {
    forget(recent.front());
    recent.pop_front();
  }
  judge();
}

void ClassFrequencies::forget(std::int64_t label) {
  counts[label] -= 1.0;
  seen -= 1.0;
}

void ClassFrequencies::judge() {
  accept_above_.resize(counts.size());
  drop_below_.resize(counts.size());
  for (std::size_t label = 0; label < counts.size(); ++label) {
    accept_above_[label] = wilson(counts[label], seen, z_accept_).high;
    drop_below_[label] = wilson(counts[label], seen, z_drop_).low;
  }
}

// Attribute weights -----------------------------------------------------------------------------------------------

AttributeWeights::AttributeWeights(std::size_t n, double power) : sums(n, 0.0), norms(n, 0.0), power_(power) {}

void AttributeWeights::learn(std::size_t a, double difference, bool same_class, double share) {
  sums[a] += share * (same_class ? 1.0 - difference : difference);
  norms[a] += share;
}

// For an irrelevant attribute, sums / norms tends to 1/2, and the weight to 0. An attribute without comparisons has the
// largest possible weight.
double AttributeWeights::weight(std::size_t a) const {
  return norms[a] > 0.0 ? std::max(sums[a] / norms[a] - 0.5, 0.0) : 0.5;
}

void AttributeWeights::fill(std::vector<double>& out) const {
  bool any = false;
  for (std::size_t a = 0; a < sums.size(); ++a) {
    const double w = weight(a);
    out[a] = power_ == 2.0 ? w * w : std::pow(w, power_);
    any = any || out[a] > 0.0;
  }
  if (!any) std::fill(out.begin(), out.end(), 1.0);  // equal weights if no attribute is relevant
}

// Similarity ------------------------------------------------------------------------------------------------------

Similarity::Similarity(search::Plan plan, std::vector<std::uint8_t> coded, std::vector<std::uint8_t> ranged)
    : ranges{std::move(ranged), std::vector<double>(coded.size(), nan), std::vector<double>(coded.size(), nan)},
      coded_(std::move(coded)),
      plan_(std::move(plan)),
      index_(std::make_unique<search::Index>(coded_)) {
  set_ranges();
}

void Similarity::copy_row(std::size_t order, double* out) const {
  index_->copy_row(static_cast<std::int64_t>(order), out);
}

void Similarity::put(std::size_t order, const double* row) {
  const std::int64_t id = static_cast<std::int64_t>(order);
  index_->append(&id, row, 1);
}

void Similarity::remove(std::size_t order) { index_->remove(static_cast<std::int64_t>(order)); }

void Similarity::renumber(const std::vector<std::size_t>& orders) {
  auto fresh = std::make_unique<search::Index>(coded_);
  std::vector<double> row(n_attributes());
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(orders.size()); ++i) {
    copy_row(orders[i], row.data());
    fresh->append(&i, row.data(), 1);
  }
  index_ = std::move(fresh);
}

void Similarity::admit(double* row) const {
  for (std::size_t a = 0; a < n_attributes(); ++a)
    if (!(row[a] < plan_[a].codes_end())) row[a] = nan;
}

void Similarity::ask(double* row) const {
  for (std::size_t a = 0; a < n_attributes(); ++a)
    if (row[a] >= plan_[a].codes_end()) row[a] = -1.0;
}

std::vector<search::Found> Similarity::find(const double* row, const std::vector<double>& weights,
                                            const search::Judge* judge) {
  return index_->find(plan_, seeker_, nearest_of(row, 1, weights, judge));
}

std::vector<std::vector<search::Found>> Similarity::search(const double* rows, std::size_t n,
                                                           const std::vector<double>& weights,
                                                           const search::Judge* judge, std::size_t threads) const {
  search::Request request = nearest_of(rows, n, weights, judge);
  request.threads = threads;
  return index_->search(plan_, request);
}

void Similarity::costs(const double* row, const std::vector<double>& weights, const std::vector<std::int64_t>& orders,
                       std::vector<double>& out) {
  out.resize(orders.size());
  index_->costs(plan_, seeker_, row, weights.data(), orders.data(), orders.size(), out.data());
}

// The description -------------------------------------------------------------------------------------------------

// Excludes instances that may not classify: those of other labels and, if there are acceptable ones, all others.
struct Concept::Eligible : search::Judge {
  Eligible(const Concept& description, std::int64_t label) : description(description), label(label) {
    if (description.rules.keep != Keep::significant) return;
    for (const Record& record : description.records)
      if (record.stored && (label < 0 || record.label == label) && description.acceptable(record)) proven = true;
  }
  double operator()(std::int64_t id, double cost) const override {
    const Record& record = description.records[id];
    if (label >= 0 && record.label != label) return -1.0;
    return proven && !description.acceptable(record) ? -1.0 : cost;
  }
  const Concept& description;
  std::int64_t label;
  bool proven = false;
};

// Excludes instances that are not acceptable, and records in tried_ all instances at least as near as the nearest
// acceptable one so far. None is missed, since no search skips a row that is within the final limit.
struct Concept::Noting : search::Judge {
  explicit Noting(Concept& description) : description(description) { description.tried_.clear(); }
  double operator()(std::int64_t id, double cost) const override {
    if (cost <= limit) description.tried_.emplace_back(cost, id);
    if (!description.acceptable(description.records[id])) return -1.0;
    limit = std::min(limit, cost);
    return cost;
  }
  Concept& description;
  mutable double limit = base::infinity;
};

Concept::Concept(search::Plan plan, std::vector<std::uint8_t> coded, std::vector<std::uint8_t> ranged,
                 const Rules& rules, std::uint64_t seed)
    : rules(rules),
      similarity(std::move(plan), std::move(coded), std::move(ranged)),
      relevance(similarity.n_attributes(), rules.weight_power),
      random(seed),
      classes(rules.z_accept, rules.z_drop, rules.window),
      weights_(similarity.n_attributes(), 1.0),
      row_(similarity.n_attributes()),
      other_(similarity.n_attributes()) {
  settle();
}

Change Concept::learn(std::int64_t name, const double* values, std::int64_t label, std::vector<std::int64_t>& gone) {
  std::copy_n(values, row_.size(), row_.data());
  similarity.admit(row_.data());
  ++arrivals;
  similarity.widen(row_.data());
  if (size() == 0) {
    classes.count(label);
    store(name, label, Reason::first);
    return {-1, expire(gone)};
  }
  const Answer answer = classify();
  classes.count(label);
  update_records(label);
  if (rules.weighted) learn_weights(label, answer);
  Change change{answer.label == label, drop(gone)};
  if (rules.keep == Keep::every)
    store(name, label, Reason::every);
  else if (answer.label != label)
    store(name, label, Reason::misclassified);
  else
    gone.push_back(name);
  change.dropped += expire(gone);
  return change;
}

std::vector<std::vector<search::Found>> Concept::nearest(const double* queries, std::size_t n, std::int64_t label,
                                                         std::size_t threads) const {
  std::vector<double> cells(queries, queries + n * row_.size());
  for (std::size_t q = 0; q < n; ++q) similarity.ask(cells.data() + q * row_.size());
  const Eligible judge(*this, label);
  return similarity.search(cells.data(), n, weights_, &judge, threads);
}

std::pair<std::int64_t, std::int64_t> Concept::review() {
  std::int64_t now = 0, fresh = 0;
  for (Record& record : records) {
    const bool good = record.stored && (rules.keep != Keep::significant || acceptable(record));
    now += good;
    fresh += good && !record.was_acceptable;
    record.was_acceptable = good;
  }
  return {now, fresh};
}

void Concept::forget(const std::vector<std::size_t>& orders) {
  for (const std::size_t order : orders) {
    classes.forget(records[order].label);
    --arrivals;
    remove(order);
    --n_dropped;
  }
  similarity.clear_ranges();  // recomputed from the remaining instances
  for (std::size_t order = 0; order < records.size(); ++order)
    if (records[order].stored) {
      similarity.copy_row(order, other_.data());
      similarity.widen(other_.data());
    }
  settle();
}

void Concept::restore(const Record& record, const double* row) {
  similarity.put(records.size(), row);
  records.push_back(record);
  records.back().low = wilson(record.successes, record.trials, rules.z_accept).low;
}

void Concept::settle() {
  similarity.set_ranges();
  if (rules.weighted) relevance.fill(weights_);
  classes.judge();
  renumber();
}

// Classification: the label of the most similar instance ----------------------------------------------------------

Concept::Answer Concept::classify() {
  if (rules.keep != Keep::significant) {
    tried_ = similarity.find(row_.data(), weights_, nullptr);
    return decide(tried_);
  }
  if (!any_acceptable()) return random_neighbor();
  const Noting judge(*this);
  const std::vector<search::Found> tied = similarity.find(row_.data(), weights_, &judge);
  const Answer answer = decide(tied);
  std::erase_if(tried_, [&](const search::Found& found) { return found.first > tied.front().first; });
  return answer;
}

Concept::Answer Concept::decide(const std::vector<search::Found>& tied) {
  if (tied.empty()) throw std::invalid_argument(no_distance);  // a search that compares with NaN finds nothing
  std::int64_t order = tied.front().second;
  if (tied.size() > 1 && rules.ties == TieRule::random) order = tied[random.below(tied.size())].second;
  if (tied.size() > 1 && rules.ties == TieRule::majority) {
    votes_.assign(classes.counts.size(), 0);
    for (const search::Found& found : tied) ++votes_[records[found.second].label];
    for (const search::Found& found : tied)  // ties between labels go to the instance that was stored first
      if (votes_[records[found.second].label] > votes_[records[order].label]) order = found.second;
  }
  return {records[order].label, order};
}

// While no instance is acceptable, the i-th most similar one classifies, with i chosen at random, so that instances get
// records.
Concept::Answer Concept::random_neighbor() {
  orders_.clear();
  for (std::size_t order = 0; order < records.size(); ++order)
    if (records[order].stored) orders_.push_back(static_cast<std::int64_t>(order));
  similarity.costs(row_.data(), weights_, orders_, costs_);
  tried_.clear();
  for (std::size_t i = 0; i < orders_.size(); ++i) {
    if (std::isnan(costs_[i])) throw std::invalid_argument(no_distance);
    tried_.emplace_back(costs_[i], orders_[i]);
  }
  const auto chosen = tried_.begin() + static_cast<std::ptrdiff_t>(random.below(orders_.size()));
  std::nth_element(tried_.begin(), chosen, tried_.end());
  const search::Found nearest = *chosen;
  std::erase_if(tried_, [&](const search::Found& found) { return found.first > nearest.first; });
  return {records[nearest.second].label, nearest.second};
}

bool Concept::any_acceptable() {
  if (proven_ < records.size() && records[proven_].stored && acceptable(records[proven_])) return true;
  for (proven_ = 0; proven_ < records.size(); ++proven_)
    if (records[proven_].stored && acceptable(records[proven_])) return true;
  return false;
}

// Update of the description ---------------------------------------------------------------------------------------

// Updates the records of all instances at least as similar as the one that classified, and selects those that are now
// significantly poor for dropping.
void Concept::update_records(std::int64_t label) {
  leaving_.clear();
  for (const search::Found& found : tried_) {
    Record& record = records[found.second];
    record.successes = rules.decay * record.successes + (record.label == label ? 1.0 : 0.0);
    record.trials = rules.decay * record.trials + 1.0;
    if (rules.keep != Keep::significant) continue;
    record.low = wilson(record.successes, record.trials, rules.z_accept).low;
    if (wilson(record.successes, record.trials, rules.z_drop).high < classes.drop_below(record.label))
      leaving_.push_back(static_cast<std::size_t>(found.second));
  }
  std::sort(leaving_.begin(), leaving_.end());  // the order of tried_ depends on the layout of the index
}

void Concept::learn_weights(std::int64_t label, const Answer& answer) {
  similarity.copy_row(answer.order, other_.data());
  const double share = 1.0 - std::max(classes.frequency(label), classes.frequency(answer.label));
  for (std::size_t a = 0; a < other_.size(); ++a) {
    const search::Difference& difference = similarity.difference(a);
    const bool gap = std::isnan(other_[a]);
    if (rules.known_only && (gap || difference.state == search::Difference::State::missing)) continue;
    const double f = gap ? difference.against_missing() : difference.against(other_[a]);
    relevance.learn(a, std::sqrt(f), answer.label == label, share);
  }
  relevance.fill(weights_);
}

std::int64_t Concept::drop(std::vector<std::int64_t>& gone) {
  for (const std::size_t order : leaving_) {
    gone.push_back(records[order].name);
    remove(order);
  }
  return static_cast<std::int64_t>(leaving_.size());
}

// Drops instances that arrived before the window.
std::int64_t Concept::expire(std::vector<std::int64_t>& gone) {
  leaving_.clear();
  if (rules.window > 0)
    for (; oldest_ < records.size() && records[oldest_].arrived <= arrivals - rules.window; ++oldest_)
      if (records[oldest_].stored) leaving_.push_back(oldest_);
  return drop(gone);
}

void Concept::store(std::int64_t name, std::int64_t label, Reason reason) {
  similarity.put(records.size(), row_.data());
  records.push_back({name, label, arrivals, reason});
  renumber();
  if (similarity.is_due()) similarity.organise();
}

void Concept::remove(std::size_t order) {
  similarity.remove(order);
  records[order].stored = false;
  ++n_dropped;
}

// Renumbers the remaining instances once most of them have been dropped.
void Concept::renumber() {
  if (records.size() <= 1024 + 4 * size()) return;
  std::vector<std::size_t> orders;
  for (std::size_t order = 0; order < records.size(); ++order)
    if (records[order].stored) orders.push_back(order);
  similarity.renumber(orders);
  std::erase_if(records, [](const Record& record) { return !record.stored; });
  proven_ = oldest_ = 0;
}

}  // namespace priorcase::concepts
