// Which instructions this CPU has. Every loop that is written for several gives the same bits with all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace priorcase::base {

enum class Path : std::uint8_t { scalar, avx2, avx512, neon };

inline constexpr std::size_t n_paths = 4;

const char* name_of(Path path);

// The paths this CPU can run, slowest first.
const std::vector<Path>& available_paths();

// The path in use: the fastest, unless another one was asked for.
Path path();

// False where this CPU has no path of that name.
bool use_path(std::string_view name);

// One version of some loops for each path; a path without one uses that of the scalar path.
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
// name keeps the versions apart. Such code calls nothing but its own functions: the linker may keep any one version of
// an inline function of the standard library, also the one for a CPU that is not there.
#if defined(__GNUC__) || defined(__clang__)
#define PRIORCASE_INLINE inline __attribute__((always_inline))
#else
#define PRIORCASE_INLINE __forceinline
#endif

// PRIORCASE_SCALAR leaves all but the scalar path out, for compilers that have no flags for the others.
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
