// An index that several Python threads may use, in several versions. It does not depend on Python, so that the C++ tests
// can use it, too.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/gate.hpp"
#include "search/index.hpp"
#include "search/store.hpp"

namespace priorcase::bindings {

// The versions that have ended since the last look: none, one of them, or several.
struct EndedVersions {
  static constexpr search::Version none = search::Store::never;
  std::atomic<search::Version> one{none};
  std::atomic<bool> several{false};

  void add(search::Version number) {
    search::Version before = none;
    if (!one.compare_exchange_strong(before, number)) several = true;
  }
  bool any() const { return several || one != none; }
};

// A version of the rows of an index. It lives as long as a snapshot holds it.
struct RowsVersion {
  RowsVersion(search::Version number, const search::Index& index, EndedVersions& ended)
      : number(number), n_rows(index.n_rows()), largest_codes(index.largest_codes()), ended(ended) {}
  RowsVersion(const RowsVersion&) = delete;
  ~RowsVersion() { ended.add(number); }

  const search::Version number;
  const std::size_t n_rows;
  const std::vector<std::int64_t> largest_codes;
  EndedVersions& ended;
};

// The rows of all living versions. Searches share the gate; a change has it alone, but only for a moment: whatever takes
// long, such as a new order of the rows, is built in a copy while other threads continue to search. Wait for the locks
// without holding the GIL, and take `changing` before `gate`.
//
// Only the newest version can be changed. If a later version is no longer alive, its changes are undone first.
struct SharedIndex {
  using Handle = std::shared_ptr<const RowsVersion>;

  SharedIndex(search::Index index, std::vector<std::uint8_t> flags) : index(std::move(index)), coded(std::move(flags)) {}

  void require_cover(const search::Plan& plan, const RowsVersion& version, const double* queries,
                     std::size_t n_queries) const {
    plan.require_codes(coded);
    bool is_covered = plan.knows(coded, queries, n_queries, true);
    for (std::size_t a = 0; a < coded.size(); ++a)
      is_covered &= static_cast<double>(version.largest_codes[a]) < plan[a].codes_end();
    if (!is_covered) throw std::invalid_argument("the plan does not know some of the stored or queried symbols");
  }

  // Opens the first version of an index that no other thread knows.
  Handle first_version() { return opened(0); }

  // Adds rows to a version. Returns the new version, or null if there is a later version already.
  Handle append(const RowsVersion& version, const std::int64_t* ids, const double* rows, std::size_t n,
                std::size_t threads = 1) {
    const std::lock_guard change(changing);  // enough to read the rows: only its holder changes them
    if (!index.takes(rows, n, false))
      throw std::invalid_argument("stored numbers must be finite, and stored codes whole numbers from 0 on");
    for (std::size_t i = 0; i < n; ++i)
      if (ids[i] < 0) throw std::invalid_argument("ids must not be negative");  // -1: no row is excluded from a search
    for (std::size_t i = 0; i < n; ++i)
      if (index.has(ids[i], version.number)) throw std::invalid_argument("a row with this id is stored already");
    if (!is_newest(version)) return nullptr;
    for (std::size_t i = 0; i < n; ++i)
      if (index.has(ids[i])) return nullptr;  // removed, but an older version still needs it
    if (index.is_cramped(rows, n)) index.replace(index.with_room(rows, n, living()), &gate);
    const std::unique_lock hold(gate);
    index.append(ids, rows, n, threads, last_ + 1);
    return opened(last_ + 1);
  }

  // Removes rows from a version; returns the same as append.
  Handle remove(const RowsVersion& version, const std::int64_t* ids, std::size_t n) {
    const std::lock_guard change(changing);
    for (std::size_t i = 0; i < n; ++i)
      if (!index.has(ids[i], version.number)) throw std::out_of_range("no such row id");
    if (!is_newest(version)) return nullptr;
    const std::unique_lock hold(gate);
    index.retire(ids, n, last_ + 1);
    return opened(last_ + 1);
  }

  // Returns an index of one version's rows that shares nothing with this one.
  std::shared_ptr<SharedIndex> branch(const RowsVersion& version) {
    const std::lock_guard change(changing);
    return std::make_shared<SharedIndex>(index.branch(version.number), coded);
  }

