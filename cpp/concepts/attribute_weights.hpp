// What IB4 and IB5 learn of each attribute: how well its differences tell classes apart (Aha 1992).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace priorcase::concepts {

class AttributeWeights {
 public:
  AttributeWeights(std::size_t n, double power) : sums(n, 0.0), norms(n, 0.0), power_(power) {}

  // One comparison with the instance that spoke for x: share is 1 minus the higher frequency of the two classes.
  void learn(std::size_t a, double difference, bool same_class, double share) {
    sums[a] += share * (same_class ? 1.0 - difference : difference);
    norms[a] += share;
  }

  // An irrelevant attribute tends to 1/2, hence to the weight 0; one not judged yet has the largest weight there is.
  double weight(std::size_t a) const { return norms[a] > 0.0 ? std::max(sums[a] / norms[a] - 0.5, 0.0) : 0.5; }

  // As a search takes them; all alike where nothing is relevant.
  void fill(std::vector<double>& out) const {
    bool any = false;
    for (std::size_t a = 0; a < sums.size(); ++a) {
      const double w = weight(a);
      out[a] = power_ == 2.0 ? w * w : std::pow(w, power_);
      any = any || out[a] > 0.0;
    }
    if (!any) std::fill(out.begin(), out.end(), 1.0);
  }

  std::vector<double> sums, norms;

 private:
  double power_;
};

}  // namespace priorcase::concepts
