// An index that several Python threads may use; nothing of Python is in it, so that the C++ tests use it too.
#pragma once

#include <mutex>
#include <new>
#include <shared_mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include "search/index.hpp"

namespace priorcase::bindings {

// Searches share it, changes have it alone.
struct SharedIndex {
  explicit SharedIndex(std::vector<std::uint8_t> coded) : index(std::move(coded)) {}

  void require_cover(const search::Plan& plan, const double* queries, std::size_t n_queries) const {
    if (!index.covers(plan, queries, n_queries))
      throw std::invalid_argument("the plan does not know some of the stored or queried symbols");
  }

  void organise_if_due(const search::Plan& plan) {
    {
      const std::shared_lock hold(lock);
      if (!index.is_due()) return;
    }
    const std::unique_lock hold(lock);
    require_cover(plan, nullptr, 0);
    if (index.is_due()) index.organise(plan);
  }

  // In a forked child: frees the lock of threads that are no more, and says whether one of them was changing the rows.
  bool torn_by_fork() {
    if (lock.try_lock()) {
      lock.unlock();
      return false;
    }
    const bool only_searched = lock.try_lock_shared();
    new (&lock) std::shared_mutex;
    return !only_searched;
  }

  search::Index index;
  std::shared_mutex lock;
};

}  // namespace priorcase::bindings
