// Vectors whose storage starts on a cache line, as the wide loads of the scan like it, and on large pages where it is
// large, so that rows read here and there do not wait for page tables. A register may be loaded from any place in it:
// the bytes behind its end can be read, but mean nothing.
#pragma once

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <vector>

namespace priorcase::base {

template <class T>
struct SearchAllocator {
  using value_type = T;

  SearchAllocator() = default;
  template <class U>
  SearchAllocator(const SearchAllocator<U>&) {}

  T* allocate(std::size_t n) {
    void* p = ::operator new(n * sizeof(T) + behind, alignment(n));
#if defined(__linux__)
    // Only a wish: without large pages everything works the same.
    if (n * sizeof(T) >= large) madvise(p, n * sizeof(T), MADV_HUGEPAGE);
#endif
    return static_cast<T*>(p);
  }

  std::size_t max_size() const { return (std::numeric_limits<std::ptrdiff_t>::max() - behind) / sizeof(T); }

  void deallocate(T* p, std::size_t n) { ::operator delete(p, alignment(n)); }
  bool operator==(const SearchAllocator&) const { return true; }
  bool operator!=(const SearchAllocator&) const { return false; }

 private:
  static constexpr std::size_t large = std::size_t{1} << 22, large_page = std::size_t{1} << 21, behind = 64;

  static std::align_val_t alignment(std::size_t n) {
    return std::align_val_t{n * sizeof(T) >= large ? large_page : 64};
  }
};

// Asks for a cache line that will be read soon.
inline void prefetch([[maybe_unused]] const void* address) {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(address);
#endif
}

using Bytes = std::vector<std::uint8_t, SearchAllocator<std::uint8_t>>;
using Cells = std::vector<double, SearchAllocator<double>>;

}  // namespace priorcase::base
