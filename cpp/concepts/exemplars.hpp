// PEBLS's exemplars: stored rows with a record of use that pushes the unreliable ones away (Cost & Salzberg 1993).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "search/index.hpp"

namespace priorcase::concepts {

// How often each exemplar was the nearest one, and how often its class was then right.
class Reliability final : public search::Judge {
 public:
  // w_X cost, with w_X = used / correct >= 1.
  double operator()(std::int64_t id, double cost) const override { return weights_[id] * cost; }

  std::size_t size() const { return used_.size(); }
  const std::vector<std::int64_t>& used() const { return used_; }
  const std::vector<std::int64_t>& correct() const { return correct_; }

  void add(std::int64_t used, std::int64_t correct) {
    used_.push_back(used);
    correct_.push_back(correct);
    weights_.push_back(weight(used, correct));
  }

  void record(std::int64_t id, bool right) {
    ++used_[id];
    correct_[id] += right;
    weights_[id] = weight(used_[id], correct_[id]);
  }

 private:
  static double weight(std::int64_t used, std::int64_t correct) {
    return static_cast<double>(used) / static_cast<double>(correct);
  }

  std::vector<std::int64_t> used_, correct_;
  std::vector<double> weights_;
};

// Rows of symbols, numbered from 0 in the order in which they are stored. Every call takes the same plan.
class Exemplars {
 public:
  explicit Exemplars(std::vector<double> attribute_weights)
      : index_(std::vector<std::uint8_t>(attribute_weights.size(), 1)),
        attribute_weights_(std::move(attribute_weights)) {}

  std::size_t size() const { return reliability_.size(); }
  std::size_t n_attributes() const { return index_.n_attributes(); }
  const Reliability& reliability() const { return reliability_; }

  // Rows come one by one: the nearest exemplar answers for the new row, its record takes note, and the new row is
  // stored, with that record as its own (inherit) or with 1 of 1.
  void arrive(const search::Plan& plan, const double* rows, const std::int64_t* labels, std::size_t count, bool inherit) {
    for (std::size_t i = 0; i < count; ++i) {
      std::int64_t used = 1, correct = 1;
      if (size() > 0) {
        const std::int64_t nearest = nearest_other(plan, rows + i * n_attributes(), -1);
        reliability_.record(nearest, labels_[nearest] == labels[i]);
        if (inherit) {
          used = reliability_.used()[nearest];
          correct = reliability_.correct()[nearest];
        }
      }
      keep(plan, rows + i * n_attributes(), labels[i], used, correct);
    }
  }

  // Stores rows with records that are known.
  void store(const search::Plan& plan, const double* rows, const std::int64_t* labels, const std::int64_t* used,
             const std::int64_t* correct, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      if (correct[i] < 1 || used[i] < correct[i]) throw std::invalid_argument("a record is at least 1 of 1");
      keep(plan, rows + i * n_attributes(), labels[i], used[i], correct[i]);
    }
  }

  // Stored exemplars, the given one first, ask their nearest other one in turn, whose record takes note.
  void sweep(const search::Plan& plan, const double* rows, std::size_t first, std::size_t count) {
    if (size() < 2) return;
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t own = static_cast<std::int64_t>(first + i);
      const std::int64_t nearest = nearest_other(plan, rows + i * n_attributes(), own);
      reliability_.record(nearest, labels_[nearest] == labels_[own]);
    }
  }

  // The exemplars of least w_X cost for each query.
  std::vector<std::vector<search::Found>> search(const search::Plan& plan, search::Request request) {
    request.weights = attribute_weights_.data();
    request.judge = &reliability_;
    return index_.search(plan, request);
  }

  bool covers(const search::Plan& plan, const double* queries, std::size_t n) const { return index_.covers(plan, queries, n); }

 private:
  std::int64_t nearest_other(const search::Plan& plan, const double* row, std::int64_t own) {
    search::Request one;
    one.queries = row;
    one.n_queries = 1;
    one.weights = attribute_weights_.data();
    one.k = 1;
    one.exclude = &own;
    one.judge = &reliability_;
    const std::vector<search::Found> found = index_.find(plan, seeker_, one);
    if (found.empty()) throw std::invalid_argument("a row is at no distance from the exemplars");
    return found.front().second;
  }

  void keep(const search::Plan& plan, const double* row, std::int64_t label, std::int64_t used, std::int64_t correct) {
    const std::int64_t id = static_cast<std::int64_t>(size());
    index_.append(&id, row, 1);
    labels_.push_back(label);
    reliability_.add(used, correct);
    if (index_.is_due()) index_.organise(plan);
  }

  search::Index index_;
  std::vector<double> attribute_weights_;
  std::vector<std::int64_t> labels_;
  Reliability reliability_;
  search::Seeker seeker_;
};

}  // namespace priorcase::concepts
