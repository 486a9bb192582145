// PEBLS exemplars: stored rows with a record of use, which increases the distance to unreliable ones (Cost & Salzberg
// 1993).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/index.hpp"

namespace priorcase::concepts {

// How often each exemplar was the nearest one, and how often its class was correct then.
class Reliability final : public search::Judge {
 public:
  // Returns w_X cost, with w_X = used / correct >= 1.
  double operator()(std::int64_t id, double cost) const override { return weights_[id] * cost; }

  std::size_t size() const { return used_.size(); }
  const std::vector<std::int64_t>& used() const { return used_; }
  const std::vector<std::int64_t>& correct() const { return correct_; }

  void add(std::int64_t used, std::int64_t correct);
  void record(std::int64_t id, bool right, std::int64_t times = 1);  // times = -1 undoes a record
  void truncate(std::size_t n);

 private:
  std::vector<std::int64_t> used_, correct_;
  std::vector<double> weights_;
};

// Rows of symbolic values, numbered from 0 in the order in which they are stored. Every call must pass the same plan.
// After an error or an interrupt, the exemplars are as they were before the call.
class Exemplars {
 public:
  explicit Exemplars(std::vector<double> attribute_weights);

  std::size_t size() const { return reliability_.size(); }
  std::size_t n_attributes() const { return attribute_weights_.size(); }
  const Reliability& reliability() const { return reliability_; }

  // Returns whether the cells of rows, or of queries, are codes that the plan knows. Codes of queries may be negative,
  // for unseen values. Any cell may be missing.
  bool takes(const search::Plan& plan, const double* rows, std::size_t count, bool queries) const;

  // Learns rows one by one: the nearest exemplar classifies the new row, its record is updated, and the new row is
  // stored, with a copy of that record (inherit) or with the record 1 correct of 1 use.
  void arrive(const search::Plan& plan, const double* rows, const std::int64_t* labels, std::size_t count,
              bool inherit);

  // Stores rows with given records.
  void store(const search::Plan& plan, const double* rows, const std::int64_t* labels, const std::int64_t* used,
             const std::int64_t* correct, std::size_t count);

  // Classifies stored exemplars in turn, from `first` on, each by its nearest other exemplar, whose record is updated.
  void sweep(const search::Plan& plan, const double* rows, std::size_t first, std::size_t count);

  // Returns the exemplars with the least w_X cost for each query.
  std::vector<std::vector<search::Found>> search(const search::Plan& plan, search::Request request);

 private:
  class Undo;

  std::int64_t nearest_other(const search::Plan& plan, const double* row, std::int64_t own);
  void keep(const search::Plan& plan, const double* row, std::int64_t label, std::int64_t used, std::int64_t correct);

  search::Index index_;
  std::vector<double> attribute_weights_;
  std::vector<std::int64_t> labels_;
  Reliability reliability_;
  search::Seeker seeker_;
};

}  // namespace priorcase::concepts
