// Rows of numbers as codes of one byte on one grid: a dot product of bytes bounds the Euclidean distance of a row.
// Where there are many attributes, this is faster and closer than adding up a bound for each of them.
#pragma once

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/memory.hpp"
#include "search/measure.hpp"

namespace priorcase::search {

class Sketch {
 public:
  // A query on the grid.
  struct Place {
    base::Bytes codes;
    double constant = 0.0;  // the part of the bound that is the same for all rows
    double residual = 0.0;  // the distance between the query and its place, in steps of the grid
  };

  // Whether there can be a sketch: squared differences of numbers, many of them, and none missing.
  static bool suits(const Plan& plan, const Store& store);

  // Of all rows in full panels. The plan and the store suit.
  Sketch(const Plan& plan, const Store& store, const double* weights);

  // Whether costs by this plan and with these weights are those of the sketch.
  bool is_for(const Plan& plan, const double* weights) const;

  // Puts a query on the grid; false where its costs are not those of the sketch.
  bool place(const Measure& measure, Place& place) const;

  // The distance that a cost stands for, in steps of the grid.
  double length(double cost) const { return std::sqrt(cost) / step_; }

  // For each of four queries the rows of a panel that may be no farther than a length.
  void near(std::size_t panel, const Place* const* four, const double* lengths,
            std::uint64_t (*rows)[panel_words]) const;

  std::size_t n_panels() const { return residuals_.size(); }
  std::size_t n_bytes() const;

  // Searches tell how many rows they looked at, and how many of these may be near.
  void count(std::size_t looked_at, std::size_t near) const;

  // Whether so many rows may be near that other bounds are better.
  bool is_poor() const { return looked_at_ > (1 << 20) && near_ > looked_at_ / 32; }

 private:
  // Where a value lies on its axis, in steps from the middle of the grid.
  double steps(std::size_t a, double x) const { return factors_[a] == 0.0 ? 0.0 : (x - middles_[a]) * factors_[a]; }

  void lay_grid(const Store& store);
  void take(const Store& store, std::size_t slot);

  std::size_t n_, quads_;
  std::vector<double> scales_, weights_;
  double step_ = 1.0;
  std::vector<double> factors_, middles_;
  base::Bytes codes_;                // of each panel, for every four attributes: four codes of each row
  std::vector<std::int32_t> norms_;  // of each row minus the squared distance between its place and the middle
  std::vector<double> residuals_;    // of each panel the largest distance between a row and its place
  mutable std::atomic<std::size_t> looked_at_{0}, near_{0};
};

// The sketch of a table, made by the first search that gains by it; other searches go on without it meanwhile.
class LazySketch {
 public:
  // None where there is none for these weights. It is made only where that is worth its time.
  std::shared_ptr<const Sketch> get(const Plan& plan, const Store& store, const double* weights, bool worth);

  std::size_t n_bytes() const;

 private:
  mutable std::mutex lock_;
  std::shared_ptr<const Sketch> sketch_;
  bool making_ = false;
};

}  // namespace priorcase::search
