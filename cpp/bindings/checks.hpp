// Shared by all bindings: array types, checks of arguments, a lock, and the conversion of results to NumPy arrays
// without copies.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <utility>
#include <vector>

namespace priorcase::bindings {

namespace nb = nanobind;

using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Ids = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Flags = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Checks ----------------------------------------------------------------------------------------------------------

inline void require(bool holds, const char* rule) {
  if (!holds) throw nb::value_error(rule);
}

// Converts a number given by Python, from 0 to `last`, to an option; throws with the message `rule`.
template <class Option>
Option checked_option(int given, Option last, const char* rule) {
  require(given >= 0 && given <= static_cast<int>(last), rule);
  return static_cast<Option>(given);
}

// Returns the number of threads to use. At least 1 must be requested; above the maximum, threads would only wait.
inline std::size_t usable_threads(std::size_t threads) {
  require(threads > 0, "threads must be at least 1");
  return std::min<std::size_t>(threads, 1024);
}

inline void require_distinct(const Ids& ids) {
  std::vector<std::int64_t> sorted(ids.data(), ids.data() + ids.size());
  std::sort(sorted.begin(), sorted.end());
  require(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end(), "an id is given twice");
}

// Checks concatenated lists: the entries of list i are at starts[i] up to starts[i + 1].
template <class Places>
void require_lists(const Places& starts, std::size_t entries) {
  require(starts.size() > 0 && starts.data()[0] == 0, "the first list must start at 0");
  for (std::size_t i = 1; i < starts.size(); ++i)
    require(starts.data()[i - 1] <= starts.data()[i], "the starts of lists must not decrease");
  require(static_cast<std::size_t>(starts.data()[starts.size() - 1]) == entries,
          "the last list must end at the last entry");
}

inline bool is_weight(double weight) { return weight >= 0.0 && weight <= std::numeric_limits<double>::max(); }

template <class Places>
void require_below(const Places& places, std::int64_t end, const char* rule) {
  for (std::size_t i = 0; i < places.size(); ++i) require(places.data()[i] >= 0 && places.data()[i] < end, rule);
}

// Locks -----------------------------------------------------------------------------------------------------------

// Takes a shared lock and, while waiting for it, releases the GIL, which the thread that holds the lock may need. The
// GIL is held again afterwards, so this is for short calls; long calls release the GIL first and take the lock then.
template <class Mutex>
class SharedHold {
 public:
  explicit SharedHold(Mutex& mutex) : lock_(mutex, std::try_to_lock) {
    if (lock_.owns_lock()) return;
    nb::gil_scoped_release release;
    lock_.lock();
  }

 private:
  std::shared_lock<Mutex> lock_;
};

// Results ---------------------------------------------------------------------------------------------------------

template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T> values, std::vector<std::size_t> shape = {}) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  T* const data = owned->data();
  if (shape.empty()) shape = {owned->size()};
  nb::capsule owner(owned.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T>(data, shape.size(), shape.data(), owner);
}

// Lists of (cost, id) pairs as three arrays: where each list starts, then ids and costs.
struct PackedLists {
  std::vector<std::int64_t> starts{0}, ids;
  std::vector<double> costs;

  template <class Lists>
  explicit PackedLists(const Lists& lists) {
    std::size_t total = 0;
    starts.reserve(lists.size() + 1);
    for (const auto& list : lists) starts.push_back(static_cast<std::int64_t>(total += list.size()));
    ids.reserve(total);
    costs.reserve(total);
    for (const auto& list : lists)
      for (const auto& [cost, id] : list) {
        ids.push_back(id);
        costs.push_back(cost);
      }
  }

  nb::tuple take() {
    return nb::make_tuple(to_numpy(std::move(starts)), to_numpy(std::move(ids)), to_numpy(std::move(costs)));
  }
};

inline std::vector<double> copy(const Vector& v) { return {v.data(), v.data() + v.size()}; }
inline std::vector<std::int64_t> copy(const Ids& ids) { return {ids.data(), ids.data() + ids.size()}; }
inline std::vector<std::uint8_t> copy(const Flags& flags) { return {flags.data(), flags.data() + flags.size()}; }
inline std::vector<double> copy(const Matrix& m) { return {m.data(), m.data() + m.size()}; }

// The parts of the module -----------------------------------------------------------------------------------------

void bind_search(nb::module_& module);
void bind_bayes(nb::module_& module);
void bind_concepts(nb::module_& module);
void bind_reduction(nb::module_& module);
void bind_votes(nb::module_& module);
void bind_local(nb::module_& module);
void bind_relevance(nb::module_& module);
void bind_cases(nb::module_& module);

}  // namespace priorcase::bindings
