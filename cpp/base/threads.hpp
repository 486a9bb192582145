// Work shared among threads. Results do not depend on their number, and Ctrl-C stops the work.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>

namespace priorcase::base {

// Thrown when the user interrupts a long call. Nothing that others can see has changed by then.
struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

// Sets the function that the thread that called into the core polls during long calls; if it returns true, the call
// ends. Nothing is polled until a function is set.
void set_interrupt_check(bool (*interrupted)());

// Throws Interrupted if the user wants the call to end, or if another thread that shares the work has failed. It reads
// a clock and polls at most every 50 milliseconds: cheap enough for every row, but not for every cell. Only the thread
// that called into the core polls; the others learn of an interrupt through `stop`.
void check_interrupt();

// While such an object exists, its thread cannot be interrupted: for short changes that cannot be undone half-way.
class Uninterrupted {
 public:
  Uninterrupted();
  ~Uninterrupted();
  Uninterrupted(const Uninterrupted&) = delete;
};

// Runs the work on this thread and on as many others as requested, or as the system grants. All of them must return
// once `stop` is set. The first exception sets it and is rethrown when all threads have ended.
void run_on_threads(std::size_t threads, const std::function<void(const std::atomic<bool>& stop)>& work);

// Calls make() once on each thread to get a worker, and worker(start, stop) for each block of rows. There is at most
// one thread for every `least` rows (0: for every block), since starting a thread is not free. A block should take well
// under a quarter of a second, since the call responds to Ctrl-C only between blocks.
template <class Make>
void for_blocks(std::size_t rows, std::size_t block, std::size_t threads, const Make& make, std::size_t least = 0) {
  const std::size_t blocks = (rows + block - 1) / block;
  const std::size_t worth = std::max<std::size_t>(1, rows / std::max<std::size_t>(1, least == 0 ? block : least));
  std::atomic<std::size_t> next{0};
  run_on_threads(std::min({threads, blocks, worth}), [&](const std::atomic<bool>& stop) {
    auto worker = make();
    for (std::size_t b; !stop.load(std::memory_order_relaxed) && (b = next++) < blocks;) {
      check_interrupt();
      worker(b * block, std::min(rows, (b + 1) * block));
    }
  });
}

}  // namespace priorcase::base
