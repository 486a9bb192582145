// A byte vector whose storage starts on a cache line, as the wide loads of the scan like it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace priorcase {

template <class T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t line{64};

  CacheLineAllocator() = default;
  template <class U>
  CacheLineAllocator(const CacheLineAllocator<U>&) {}

  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), line)); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, line); }
  bool operator==(const CacheLineAllocator&) const { return true; }
  bool operator!=(const CacheLineAllocator&) const { return false; }
};

using Bytes = std::vector<std::uint8_t, CacheLineAllocator<std::uint8_t>>;

}  // namespace priorcase
