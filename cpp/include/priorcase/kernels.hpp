// The inner loops of the bound scan, chosen for the CPU at hand. All give the same bytes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "priorcase/kernels_avx2.hpp"
#include "priorcase/kernels_avx512.hpp"
#include "priorcase/kernels_scalar.hpp"

namespace priorcase {

struct Kernels {
  const char* name;
  double box_cost;  // what the bound of a box costs, in scans of a panel
  // Sets bit r of survivors where the saturating sum of row r's table entries is below 255.
  void (*scan)(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n, std::uint64_t* survivors);
  // The same for two queries, whose tables may lie apart; the codes are loaded once.
  void (*scan_two)(const std::uint8_t* panel, const std::uint8_t* tables, const std::uint8_t* other_tables,
                   std::size_t n, std::uint64_t* survivors, std::uint64_t* other_survivors);
  // Sets the bits of the rows with the least sums, as many as wanted and all that tie with the last of them.
  void (*promising)(const std::uint8_t* panel, const std::uint8_t* tables, std::size_t n, std::size_t wanted,
                    std::uint64_t* chosen);
  // Lower bounds in units of 1/factor, rounded down; 255 where the bound alone is out of reach.
  void (*round_down)(const double* lower, std::uint8_t* tables, std::size_t n, double reach, double factor);
  // The set of codes whose entry is 0, and the least entry over a set of codes.
  std::uint64_t (*zeros)(const std::uint8_t* table);
  unsigned (*smallest)(const std::uint8_t* table, std::uint64_t codes);
};

// The paths this CPU can run, slowest first.
inline const std::vector<Kernels>& available_kernels() {
  static const std::vector<Kernels> paths = [] {
    std::vector<Kernels> found{{"scalar", 0.02, scalar::scan, scalar::scan_two<scalar::scan>, scalar::promising,
                                scalar::round_down, scalar::zeros, scalar::smallest}};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
      found.push_back({"avx2", 0.2, avx2::scan, scalar::scan_two<avx2::scan>, avx2::promising, avx2::round_down,
                       avx2::zeros, scalar::smallest});
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi"))
      found.push_back({"avx512", 0.5, avx512::scan, avx512::scan_two, avx512::promising, avx512::round_down,
                       avx512::zeros, avx512::smallest});
#endif
    return found;
  }();
  return paths;
}

inline std::atomic<const Kernels*>& chosen_kernels() {
  static std::atomic<const Kernels*> chosen{&available_kernels().back()};
  return chosen;
}

inline const Kernels& kernels() { return *chosen_kernels().load(std::memory_order_relaxed); }

inline bool choose_kernels(const std::string& name) {
  for (const Kernels& path : available_kernels())
    if (name == path.name) {
      chosen_kernels().store(&path);
      return true;
    }
  return false;
}

}  // namespace priorcase