  // Builds a new order of the rows if it is time for it, unless another thread is changing the rows just now. A plan of
  // an older version may not know all rows, and leaves the order to others.
  void organise_if_due(const search::Plan& plan, std::size_t threads) {
    {
      const std::shared_lock hold(gate);
      if (!index.is_due()) return;
    }
    const std::unique_lock change(changing, std::try_to_lock);
    if (!change.owns_lock() || !index.is_due() || !index.covers(plan, nullptr, 0)) return;
    index.replace(index.organised(plan, threads, living()), &gate);
  }

  // Lets the caller change the rows by itself: work(number) stores them in the version of that number, and takes the
  // gate for each change. Returns the same as append.
  template <class Work>
  Handle change(const RowsVersion& version, const Work& work) {
    const std::lock_guard change(changing);
    if (!is_newest(version)) return nullptr;
    work(last_ + 1);
    const std::unique_lock hold(gate);
    return opened(last_ + 1);
  }

  // Wipes what no living version needs after versions have ended: removed rows, and rows that a failed change has added.
  // This is done a few rows at a time, and only if no other thread is in the way; a later call does the rest.
  void tidy() noexcept {
    if (!ended.any()) return;
    const std::unique_lock change(changing, std::try_to_lock);
    if (!change.owns_lock() || is_torn) return;
    const std::unique_lock hold(gate, std::try_to_lock);
    if (!hold.owns_lock()) return;
    const search::Version one = ended.one.exchange(EndedVersions::none);
    const bool several = ended.several.exchange(false);
    try {
      const std::vector<search::Version> versions = living();
      if (versions.empty()) return;
      if (index.last_change() > versions.back()) index.roll_back(versions.back());
      // Only the ended version needed rows that were added after the version before it and removed up to the next one.
      const auto next = std::upper_bound(versions.begin(), versions.end(), one);
      const bool all = several || next == versions.begin() || next == versions.end();
      const search::Version after = all ? 0 : *(next - 1), last = all ? versions.back() : *next;
      if (index.sweep(versions, after, last, rows_at_once)) ended.several = true;
    } catch (const std::bad_alloc&) {
      ended.several = true;
    }
  }

  // In a forked child, frees the locks of threads that do not exist there.
  void free_in_child() {
    new (&changing) std::mutex;
    is_torn = gate.open_in_child() || is_torn;
  }

  search::Index index;
  const std::vector<std::uint8_t> coded;
  std::mutex changing;
  base::Gate gate;
  EndedVersions ended;
  bool is_torn = false;  // whether the process was forked while another thread was changing the rows

 private:
  static constexpr std::size_t rows_at_once = 1024;

  // Whether a version may be changed. Undoes the changes after it, if no later version is alive.
  bool is_newest(const RowsVersion& version) {
    const std::vector<search::Version> versions = living();
    if (versions.back() > version.number || last_ + 2 >= search::Store::never) return false;
    if (index.last_change() <= version.number) return true;
    const std::unique_lock hold(gate);
    index.roll_back(version.number);
    return true;
  }

  // Opens a version with the present rows; the caller holds `changing` and `gate`.
  Handle opened(search::Version number) {
    versions_.erase(std::remove_if(versions_.begin(), versions_.end(), [](const auto& one) { return one.expired(); }),
                    versions_.end());
    versions_.reserve(versions_.size() + 1);
    const Handle version = std::make_shared<const RowsVersion>(number, index, ended);
    versions_.push_back(version);
    last_ = number;
    return version;
  }

  // The numbers of all versions that have not ended, in ascending order.
  std::vector<search::Version> living() const {
    std::vector<search::Version> versions;
    for (const std::weak_ptr<const RowsVersion>& version : versions_)
      if (const Handle handle = version.lock()) versions.push_back(handle->number);
    return versions;
  }

  std::vector<std::weak_ptr<const RowsVersion>> versions_;  // in ascending order; some may have ended
  search::Version last_ = 0;
};

// One version of an index.
class Snapshot {
 public:
  Snapshot() = default;
  Snapshot(std::shared_ptr<SharedIndex> index, SharedIndex::Handle version)
      : index_(std::move(index)), version_(std::move(version)) {}
  Snapshot(const Snapshot&) = default;
  Snapshot& operator=(const Snapshot&) = delete;

  ~Snapshot() {
    version_.reset();
    if (index_) index_->tidy();
  }

  void swap(Snapshot& other) {
    index_.swap(other.index_);
    version_.swap(other.version_);
  }

