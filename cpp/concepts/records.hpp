// Classification records, and the significance test on them (Aha, Kibler & Albert 1991, section 4).
#pragma once

#include <cmath>
#include <cstdint>

namespace priorcase::concepts {

struct Interval {
  double low = 0.0, high = 1.0;
};

// Wilson's score interval of a proportion; everything is possible where nothing was tried.
inline Interval wilson(double successes, double trials, double z) {
  if (!(trials > 0.0)) return {};
  const double p = successes / trials, z2 = z * z;
  const double centre = p + z2 / (2.0 * trials);
  const double half = z * std::sqrt(p * (1.0 - p) / trials + z2 / (4.0 * trials * trials));
  const double denominator = 1.0 + z2 / trials;
  return {(centre - half) / denominator, (centre + half) / denominator};
}

enum class Reason : std::uint8_t { first, every, misclassified };

// A stored instance but for its values: who it is, and how it did.
struct Record {
  std::int64_t name = 0, label = 0, arrived = 0;
  Reason reason = Reason::first;
  bool stored = true;
  bool was_acceptable = false;  // when it was last looked at for the trace
  double successes = 0.0, trials = 0.0;
  double low = 0.0;  // of its accuracy, at the level of acceptance

  void count(bool success, double decay) {
    successes = decay * successes + (success ? 1.0 : 0.0);
    trials = decay * trials + 1.0;
  }
};

}  // namespace priorcase::concepts
