// How often two attributes' values come together in each class.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "bayes/wide.hpp"

namespace priorcase::bayes {

// Where counts stand: attribute a has values 0 .. sizes[a] - 1; for each value, and for each pair of values of two
// attributes, one count for each class, side by side.
class PairLayout {
 public:
  PairLayout(std::vector<std::size_t> sizes, std::size_t n_classes) : sizes_(std::move(sizes)), n_classes_(n_classes) {
    for (std::size_t v = 0; v < sizes_.size(); ++v) {
      single_at_.push_back(n_singles_);
      n_singles_ += sizes_[v] * n_classes_;
      for (std::size_t u = 0; u < v; ++u) {
        pair_at_.push_back(n_pairs_);
        n_pairs_ += sizes_[u] * sizes_[v] * n_classes_;
      }
    }
  }

  std::size_t n_attributes() const { return sizes_.size(); }
  std::size_t n_classes() const { return n_classes_; }
  std::size_t n_singles() const { return n_singles_; }
  std::size_t n_pairs() const { return n_pairs_; }
  std::size_t size(std::size_t a) const { return sizes_[a]; }

  std::size_t single(std::size_t a, std::size_t value) const { return single_at_[a] + value * n_classes_; }
  // For u < v.
  std::size_t pair(std::size_t u, std::size_t v, std::size_t value_u, std::size_t value_v) const {
    return pair_at_[Triangle::at(v, u)] + (value_u * sizes_[v] + value_v) * n_classes_;
  }

 private:
  std::vector<std::size_t> sizes_, single_at_, pair_at_;
  std::size_t n_classes_, n_singles_ = 0, n_pairs_ = 0;
};

// Rows to count: columns lie one after the other, n_rows values each.
struct PairRows {
  const std::int32_t* columns = nullptr;
  const std::int32_t* classes = nullptr;
  const double* weights = nullptr;  // none: each row counts once
  std::size_t n_rows = 0;
  double sign = 1.0;  // -1 takes rows out
};

// Counts one attribute, alone and with each attribute before it. Every cell is summed in row order by one thread, so
// the number of threads changes no bit. Whole numbers are exact up to 2^53.
inline void count_attribute(const PairLayout& layout, const PairRows& rows, std::size_t v, double* singles,
                            double* pairs) {
  constexpr std::size_t block = 4096;  // the places of a block stay in the nearest cache
  const std::size_t n_classes = layout.n_classes();
  std::vector<std::uint32_t> places(std::min(block, rows.n_rows));
  std::vector<double> amounts(places.size(), rows.sign);
  const std::int32_t* own = rows.columns + v * rows.n_rows;
  for (std::size_t first = 0; first < rows.n_rows; first += block) {
    const std::size_t n = std::min(block, rows.n_rows - first);
    double* alone = singles + layout.single(v, 0);
    for (std::size_t i = 0; i < n; ++i) {
      places[i] = static_cast<std::uint32_t>(own[first + i] * n_classes + rows.classes[first + i]);
      if (rows.weights) amounts[i] = rows.sign * rows.weights[first + i];
      alone[places[i]] += amounts[i];
    }
    for (std::size_t u = 0; u < v; ++u) {
      const std::int32_t* other = rows.columns + u * rows.n_rows + first;
      double* together = pairs + layout.pair(u, v, 0, 0);
      const std::size_t step = layout.size(v) * n_classes;
      for (std::size_t i = 0; i < n; ++i) together[other[i] * step + places[i]] += amounts[i];
    }
  }
}

inline void count_classes(const PairRows& rows, double* classes) {
  for (std::size_t i = 0; i < rows.n_rows; ++i)
    classes[rows.classes[i]] += rows.weights ? rows.sign * rows.weights[i] : rows.sign;
}

}  // namespace priorcase::bayes
