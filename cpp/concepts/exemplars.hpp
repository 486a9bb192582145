// PEBLS's exemplars: stored rows with a record of use that pushes the unreliable ones away (Cost & Salzberg 1993).
#pragma once

#include <cstddef>
#include <cstdint>
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

  void add(std::int64_t used, std::int64_t correct);
  void record(std::int64_t id, bool right, std::int64_t times = 1);  // -1 times takes a record back
  void truncate(std::size_t n);

 private:
  std::vector<std::int64_t> used_, correct_;
  std::vector<double> weights_;
};

// Rows of symbols, numbered from 0 in the order in which they are stored. Every call takes the same plan. An error or
// an interrupt leaves the exemplars as they were before the call.
class Exemplars {
 public:
  explicit Exemplars(std::vector<double> attribute_weights);

  std::size_t size() const { return reliability_.size(); }
  std::size_t n_attributes() const { return attribute_weights_.size(); }
  const Reliability& reliability() const { return reliability_; }

  // Whether the cells of rows, or of queries, are codes that the plan knows; those of queries may be negative, for a
  // value that no exemplar has. Any cell may be missing.
  bool takes(const search::Plan& plan, const double* rows, std::size_t count, bool queries) const;

  // Rows come one by one: the nearest exemplar answers for the new row, its record takes note, and the new row is
  // stored, with that record as its own (inherit) or with 1 of 1.
  void arrive(const search::Plan& plan, const double* rows, const std::int64_t* labels, std::size_t count,
              bool inherit);

  // Stores rows with records that are known.
  void store(const search::Plan& plan, const double* rows, const std::int64_t* labels, const std::int64_t* used,
             const std::int64_t* correct, std::size_t count);

  // Stored exemplars, the given one first, ask their nearest other one in turn, whose record takes note.
  void sweep(const search::Plan& plan, const double* rows, std::size_t first, std::size_t count);

  // The exemplars of least w_X cost for each query.
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
