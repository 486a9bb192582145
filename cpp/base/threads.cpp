#include "base/threads.hpp"

#include <chrono>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace priorcase::base {

namespace {

std::atomic<bool (*)()> check{nullptr};

thread_local bool is_worker = false;  // a thread started here, which does not check for interrupts
thread_local const std::atomic<bool>* stopped = nullptr;  // the stop flag of the work that this thread shares
thread_local int uninterrupted = 0;  // number of Uninterrupted objects alive on this thread
thread_local std::chrono::steady_clock::time_point last_check{};

}  // namespace

void set_interrupt_check(bool (*interrupted)()) { check.store(interrupted); }

void check_interrupt() {
  if (uninterrupted > 0) return;
  if (stopped != nullptr && stopped->load(std::memory_order_relaxed)) throw Interrupted();
  if (is_worker) return;
  bool (*const interrupted)() = check.load(std::memory_order_relaxed);
  if (interrupted == nullptr) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_check < std::chrono::milliseconds(50)) return;
  last_check = now;
  if (interrupted()) throw Interrupted();
}

Uninterrupted::Uninterrupted() { ++uninterrupted; }
Uninterrupted::~Uninterrupted() { --uninterrupted; }

void run_on_threads(std::size_t threads, const std::function<void(const std::atomic<bool>& stop)>& work) {
  std::atomic<bool> stop{false};
  if (threads <= 1) return work(stop);
  std::exception_ptr failure;
  std::mutex lock;
  const auto guarded = [&] {
    const std::atomic<bool>* const before = std::exchange(stopped, &stop);
    try {
      work(stop);
    } catch (...) {
      const std::lock_guard<std::mutex> hold(lock);
      if (!failure) failure = std::current_exception();
      stop.store(true);
    }
    stopped = before;
  };
  std::vector<std::thread> others;
  try {
    others.reserve(threads - 1);
    while (others.size() + 1 < threads)
      others.emplace_back([&] {
        is_worker = true;
        guarded();
      });
  } catch (...) {
    // No more threads or memory available: fewer threads share the work. Results do not depend on their number.
  }
  guarded();
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace priorcase::base
