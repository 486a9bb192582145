// A concept description that learns one instance at a time: IB1 to IB5 (Aha, Kibler & Albert 1991; Aha 1992).
//
// The framework's three parts: similarity is in concept_similarity.hpp, classification and the update of the
// description are below. What differs between the algorithms is in concept_rules.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "concepts/attribute_weights.hpp"
#include "concepts/class_frequencies.hpp"
#include "concepts/concept_rules.hpp"
#include "concepts/concept_similarity.hpp"
#include "concepts/records.hpp"
#include "base/random.hpp"

namespace priorcase::concepts {

// What one instance did to the description.
struct Change {
  int correct = -1;  // -1: there was nothing to predict from
  std::int64_t dropped = 0;
};

class Concept {
 public:
  Concept(search::Plan plan, std::vector<std::uint8_t> coded, std::vector<std::uint8_t> ranged, ConceptRules rules,
          std::uint64_t seed)
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

  std::size_t size() const { return similarity.size(); }
  const std::vector<double>& weights() const { return weights_; }

  // One instance; names of instances that are not stored, or no more, go to `gone`.
  Change learn(std::int64_t name, const double* values, std::int64_t label, std::vector<std::int64_t>& gone) {
    std::copy_n(values, row_.size(), row_.data());
    similarity.admit(row_.data());
    ++arrivals;
    similarity.widen(row_.data());
    if (size() == 0) {
      classes.count(label);
      store(name, label, Reason::first);
      return {-1, expire(gone)};
    }
    const Claim claim = classify();
    classes.count(label);
    update_records(label);
    if (rules.weighted) learn_weights(label, claim);
    Change change{claim.label == label, drop(gone)};
    if (rules.keep == Keep::every)
      store(name, label, Reason::every);
    else if (claim.label != label)
      store(name, label, Reason::misclassified);
    else
      gone.push_back(name);
    change.dropped += expire(gone);
    return change;
  }

  // The candidates at the least cost for each query, in order of storing; of one label where one is given.
  std::vector<std::vector<search::Found>> nearest(const double* queries, std::size_t n, std::int64_t label,
                                          std::size_t threads) const {
    std::vector<double> cells(queries, queries + n * row_.size());
    for (std::size_t q = 0; q < n; ++q) similarity.ask(cells.data() + q * row_.size());
    const Eligible judge(*this, label);
    return similarity.search(cells.data(), n, weights_, &judge, threads);
  }

  bool acceptable(const Record& record) const { return record.low > classes.accept_above(record.label); }

  // How many stored instances may speak, and how many of them might not when last asked.
  std::pair<std::int64_t, std::int64_t> review() {
    std::int64_t now = 0, fresh = 0;
    for (Record& record : records) {
      const bool good = record.stored && (rules.keep != Keep::significant || acceptable(record));
      now += good;
      fresh += good && !record.was_acceptable;
      record.was_acceptable = good;
    }
    return {now, fresh};
  }

  // Takes an instance out as if it had never come, but for ranges and the records of others.
  void forget(std::size_t order) {
    classes.forget(records[order].label);
    --arrivals;
    remove(order);
    --n_dropped;
  }

  // Ranges of the stored instances alone.
  void take_ranges() {
    similarity.clear_ranges();
    for (std::size_t order = 0; order < records.size(); ++order)
      if (records[order].stored) {
        similarity.copy_row(order, other_.data());
        similarity.widen(other_.data());
      }
  }

  // Stores an instance with its record as it was; `settle` comes after the last.
  void restore(const Record& record, const double* row) {
    similarity.put(records.size(), row);
    records.push_back(record);
    records.back().low = wilson(record.successes, record.trials, rules.z_accept).low;
  }

  // What follows from all that was restored.
  void settle() {
    similarity.set_ranges();
    if (rules.weighted) relevance.fill(weights_);
    classes.judge();
    tidy();
  }

  const ConceptRules rules;
  ConceptSimilarity similarity;
  AttributeWeights relevance;
  base::SplitMix random;
  ClassFrequencies classes;
  std::vector<Record> records;  // in order of storing; some are stored no more
  std::int64_t arrivals = 0, n_dropped = 0;

 private:
  // Who spoke for an instance, and for what.
  struct Claim {
    std::int64_t label, order;
  };

  // Refuses instances that may not speak.
  struct Eligible : search::Judge {
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

  // Refuses instances that are not acceptable, and notes everyone as near as the nearest acceptable one so far: no
  // search passes over a row that ends up within the limit.
  struct Noting : search::Judge {
    explicit Noting(Concept& description) : description(description) { description.reached_.clear(); }
    double operator()(std::int64_t id, double cost) const override {
      if (cost <= limit) description.reached_.emplace_back(cost, id);
      if (!description.acceptable(description.records[id])) return -1.0;
      limit = std::min(limit, cost);
      return cost;
    }
    Concept& description;
    mutable double limit = base::infinity;
  };

  // -- classification: the label that the most similar instance speaks for

