// An index that several Python threads may use. It does not depend on Python, so that the C++ tests can use it, too.
#pragma once

#include <mutex>
#include <new>
#include <shared_mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include "search/index.hpp"

namespace priorcase::bindings {

// Searches share the index. A change locks it exclusively, but only for a moment: whatever takes long, such as a new
// order of the rows, is built in a copy while other threads continue to search. Wait for the locks without holding the
// GIL, and take `changing` before `lock`.
struct SharedIndex {
  explicit SharedIndex(std::vector<std::uint8_t> flags) : index(checked(flags)), coded(std::move(flags)) {}

  SharedIndex(std::vector<std::uint8_t> flags, const search::Parts& parts, std::size_t threads)
      : index(checked(flags), parts, threads), coded(std::move(flags)) {}

  void require_cover(const search::Plan& plan, const double* queries, std::size_t n_queries) const {
    plan.require_codes(coded);
    if (!index.covers(plan, nullptr, 0) || !plan.knows(coded, queries, n_queries, true))
      throw std::invalid_argument("the plan does not know some of the stored or queried symbols");
  }

  void append(const std::int64_t* ids, const double* rows, std::size_t n, std::size_t threads = 1) {
    const std::lock_guard change(changing);  // enough to read the rows: only its holder changes them
    if (!index.takes(rows, n, false))
      throw std::invalid_argument("stored numbers must be finite, and stored codes whole numbers from 0 on");
    for (std::size_t i = 0; i < n; ++i)
      if (ids[i] < 0) throw std::invalid_argument("ids must not be negative");  // -1: no row is excluded from a search
    for (std::size_t i = 0; i < n; ++i)
      if (index.has(ids[i])) throw std::invalid_argument("a row with this id is stored already");
    if (index.is_cramped(rows, n)) replace(index.with_room(rows, n));
    const std::unique_lock hold(lock);
    index.append(ids, rows, n, threads);
  }

  void remove(const std::int64_t* ids, std::size_t n) {
    const std::lock_guard change(changing);
    for (std::size_t i = 0; i < n; ++i)
      if (!index.has(ids[i])) throw std::out_of_range("no such row id");
    const std::unique_lock hold(lock);
    for (std::size_t i = 0; i < n; ++i) index.remove(ids[i]);
  }

  void organise_if_due(const search::Plan& plan, std::size_t threads) {
    {
      const std::shared_lock hold(lock);
      if (!index.is_due()) return;
    }
    const std::lock_guard change(changing);
    if (!index.is_due()) return;
    require_cover(plan, nullptr, 0);
    replace(index.organised(plan, threads));
  }

  // In a forked child, frees the locks of threads that do not exist there. Returns whether one of them was changing the
  // rows.
  bool torn_by_fork() {
    new (&changing) std::mutex;
    if (lock.try_lock()) {
      lock.unlock();
      return false;
    }
    const bool only_searched = lock.try_lock_shared();
    new (&lock) std::shared_mutex;
    return !only_searched;
  }

  search::Index index;
  const std::vector<std::uint8_t> coded;
  std::mutex changing;
  std::shared_mutex lock;

 private:
  static const std::vector<std::uint8_t>& checked(const std::vector<std::uint8_t>& flags) {
    if (flags.empty()) throw std::invalid_argument("an index needs at least one attribute");
    return flags;
  }

  void replace(search::Index fresh) {
    {
      const std::unique_lock hold(lock);
      std::swap(index, fresh);
    }  // the old rows are freed after this, when other threads can search again
  }
};

}  // namespace priorcase::bindings