  SharedIndex& shared() const { return *index_; }
  const RowsVersion& version() const { return *version_; }

  // Checks that the plan suits a search of this version, after putting the rows in order if it is time for that.
  void prepare(const search::Plan& plan, const double* queries, std::size_t n_queries, std::size_t threads) const {
    index_->require_cover(plan, *version_, queries, n_queries);
    index_->organise_if_due(plan, threads);
  }

  // Returns the arrays of this version's rows alone. If the index also stores other rows, or traces of removed ones, the
  // rows are copied first.
  search::Parts parts(const search::Plan* plan, std::size_t threads) const {
    if (plan != nullptr) index_->require_cover(*plan, *version_, nullptr, 0);
    const std::lock_guard change(index_->changing);
    const search::Index& index = index_->index;
    const bool is_alone = index.n_dead() == 0 && index.n_retired() == 0 && index.n_rows() == version_->n_rows;
    if (is_alone && (plan == nullptr || !index.is_due())) return index.parts();
    if (plan == nullptr) return index.with_room(nullptr, 0, {version_->number}).parts();
    return index.organised(*plan, threads, {version_->number}).parts();
  }

  // Return the version after a change. If there is a later version already, the change is made to a copy.
  Snapshot appended(const std::int64_t* ids, const double* rows, std::size_t n, std::size_t threads = 1) const {
    return changed([&](SharedIndex& index, const RowsVersion& version) {
      return index.append(version, ids, rows, n, threads);
    });
  }
  Snapshot removed(const std::int64_t* ids, std::size_t n) const {
    return changed([&](SharedIndex& index, const RowsVersion& version) { return index.remove(version, ids, n); });
  }

  // Calls work(index, number), which changes the rows by itself; see SharedIndex::change.
  template <class Work>
  Snapshot reworked(const Work& work) const {
    return changed([&](SharedIndex& index, const RowsVersion& version) {
      return index.change(version, [&](search::Version number) { work(index, number); });
    });
  }

  Snapshot branch() const { return first(index_->branch(*version_)); }

  // Opens the first version of a new index.
  static Snapshot first(std::shared_ptr<SharedIndex> index) {
    SharedIndex::Handle version = index->first_version();
    return {std::move(index), std::move(version)};
  }

 private:
  template <class Change>
  Snapshot changed(const Change& change) const {
    if (SharedIndex::Handle version = change(*index_, *version_)) return {index_, std::move(version)};
    const Snapshot own = branch();
    SharedIndex::Handle version = change(*own.index_, *own.version_);
    return {own.index_, std::move(version)};
  }

  std::shared_ptr<SharedIndex> index_;
  SharedIndex::Handle version_;
};

// An index as Python sees it: a snapshot that moves on to the next version with every change. Forks of it share the
// rows of all versions.
class View {
 public:
  View(std::vector<std::uint8_t> flags) : View(search::Index(checked(flags)), flags) {}
  View(std::vector<std::uint8_t> flags, const search::Parts& parts, std::size_t threads)
      : View(search::Index(checked(flags), parts, threads), flags) {}
  explicit View(const View& other) : snapshot_(other.now()) {}

  Snapshot now() const {
    const std::lock_guard hold(lock_);
    return snapshot_;
  }

  // Calls change(snapshot), which returns the next snapshot.
  template <class Change>
  void advance(const Change& change) {
    const std::lock_guard one_at_a_time(changing_);
    const Snapshot before = now();
    Snapshot next = change(before);
    const std::lock_guard hold(lock_);
    snapshot_.swap(next);
  }

  // In a forked child, frees the locks; returns whether another thread was changing the rows at the fork.
  bool torn_by_fork() {
    const bool is_whole = lock_.try_lock();
    new (&changing_) std::mutex;
    new (&lock_) std::mutex;
    snapshot_.shared().free_in_child();
    return !is_whole || snapshot_.shared().is_torn;
  }

 private:
  View(search::Index index, std::vector<std::uint8_t> flags)
      : snapshot_(Snapshot::first(std::make_shared<SharedIndex>(std::move(index), std::move(flags)))) {}

  static const std::vector<std::uint8_t>& checked(const std::vector<std::uint8_t>& flags) {
    if (flags.empty()) throw std::invalid_argument("an index needs at least one attribute");
    return flags;
  }

  std::mutex changing_;
  mutable std::mutex lock_;
  Snapshot snapshot_;
};

}  // namespace priorcase::bindings
