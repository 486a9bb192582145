// The instruction sets of this CPU. A loop with a version for each instruction set gives bit-identical results with all
// of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace priorcase::base {

enum class Path : std::uint8_t { scalar, avx2, avx512, neon };

inline constexpr std::size_t n_paths = 4;

const char* name_of(Path path);

// The code paths that this CPU can run, slowest first.
const std::vector<Path>& available_paths();

// The code path in use: the fastest one, unless use_path selected another.
Path path();

// Selects a code path by name; returns false if this CPU has none of that name.
bool use_path(std::string_view name);

// A table of loops with a version for each code path. A path without its own version uses the scalar one.
template <class Loops>
class ByPath {
 public:
  explicit ByPath(const Loops& scalar) : loops_{&scalar, &scalar, &scalar, &scalar} {}
  ByPath(const Loops& scalar, const Loops& avx2, const Loops& avx512) : loops_{&scalar, &avx2, &avx512, &scalar} {}

  ByPath& with(Path path, const Loops& loops) {
    loops_[static_cast<std::size_t>(path)] = &loops;
    return *this;
  }

  const Loops& of(Path path) const { return *loops_[static_cast<std::size_t>(path)]; }
  const Loops& operator()() const { return of(path()); }

 private:
  const Loops* loops_[n_paths];
};

}  // namespace priorcase::base

// For code that is compiled once for each path: PRIORCASE_PATH is then the name of the path, and a namespace of that
// name keeps the versions apart. Such code must call only its own functions: the linker keeps a single copy of each
// inline function of the standard library, which may be compiled for instructions that this CPU lacks.
#if defined(__GNUC__) || defined(__clang__)
#define PRIORCASE_INLINE inline __attribute__((always_inline))
#else
#define PRIORCASE_INLINE __forceinline
#endif

// PRIORCASE_SCALAR disables all but the scalar path, for compilers that lack the flags for the others.
#if (defined(__x86_64__) || defined(_M_X64)) && !defined(PRIORCASE_SCALAR)
#define PRIORCASE_X86 1
#else
#define PRIORCASE_X86 0
#endif

#if (defined(__aarch64__) || defined(_M_ARM64)) && !defined(PRIORCASE_SCALAR)
#define PRIORCASE_ARM 1
#else
#define PRIORCASE_ARM 0
#endif

// For the header of such code: declares the loops of each path, and a function of the same name that returns those of
// the path in use.
#if PRIORCASE_X86
#define PRIORCASE_LOOPS(name) (scalar::name, avx2::name, avx512::name)
#else
#define PRIORCASE_LOOPS(name) (scalar::name)
#endif
#define PRIORCASE_PATHS_OF(Loops, name)                                          \
  namespace scalar { extern const Loops name; }                                  \
  namespace avx2 { extern const Loops name; }                                    \
  namespace avx512 { extern const Loops name; }                                  \
  inline const Loops& name() {                                                   \
    static const ::priorcase::base::ByPath<Loops> by_path PRIORCASE_LOOPS(name); \
    return by_path();                                                            \
  }
