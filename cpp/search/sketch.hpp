// Rows of numbers, quantized to one byte per attribute on a common grid, so that a dot product of bytes gives a lower
// bound of a row's Euclidean distance. With many attributes, this is faster and tighter than adding up a bound for
// each.
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
  // The position of a query on the grid.
  struct Place {
    base::Bytes codes;
    double constant = 0.0;  // the part of the bound that is the same for all rows
    double residual = 0.0;  // the distance between the query and its grid position, in steps
  };

  // Whether a sketch is possible: many numeric attributes with squared differences, and no missing values.
  static bool suits(const Plan& plan, const Store& store);

  // Makes a sketch of all rows in full panels. The plan and the store must suit it.
  Sketch(const Plan& plan, const Store& store, const double* weights);

  // Whether the sketch applies to costs with this plan and these weights.
  bool is_for(const Plan& plan, const double* weights) const;

  // Finds the grid position of a query; returns false if the sketch does not apply to its costs.
  bool place(const Measure& measure, Place& place) const;

  // Returns the distance that corresponds to a cost, in grid steps.
  double length(double cost) const { return std::sqrt(cost) / step_; }

  // Finds, for each of four queries, the rows of a panel whose distance may be at most its length.
  void near(std::size_t panel, const Place* const* four, const double* lengths,
            std::uint64_t (*rows)[panel_words]) const;

  std::size_t n_panels() const { return residuals_.size(); }
  std::size_t n_bytes() const;

  // Records how many rows a search looked at, and how many of these could not be ruled out.
  void count(std::size_t looked_at, std::size_t near) const;

  // Whether so few rows were ruled out that other bounds are better.
  bool is_poor() const { return looked_at_ > (1 << 20) && near_ > looked_at_ / 32; }

 private:
  // Returns the position of a value on its axis, in steps from the middle of the grid.
  double steps(std::size_t a, double x) const { return factors_[a] == 0.0 ? 0.0 : (x - middles_[a]) * factors_[a]; }

  void lay_grid(const Store& store);
  void take(const Store& store, std::size_t slot);

  std::size_t n_, quads_;
  std::vector<double> scales_, weights_;
  double step_ = 1.0;
  std::vector<double> factors_, middles_;
  base::Bytes codes_;                // by panel, then by group of four attributes: four codes of each row
  std::vector<std::int32_t> norms_;  // minus the squared distance between each row's position and the middle
  std::vector<double> residuals_;    // largest distance in each panel between a row and its position
  mutable std::atomic<std::size_t> looked_at_{0}, near_{0};
};

// The sketch of a table. The first search that benefits from it makes it; meanwhile, other searches continue without
// it.
class LazySketch {
 public:
  // Returns the sketch, or null if there is none for these weights or it rules out too little. `worth`: whether it may
  // be made now.
  std::shared_ptr<const Sketch> get(const Plan& plan, const Store& store, const double* weights, bool worth);

  std::size_t n_bytes() const;

 private:
  mutable std::mutex lock_;
  std::shared_ptr<const Sketch> sketch_;
  bool making_ = false;
};

}  // namespace priorcase::search
