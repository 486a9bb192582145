#include "base/cpu.hpp"

#include <atomic>

#if PRIORCASE_X86 && defined(_MSC_VER) && !defined(__clang__)
#error "priorcase is built with clang-cl on Windows, not with MSVC's own compiler"
#endif

namespace priorcase::base {

namespace {

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
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2")) found.push_back(Path::avx2);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vnni"))
      found.push_back(Path::avx512);
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
