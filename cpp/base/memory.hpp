// Vectors whose storage is aligned to a cache line, for the wide loads of the scan. Large ones use huge pages, so that
// scattered reads of rows do not wait for page-table lookups. A whole register may be loaded from any position: the
// bytes past the end are readable, but their values are meaningless.
#pragma once

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <utility>
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
    // Only a hint: everything works without huge pages, too.
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

// Prefetches a cache line that will be read soon.
inline void prefetch([[maybe_unused]] const void* address) {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(address);
#endif
}

// Prefetches a range of memory.
inline void prefetch_all(const void* first, const void* last) {
  for (const char* at = static_cast<const char*>(first); at < last; at += 64) prefetch(at);
}

using Bytes = std::vector<std::uint8_t, SearchAllocator<std::uint8_t>>;
using Cells = std::vector<double, SearchAllocator<double>>;

// A copy-on-write array. Copies share its memory, which is its own or external, such as a mapped file. Before a change,
// the array copies the memory unless that is its own and unshared. Copies of one array may be read and destroyed on any
// thread.
template <class T>
class Shared {
  using Own = std::vector<T, SearchAllocator<T>>;

 public:
  Shared() = default;

  // Wraps external memory, which `owner` keeps alive. It must start on a cache line, and the 64 bytes past its end must
  // be readable.
  Shared(const T* data, std::size_t size, std::shared_ptr<const void> owner)
      : data_(data), size_(size), owner_(std::move(owner)) {}

  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  std::size_t n_bytes() const { return sizeof(T) * (own_ ? own_->capacity() : size_); }

  // Whether the memory is the array's own and no copy shares it.
  bool is_own() const {
    if (!own_ || own_.use_count() > 1) return false;
    // use_count() does not synchronize, but destroying this copy does: reads by former copies come before our writes.
    const std::shared_ptr<Own> again = own_;
    return true;
  }

  // The items for writing. `writable` copies them first if they are shared. `written` does not: call it only if
  // `writable`, `make_room` or `resize` was called since the array was last copied.
  T* writable() {
    own();
    return written();
  }
  T* written() { return const_cast<T*>(data_); }

  // Reserves room for `size` items in total; whenever it has to allocate, it reserves twice that.
  void make_room(std::size_t size) {
    const std::size_t room = std::max(2 * size_, size);
    if (!is_own()) return copy(room);
    if (own_->capacity() < size) own_->reserve(room);
    data_ = own_->data();
  }

  void resize(std::size_t size, T value = T()) {
    if (size == size_ && is_own()) return;
    own();
    own_->resize(size, value);
    data_ = own_->data();
    size_ = size;
  }

 private:
  void own() {
    if (!is_own()) copy(size_);
  }

  void copy(std::size_t room) {
    auto fresh = std::make_shared<Own>();
    fresh->reserve(std::max(room, size_));
    fresh->assign(data_, data_ + size_);
    own_ = std::move(fresh);
    owner_.reset();
    data_ = own_->data();
  }

  const T* data_ = nullptr;
  std::size_t size_ = 0;
  std::shared_ptr<Own> own_;
  std::shared_ptr<const void> owner_;  // keeps external memory alive
};

}  // namespace priorcase::base
