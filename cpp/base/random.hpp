// SplitMix64: a random number generator with one word of state, which gives the same numbers on every machine.
#pragma once

#include <cstdint>

namespace priorcase::base {

class SplitMix {
 public:
  explicit SplitMix(std::uint64_t state = 0) : state(state) {}

  std::uint64_t next() {
    std::uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  // Returns a number from 0 to n - 1: the upper half of a 128-bit product, computed in four parts, since not every
  // compiler has 128-bit integers.
  std::uint64_t below(std::uint64_t n) {
    const std::uint64_t x = next(), low = 0xFFFFFFFFu;
    const std::uint64_t lower = (x & low) * (n & low), across = (x >> 32) * (n & low) + (lower >> 32);
    const std::uint64_t other = (x & low) * (n >> 32) + (across & low);
    return (x >> 32) * (n >> 32) + (across >> 32) + (other >> 32);
  }

  std::uint64_t state;
};

}  // namespace priorcase::base
