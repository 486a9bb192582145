// Compiled once for each instruction set: PRIORCASE_PATH is its name, and its registers hold PRIORCASE_WIDTH numbers.
#include "local/loops.hpp"

namespace priorcase::local::PRIORCASE_PATH {

namespace {

constexpr std::size_t Width = PRIORCASE_WIDTH;

typedef double Register __attribute__((vector_size(Width * sizeof(double)), may_alias));
constexpr std::size_t registers = lanes / Width;

PRIORCASE_INLINE const Register& at(const double* x) { return *reinterpret_cast<const Register*>(x); }
PRIORCASE_INLINE Register& at(double* x) { return *reinterpret_cast<Register*>(x); }

PRIORCASE_INLINE double total(const Register* sums) {
  double x[lanes];
  for (std::size_t i = 0; i < lanes; ++i) x[i] = sums[i / Width][i % Width];
  return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

double sum(const double* x, std::size_t n) {
  Register sums[registers] = {};
  for (std::size_t i = 0; i < n; i += lanes)
    for (std::size_t r = 0; r < registers; ++r) sums[r] += at(x + i + r * Width);
  return total(sums);
}

// Inner products of x and each of Count contiguous columns.
template <std::size_t Count>
PRIORCASE_INLINE void some_dots(const double* x, const double* first, std::size_t n, double* out) {
  Register sums[Count][registers] = {};
  for (std::size_t i = 0; i < n; i += lanes)
    for (std::size_t r = 0; r < registers; ++r) {
      const Register factor = at(x + i + r * Width);
      for (std::size_t c = 0; c < Count; ++c) sums[c][r] += factor * at(first + c * n + i + r * Width);
    }
  for (std::size_t c = 0; c < Count; ++c) out[c] = total(sums[c]);
}

void dots(const double* x, const double* first, std::size_t count, std::size_t n, double* out) {
  constexpr std::size_t at_once = Width == 2 ? 2 : 4;  // limited by the number of registers
  std::size_t c = 0;
  for (; c + at_once <= count; c += at_once) some_dots<at_once>(x, first + c * n, n, out + c);
  for (; c < count; ++c) some_dots<1>(x, first + c * n, n, out + c);
}

// Subtracts the weighted mean; returns the weighted sum of squares of the deviations.
double centre(const double* weights, double weight, double* x, std::size_t n, double& mean) {
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
void add_multiple(double a, const double* x, double* y, std::size_t n) {
  for (std::size_t i = 0; i < n; i += Width) at(y + i) += a * at(x + i);
}

// out = x y
void multiply(const double* x, const double* y, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; i += Width) at(out + i) = at(x + i) * at(y + i);
}

// Rotates each pair (x[i], y[i]).
void rotate(double* x, double* y, std::size_t n, double cosine, double sine) {
  for (std::size_t i = 0; i < n; i += Width) {
    const Register one = at(x + i), other = at(y + i);
    at(x + i) = cosine * one - sine * other;
    at(y + i) = sine * one + cosine * other;
  }
}

// x = a x
void scale(double a, double* x, std::size_t n) {
  for (std::size_t i = 0; i < n; i += Width) at(x + i) *= a;
}

}  // namespace

const ColumnSums column_sums{sum, dots, centre, add_multiple, multiply, scale, rotate};

}  // namespace priorcase::local::PRIORCASE_PATH
