// Sums of -ln p, with few logarithms: probabilities are multiplied until the product is about to vanish.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace priorcase {

class LogSums {
 public:
  explicit LogSums(std::size_t n) : sums_(n, 0.0), products_(n, 1.0) {}

  // Adds -times ln p.
  void add(std::size_t i, double p, double times) {
    if (times != 1.0 || p < smallest) {
      sums_[i] -= times * std::log(p);
      return;
    }
    products_[i] *= p;
    if (products_[i] >= smallest) return;
    sums_[i] -= std::log(products_[i]);
    products_[i] = 1.0;
  }

  std::vector<double> take() {
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] -= std::log(products_[i]);
    return std::move(sums_);
  }

 private:
  static constexpr double smallest = 1e-140;

  std::vector<double> sums_, products_;
};

}  // namespace priorcase
