// Columns of numbers, and sums along them.
#pragma once

#include <cstddef>

#include "base/memory.hpp"
#include "local/loops.hpp"

namespace priorcase::local {

// Columns are as long as this many rows need.
inline std::size_t whole_lanes(std::size_t rows) { return (rows + lanes - 1) / lanes * lanes; }

// Columns of one length, one after the other, each starting on a cache line.
class Columns {
 public:
  void reshape(std::size_t rows, std::size_t count) {
    length_ = whole_lanes(rows);
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

inline double sum(const double* x, std::size_t n) { return column_sums().sum(x, n); }
inline double dot(const double* x, const double* y, std::size_t n) { return column_sums().dot(x, y, n); }

inline void add_multiple(double a, const double* x, double* y, std::size_t n) {
  column_sums().add_multiple(a, x, y, n);
}

inline void multiply(const double* x, const double* y, double* out, std::size_t n) {
  column_sums().multiply(x, y, out, n);
}

}  // namespace priorcase::local
