// Work shared out among threads: answers do not depend on their number, and Ctrl-C ends it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>

namespace priorcase::base {

// Thrown where the user interrupts a long call: nothing that others see has changed.
struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

// Asked now and then by the thread that called into the core; true ends the call. None is asked until one is set.
void set_interrupt_check(bool (*interrupted)());

// Throws Interrupted where the user wants the call to end, or where another thread that shares the work has failed. It
// looks at a clock, and asks every 50 milliseconds: cheap enough for every row, not for every cell. Only the thread
// that called into the core asks; the others learn of it by `stop`.
void check_interrupt();

// While one lives, its thread is not interrupted: for short changes that could not be undone half-way.
class Uninterrupted {
 public:
  Uninterrupted();
  ~Uninterrupted();
  Uninterrupted(const Uninterrupted&) = delete;
};

// Runs the work on this thread and on as many others as asked for, or as the system grants; all of them are to return
// once `stop` is set. The first exception sets it, and is thrown again when all threads have ended.
void run_on_threads(std::size_t threads, const std::function<void(const std::atomic<bool>& stop)>& work);

// Calls make() once on each thread for a worker, and worker(start, stop) for each block of rows. A thread is started
// for every `least` rows only: starting one takes as long as some work. A block is to take well under a quarter of a
// second, since the call answers Ctrl-C between two blocks.
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
