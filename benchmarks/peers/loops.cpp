// Plain loops as one would write them by hand: the yardstick for counting, predicting and condensing.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace {

template <class Work>
void halves(std::size_t rows, std::size_t threads, const Work& work) {
  std::vector<std::thread> all;
  for (std::size_t t = 0; t < threads; ++t)
    all.emplace_back([&, t] { work(t, rows * t / threads, rows * (t + 1) / threads); });
  for (std::thread& one : all) one.join();
}

}  // namespace

// columns: attributes by rows; counts: attributes by classes by values.
extern "C" void count(const std::int8_t* columns, const std::int8_t* classes, std::size_t rows, std::size_t attributes,
                      std::size_t values, std::size_t n_classes, std::int64_t* counts, std::size_t threads) {
  const std::size_t size = attributes * n_classes * values;
  std::vector<std::vector<std::int64_t>> own(threads, std::vector<std::int64_t>(size));
  halves(rows, threads, [&](std::size_t t, std::size_t start, std::size_t stop) {
    for (std::size_t a = 0; a < attributes; ++a)
      for (std::size_t r = start; r < stop; ++r)
        ++own[t][(a * n_classes + static_cast<std::size_t>(classes[r])) * values + static_cast<std::size_t>(columns[a * rows + r])];
  });
  for (const auto& part : own)
    for (std::size_t i = 0; i < size; ++i) counts[i] += part[i];
}

// logs: attributes by classes by values; out: rows by classes.
extern "C" void predict(const std::int8_t* columns, std::size_t rows, std::size_t attributes, std::size_t values,
                        std::size_t n_classes, const double* prior, const double* logs, double* out, std::size_t threads) {
  halves(rows, threads, [&](std::size_t, std::size_t start, std::size_t stop) {
    for (std::size_t r = start; r < stop; ++r) {
      double* row = out + r * n_classes;
      double high = -INFINITY, sum = 0.0;
      for (std::size_t k = 0; k < n_classes; ++k) {
        row[k] = prior[k];
        for (std::size_t a = 0; a < attributes; ++a)
          row[k] += logs[(a * n_classes + k) * values + static_cast<std::size_t>(columns[a * rows + r])];
        high = row[k] > high ? row[k] : high;
      }
      for (std::size_t k = 0; k < n_classes; ++k) sum += row[k] = std::exp(row[k] - high);
      for (std::size_t k = 0; k < n_classes; ++k) row[k] /= sum;
    }
  });
}

// IB2 on columns of numbers or, where `nominal` is set, of codes; a missing value has difference 1 from any value.
// Returns the number of stored rows.
extern "C" std::size_t condense(const double* cells, const std::int8_t* classes, std::size_t rows, std::size_t width,
                                const std::int8_t* nominal, std::int64_t* stored) {
  std::size_t kept = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    const double* x = cells + r * width;
    double best = INFINITY;
    std::int8_t predicted = -1;
    for (std::size_t i = 0; i < kept; ++i) {
      const double* y = cells + stored[i] * width;
      double sum = 0.0;
      for (std::size_t a = 0; a < width; ++a) {
        const double d = x[a] - y[a];
        sum += d != d ? 1.0 : nominal[a] ? (d != 0.0 ? 1.0 : 0.0) : d * d;
      }
      if (sum < best) {
        best = sum;
        predicted = classes[stored[i]];
      }
    }
    if (predicted != classes[r]) stored[kept++] = static_cast<std::int64_t>(r);
  }
  return kept;
}
