// How frequent each class was among the instances seen, and the intervals that accuracies are compared with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "concepts/records.hpp"

namespace priorcase::concepts {

class ClassFrequencies {
 public:
  // window: only so many instances back, 0 for all.
  ClassFrequencies(double z_accept, double z_drop, std::int64_t window)
      : z_accept_(z_accept), z_drop_(z_drop), window_(window) {}

  void count(std::int64_t label) {
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

  void forget(std::int64_t label) {
    counts[label] -= 1.0;
    seen -= 1.0;
  }

  double frequency(std::int64_t label) const { return counts[label] / seen; }

  // An instance is acceptable when its accuracy is surely above this, and poor when it is surely below the other.
  double accept_above(std::int64_t label) const { return accept_above_[label]; }
  double drop_below(std::int64_t label) const { return drop_below_[label]; }

  void judge() {
    accept_above_.resize(counts.size());
    drop_below_.resize(counts.size());
    for (std::size_t label = 0; label < counts.size(); ++label) {
      accept_above_[label] = wilson(counts[label], seen, z_accept_).high;
      drop_below_[label] = wilson(counts[label], seen, z_drop_).low;
    }
  }

  std::vector<double> counts;  // by label
  double seen = 0.0;
  std::deque<std::int64_t> recent;  // labels of the instances in the window

 private:
  double z_accept_, z_drop_;
  std::int64_t window_;
  std::vector<double> accept_above_, drop_below_;
};

}  // namespace priorcase::concepts
