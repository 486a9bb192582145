// Similarity of a concept description: its instances in an index, and a plan whose ranges follow what arrives.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "search/difference.hpp"
#include "search/index.hpp"

namespace priorcase::concepts {

// Instances go by their order of storing.
class ConceptSimilarity {
 public:
  // ranged: attributes whose range is that of the numbers seen so far.
  ConceptSimilarity(search::Plan plan, std::vector<std::uint8_t> coded, std::vector<std::uint8_t> ranged)
      : coded(std::move(coded)),
        ranges{std::move(ranged), unknown(this->coded.size()), unknown(this->coded.size())},
        plan_(std::move(plan)),
        index_(std::make_unique<search::Index>(this->coded)) {
    ranges.set(plan_);
  }

  std::size_t n_attributes() const { return coded.size(); }
  std::size_t size() const { return index_->n_rows(); }
  const search::Plan& plan() const { return plan_; }

  void copy_row(std::size_t order, double* out) const { index_->copy_row(static_cast<std::int64_t>(order), out); }

  void put(std::size_t order, const double* row) {
    const std::int64_t id = static_cast<std::int64_t>(order);
    index_->append(&id, row, 1);
  }

  void remove(std::size_t order) { index_->remove(static_cast<std::int64_t>(order)); }

  // Puts the instances in search order where that pays.
  void tidy() {
    if (index_->is_due()) index_->organise(plan_);
  }

  // Keeps the instances at the given orders, which are counted afresh.
  void renumber(const std::vector<std::size_t>& orders) {
    auto fresh = std::make_unique<search::Index>(coded);
    std::vector<double> row(n_attributes());
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(orders.size()); ++i) {
      copy_row(orders[i], row.data());
      fresh->append(&i, row.data(), 1);
    }
    index_ = std::move(fresh);
  }

  // Ranges that hold the numbers of an arriving instance too.
  void widen(const double* row) { ranges.widen(row, plan_); }
  void clear_ranges() { ranges.clear(plan_); }
  void set_ranges() { ranges.set(plan_); }

  // Whether the cells of coded attributes are codes, or missing.
  bool takes(const double* row) const {
    for (std::size_t a = 0; a < n_attributes(); ++a)
      if (coded[a] && !std::isnan(row[a]) && !(0.0 <= row[a] && row[a] < largest_code)) return false;
    return true;
  }

  // A row to be stored: values that the plan knows nothing of are missing.
  void admit(double* row) const {
    for (std::size_t a = 0; a < n_attributes(); ++a)
      if (is_tabled(a) && !(row[a] < plan_[a].codes_end())) row[a] = std::nan("");
  }

  // A query: values that the plan knows nothing of are unseen.
  void ask(double* row) const {
    for (std::size_t a = 0; a < n_attributes(); ++a)
      if (is_tabled(a) && row[a] >= plan_[a].codes_end()) row[a] = -1.0;
  }

  // The instances at the least cost that the judge allows.
  std::vector<search::Found> find(const double* row, const std::vector<double>& weights, const search::Judge* judge) {
    return index_->find(plan_, seeker_, nearest(row, 1, weights, judge));
  }

  // The same for many queries, which changes nothing.
  std::vector<std::vector<search::Found>> search(const double* rows, std::size_t n, const std::vector<double>& weights,
                                         const search::Judge* judge, std::size_t threads) const {
    search::Request request = nearest(rows, n, weights, judge);
    request.threads = threads;
    return index_->search(plan_, request);
  }

  // The costs of some instances.
  void costs(const double* row, const std::vector<double>& weights, const std::vector<std::int64_t>& orders,
             std::vector<double>& out) {
    out.resize(orders.size());
    index_->costs(plan_, seeker_, row, weights.data(), orders.data(), orders.size(), out.data());
  }

  // The last instance that was compared, attribute by attribute.
  const search::Difference& difference(std::size_t a) const { return seeker_.difference(a); }

  const std::vector<std::uint8_t> coded;
  search::Ranges ranges;

 private:
  static constexpr double largest_code = 2147483648.0;

  static std::vector<double> unknown(std::size_t n) { return std::vector<double>(n, std::nan("")); }

  bool is_tabled(std::size_t a) const {
    return plan_[a].codes_end() < base::infinity;
  }

  static search::Request nearest(const double* rows, std::size_t n, const std::vector<double>& weights, const search::Judge* judge) {
    search::Request request;
    request.queries = rows;
    request.n_queries = n;
    request.weights = weights.data();
    request.k = 1;
    request.ties = true;
    request.judge = judge;
    return request;
  }

  search::Plan plan_;
  std::unique_ptr<search::Index> index_;
  search::Seeker seeker_;
};

}  // namespace priorcase::concepts