  Claim classify() {
    if (rules.keep != Keep::significant) {
      reached_ = similarity.find(row_.data(), weights_, nullptr);
      return decide(reached_);
    }
    if (!someone_acceptable()) return draw_lots();
    const Noting judge(*this);
    const std::vector<search::Found> tied = similarity.find(row_.data(), weights_, &judge);
    std::erase_if(reached_, [&](const search::Found& found) { return found.first > tied.front().first; });
    return decide(tied);
  }

  Claim decide(const std::vector<search::Found>& tied) {
    std::int64_t order = tied.front().second;
    if (tied.size() > 1 && rules.ties == TieRule::random) order = tied[random.below(tied.size())].second;
    if (tied.size() > 1 && rules.ties == TieRule::majority) {
      votes_.assign(classes.counts.size(), 0);
      for (const search::Found& found : tied) ++votes_[records[found.second].label];
      for (const search::Found& found : tied)  // of labels with equally many the one that speaks first
        if (votes_[records[found.second].label] > votes_[records[order].label]) order = found.second;
    }
    return {records[order].label, order};
  }

  // Nobody has proven good: the i-th most similar instance speaks, i by chance, so that records begin to tell.
  Claim draw_lots() {
    orders_.clear();
    for (std::size_t order = 0; order < records.size(); ++order)
      if (records[order].stored) orders_.push_back(static_cast<std::int64_t>(order));
    similarity.costs(row_.data(), weights_, orders_, costs_);
    reached_.clear();
    for (std::size_t i = 0; i < orders_.size(); ++i) reached_.emplace_back(costs_[i], orders_[i]);
    const auto chosen = reached_.begin() + static_cast<std::ptrdiff_t>(random.below(orders_.size()));
    std::nth_element(reached_.begin(), chosen, reached_.end());
    const search::Found spoke = *chosen;
    std::erase_if(reached_, [&](const search::Found& found) { return found.first > spoke.first; });
    return {records[spoke.second].label, spoke.second};
  }

  bool someone_acceptable() {
    if (proven_ < records.size() && records[proven_].stored && acceptable(records[proven_])) return true;
    for (proven_ = 0; proven_ < records.size(); ++proven_)
      if (records[proven_].stored && acceptable(records[proven_])) return true;
    return false;
  }

  // -- update of the description

  // Everyone at least as similar as the one who spoke was tried; whoever is now significantly poor will go.
  void update_records(std::int64_t label) {
    going_.clear();
    for (const search::Found& found : reached_) {
      Record& record = records[found.second];
      record.count(record.label == label, rules.decay);
      if (rules.keep != Keep::significant) continue;
      record.low = wilson(record.successes, record.trials, rules.z_accept).low;
      if (wilson(record.successes, record.trials, rules.z_drop).high < classes.drop_below(record.label))
        going_.push_back(static_cast<std::size_t>(found.second));
    }
  }

  void learn_weights(std::int64_t label, const Claim& claim) {
    similarity.copy_row(claim.order, other_.data());
    const double share = 1.0 - std::max(classes.frequency(label), classes.frequency(claim.label));
    for (std::size_t a = 0; a < other_.size(); ++a) {
      const search::Difference& difference = similarity.difference(a);
      const bool gap = std::isnan(other_[a]);
      if (rules.known_only && (gap || difference.state == search::Difference::State::missing)) continue;
      const double f = gap ? difference.against_missing() : difference.against(other_[a]);
      relevance.learn(a, std::sqrt(f), claim.label == label, share);
    }
    relevance.fill(weights_);
  }

  std::int64_t drop(std::vector<std::int64_t>& gone) {
    for (const std::size_t order : going_) {
      gone.push_back(records[order].name);
      remove(order);
    }
    return static_cast<std::int64_t>(going_.size());
  }

  // Whoever came before the window leaves.
  std::int64_t expire(std::vector<std::int64_t>& gone) {
    going_.clear();
    if (rules.window > 0)
      for (; oldest_ < records.size() && records[oldest_].arrived <= arrivals - rules.window; ++oldest_)
        if (records[oldest_].stored) going_.push_back(oldest_);
    return drop(gone);
  }

  void store(std::int64_t name, std::int64_t label, Reason reason) {
    similarity.put(records.size(), row_.data());
    records.push_back({name, label, arrivals, reason});
    tidy();
  }

  void remove(std::size_t order) {
    similarity.remove(order);
    records[order].stored = false;
    ++n_dropped;
  }

  // A description that lost most of what it stored counts afresh.
  void tidy() {
    if (records.size() > 1024 + 4 * size()) {
      std::vector<std::size_t> orders;
      for (std::size_t order = 0; order < records.size(); ++order)
        if (records[order].stored) orders.push_back(order);
      similarity.renumber(orders);
      std::erase_if(records, [](const Record& record) { return !record.stored; });
      proven_ = oldest_ = 0;
    }
    similarity.tidy();
  }

  std::vector<double> weights_, row_, other_, costs_;
  std::vector<std::size_t> votes_, going_;
  std::vector<std::int64_t> orders_;
  std::vector<search::Found> reached_;  // the instances that the last classification tried
  std::size_t proven_ = 0, oldest_ = 0;
};

}  // namespace priorcase::concepts
