// A lock that many readers share, and that one writer holds alone.
#pragma once

#include <mutex>
#include <new>
#include <shared_mutex>

namespace priorcase::base {

// A waiting writer goes before readers that come later, so readers that come and go all the time do not keep it
// waiting. Hold it briefly, and never ask for it twice on one thread: the second request may wait for a writer that
// waits for the first.
class Gate {
 public:
  void lock() {
    const std::lock_guard<std::mutex> turn(turn_);
    mutex_.lock();
  }
  void unlock() { mutex_.unlock(); }
  bool try_lock() { return mutex_.try_lock(); }

  void lock_shared() {
    const std::lock_guard<std::mutex> turn(turn_);
    mutex_.lock_shared();
  }
  void unlock_shared() { mutex_.unlock_shared(); }
  bool try_lock_shared() { return mutex_.try_lock_shared(); }

  // In a forked child, opens the gate of threads that do not exist there. Returns whether one of them was writing.
  bool open_in_child() {
    const bool is_free = mutex_.try_lock();
    if (is_free) mutex_.unlock();
    const bool is_torn = !is_free && !mutex_.try_lock_shared();
    new (this) Gate;
    return is_torn;
  }

 private:
  std::mutex turn_;
  std::shared_mutex mutex_;
};

// Hold a gate as a reader or as the writer; without a gate, there is only one thread and nothing to hold.
inline std::shared_lock<Gate> reading(Gate* gate) {
  return gate == nullptr ? std::shared_lock<Gate>() : std::shared_lock<Gate>(*gate);
}
inline std::unique_lock<Gate> writing(Gate* gate) {
  return gate == nullptr ? std::unique_lock<Gate>() : std::unique_lock<Gate>(*gate);
}

}  // namespace priorcase::base
