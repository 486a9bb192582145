#include "base/cpu.hpp"

#include <atomic>

#if defined(_MSC_VER) && !defined(__clang__)
#error "priorcase is built with clang-cl on Windows, not with MSVC's own compiler"
#endif

#if PRIORCASE_X86
#include <cpuid.h>
#endif

namespace priorcase::base {

namespace {

#if PRIORCASE_X86
// Read with CPUID directly: the compiler's built-in check needs a run-time library that clang-cl does not link.
struct Features {
  Features() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    constexpr unsigned saves_registers = 1u << 27;
    if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & saves_registers) == 0) return;
    unsigned saved = 0, upper = 0;
    __asm__ volatile("xgetbv" : "=a"(saved), "=d"(upper) : "c"(0));  // the registers that the operating system saves
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return;
    const auto has = [](unsigned word, unsigned bits) { return (word & bits) == bits; };
    avx2 = has(saved, 0x6) && has(b, 1u << 5);
    constexpr unsigned f_dq_bw_vl = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31, vbmi_vnni = 1u << 1 | 1u << 11;
    avx512 = avx2 && has(saved, 0xE6) && has(b, f_dq_bw_vl) && has(c, vbmi_vnni);
  }

  bool avx2 = false, avx512 = false;
};
#endif

std::atomic<Path>& chosen() {
  static std::atomic<Path> path{available_paths().back()};
  return path;
}

}  // namespace

const char* name_of(Path path) {
  constexpr const char* names[n_paths] = {"scalar", "avx2", "avx512", "neon"};
  return names[static_cast<std::size_t>(path)];
}

const std::vector<Path>& available_paths() {
  static const std::vector<Path> paths = [] {
    std::vector<Path> found{Path::scalar};
#if PRIORCASE_X86
    const Features features;
    if (features.avx2) found.push_back(Path::avx2);
    if (features.avx512) found.push_back(Path::avx512);
#elif PRIORCASE_ARM
    found.push_back(Path::neon);  // every 64-bit ARM CPU has it
#endif
    return found;
  }();
  return paths;
}

Path path() {
  static std::atomic<Path>& current = chosen();
  return current.load(std::memory_order_relaxed);
}

bool use_path(std::string_view name) {
  for (const Path path : available_paths())
    if (name == name_of(path)) {
      chosen().store(path);
      return true;
    }
  return false;
}

}  // namespace priorcase::base
