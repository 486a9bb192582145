// Sums of products along columns of numbers, in eight lanes that are added up at the end: the order is part of the
// definition, so that a wider CPU takes more lanes at once and gives the same bits.
#pragma once

#include <cstddef>
#include <vector>

#include "priorcase/aligned.hpp"

namespace priorcase {

inline constexpr std::size_t lanes = 8;

// Columns are as long as this many rows need; what lies beyond the rows is 0.
inline std::size_t whole_lanes(std::size_t rows) { return (rows + lanes - 1) / lanes * lanes; }

// One number in each lane, as compilers with vectors of any width understand it.
typedef double Lanes __attribute__((vector_size(lanes * sizeof(double))));

inline double add_lanes(const Lanes& x) {
  return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

inline const Lanes& lanes_at(const double* x) { return *reinterpret_cast<const Lanes*>(x); }
inline Lanes& lanes_at(double* x) { return *reinterpret_cast<Lanes*>(x); }

inline double sum(const double* x, std::size_t n) {
  Lanes total{};
  for (std::size_t i = 0; i < n; i += lanes) total += lanes_at(x + i);
  return add_lanes(total);
}

inline double dot(const double* x, const double* y, std::size_t n) {
  Lanes total{};
  for (std::size_t i = 0; i < n; i += lanes) total += lanes_at(x + i) * lanes_at(y + i);
  return add_lanes(total);
}

// y += a x
inline void add_multiple(double a, const double* x, double* y, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) y[i] += a * x[i];
}

// y = x1 * x2
inline void multiply(const double* x1, const double* x2, double* y, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) y[i] = x1[i] * x2[i];
}

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
  Cells numbers_;
  std::size_t length_ = 0, count_ = 0;
};

}  // namespace priorcase
