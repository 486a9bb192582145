// Sums of products along columns of numbers, in eight lanes that are added up at the end: the order is part of the
// definition, so that a wider CPU takes more lanes at once and gives the same bits.
#pragma once

#include <cstddef>
#include <cstring>

#include "priorcase/aligned.hpp"

namespace priorcase {

inline constexpr std::size_t lanes = 8;

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
  Cells numbers_;
  std::size_t length_ = 0, count_ = 0;
};

#define PRIORCASE_INLINE inline __attribute__((always_inline))

// The loops over columns for registers of Width numbers. Lengths are whole lanes.
template <std::size_t Width>
struct ColumnLoops {
  typedef double Register __attribute__((vector_size(Width * sizeof(double)), may_alias));
  static constexpr std::size_t registers = lanes / Width;

  static PRIORCASE_INLINE const Register& at(const double* x) { return *reinterpret_cast<const Register*>(x); }
  static PRIORCASE_INLINE Register& at(double* x) { return *reinterpret_cast<Register*>(x); }

  static PRIORCASE_INLINE double total(const Register* sums) {
    double x[lanes];
    std::memcpy(x, sums, sizeof x);
    return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
  }

  static PRIORCASE_INLINE double sum(const double* x, std::size_t n) {
    Register sums[registers] = {};
    for (std::size_t i = 0; i < n; i += lanes)
      for (std::size_t r = 0; r < registers; ++r) sums[r] += at(x + i + r * Width);
    return total(sums);
  }

  // Sums of x times each of Count columns.
  template <std::size_t Count>
  static PRIORCASE_INLINE void some_dots(const double* x, const double* first, std::size_t n, double* out) {
    Register sums[Count][registers] = {};
    for (std::size_t i = 0; i < n; i += lanes)
      for (std::size_t r = 0; r < registers; ++r) {
        const Register factor = at(x + i + r * Width);
        for (std::size_t c = 0; c < Count; ++c) sums[c][r] += factor * at(first + c * n + i + r * Width);
      }
    for (std::size_t c = 0; c < Count; ++c) out[c] = total(sums[c]);
  }

  static PRIORCASE_INLINE void dots(const double* x, const double* first, std::size_t count, std::size_t n,
                                    double* out) {
    constexpr std::size_t at_once = Width == 2 ? 2 : 4;  // as many as there are registers for
    std::size_t c = 0;
    for (; c + at_once <= count; c += at_once) some_dots<at_once>(x, first + c * n, n, out + c);
    for (; c < count; ++c) some_dots<1>(x, first + c * n, n, out + c);
  }

  // Takes the weighted mean off; returns the weighted sum of squares of what is left.
  static PRIORCASE_INLINE double centre(const double* weights, double weight, double* x, std::size_t n, double& mean) {
    some_dots<1>(weights, x, n, &mean);
    mean /= weight;
    Register sums[registers] = {};
    for (std::size_t i = 0; i < n; i += lanes)
      for (std::size_t r = 0; r < registers; ++r) {
        const std::size_t from = i + r * Width;
        const Register rest = at(x + from) -= mean;
        sums[r] += at(weights + from) * rest * rest;
      }
    return total(sums);
  }

  // y += a x
  static PRIORCASE_INLINE void add_multiple(double a, const double* x, double* y, std::size_t n) {
    for (std::size_t i = 0; i < n; i += Width) at(y + i) += a * at(x + i);
  }

  // out = x y
  static PRIORCASE_INLINE void multiply(const double* x, const double* y, double* out, std::size_t n) {
    for (std::size_t i = 0; i < n; i += Width) at(out + i) = at(x + i) * at(y + i);
  }

  // Turns x and y against each other.
  static PRIORCASE_INLINE void rotate(double* x, double* y, std::size_t n, double cosine, double sine) {
    for (std::size_t i = 0; i < n; i += Width) {
      const Register one = at(x + i), other = at(y + i);
      at(x + i) = cosine * one - sine * other;
      at(y + i) = sine * one + cosine * other;
    }
  }

  // x = a x
  static PRIORCASE_INLINE void scale(double a, double* x, std::size_t n) {
    for (std::size_t i = 0; i < n; i += Width) at(x + i) *= a;
  }
};

}  // namespace priorcase
