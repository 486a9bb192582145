// Work shared out among threads, such that the answers do not depend on their number.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace priorcase {

// Runs the work on this thread and on as many others as asked for, or as the system grants.
template <class Work>
void run_on_threads(std::size_t threads, const Work& work) {
  if (threads <= 1) return work();
  std::exception_ptr failure;
  std::mutex lock;
  const auto guarded = [&] {
    try {
      work();
    } catch (...) {
      const std::lock_guard<std::mutex> hold(lock);
      failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  others.reserve(threads - 1);
  try {
    while (others.size() + 1 < threads) others.emplace_back(guarded);
  } catch (...) {
    // No thread or no memory for one more: fewer share the same work, and the answers do not depend on their number.
  }
  guarded();
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}

// Calls make() once on each thread for a worker, and worker(start, stop) for each block of rows.
template <class Make>
void for_blocks(std::size_t rows, std::size_t block, std::size_t threads, const Make& make) {
  const std::size_t blocks = (rows + block - 1) / block;
  std::atomic<std::size_t> next{0};
  run_on_threads(std::min(threads, blocks), [&] {
    auto worker = make();
    for (std::size_t b; (b = next++) < blocks;) worker(b * block, std::min(rows, (b + 1) * block));
  });
}

}  // namespace priorcase
