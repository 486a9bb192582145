// SplitMix64: random numbers from one word of state, the same on every machine.
#pragma once

#include <cstdint>

namespace priorcase {

class SplitMix {
 public:
  explicit SplitMix(std::uint64_t state = 0) : state(state) {}

  std::uint64_t next() {
    std::uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  // A number from 0 to n - 1.
  std::uint64_t below(std::uint64_t n) {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(next()) * n >> 64);
  }

  std::uint64_t state;
};

}  // namespace priorcase
