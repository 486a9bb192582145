// Columns of numbers, in the layout that loops.hpp requires.
#pragma once

#include <cstddef>

#include "base/memory.hpp"
#include "base/threads.hpp"
#include "local/loops.hpp"

namespace priorcase::local {

// Contiguous columns of equal length, each starting on a cache line. The length is rounded up to a multiple of `lanes`.
class Columns {
 public:
  void reshape(std::size_t rows, std::size_t count) {
    length_ = (rows + lanes - 1) / lanes * lanes;
    count_ = count;
    if (numbers_.size() < length_ * count) numbers_.resize(length_ * count);
  }

  std::size_t length() const { return length_; }
  std::size_t count() const { return count_; }
  void keep(std::size_t count) { count_ = count; }
  double* operator[](std::size_t j) { return numbers_.data() + j * length_; }
  const double* operator[](std::size_t j) const { return numbers_.data() + j * length_; }

 private:
  base::Cells numbers_;
  std::size_t length_ = 0, count_ = 0;
};

// Checks for Ctrl-C before a pass over `cells` cells, but only if the pass takes much longer than the check.
inline void check_interrupt(std::size_t cells) {
  if (cells >= 8192) base::check_interrupt();
}

}  // namespace priorcase::local
