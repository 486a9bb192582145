// Class-conditional counts: how many rows of each class hold each value of each attribute.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "bayes/slots.hpp"
#include "base/threads.hpp"

namespace priorcase::bayes {

struct CountedColumn {
  Column column;
  std::vector<double> cuts;
  bool cut = false;
  std::size_t start = 0;    // its first cell
  std::size_t n_slots = 0;  // its cells
};

class Counter {
 public:
  Counter(std::vector<CountedColumn> columns, Column classes, std::size_t n_classes)
      : columns_(std::move(columns)), classes_(classes), n_classes_(n_classes) {}

  // Adds sign times the counts of the rows to totals, cells by classes.
  void add(std::size_t rows, std::int64_t sign, std::int64_t* totals, std::size_t threads) const {
    if (rows < few_rows) return add_few(rows, sign, totals);
    std::mutex lock;
    const std::size_t blocks = (rows + block_rows - 1) / block_rows;
    // Each thread has counts of its own: no more threads than those make up for.
    std::size_t cells = 0;
    for (const CountedColumn& counted : columns_) cells += counted.n_slots * n_classes_;
    threads = std::clamp<std::size_t>(rows * columns_.size() / (cells_worth * std::max<std::size_t>(cells, 1)), 1, threads);
    std::atomic<std::size_t> next{0};
    base::run_on_threads(std::min(threads, blocks), [&](const std::atomic<bool>&) {
      Histogram own(*this);
      for (std::size_t b; (b = next++) < blocks;) own.add(b * block_rows, std::min(rows, (b + 1) * block_rows));
      const std::lock_guard<std::mutex> hold(lock);
      own.pour(sign, totals);
    });
  }

 private:
  static constexpr std::size_t block_rows = 4096;
  static constexpr std::size_t few_rows = 64;
  static constexpr std::size_t cells_worth = 8;  // values to count for each cell that a thread sets up
  static constexpr std::size_t most_copies = 4;
  static constexpr std::size_t small_table = 4096;  // a table above it is kept once

  void add_few(std::size_t rows, std::int64_t sign, std::int64_t* totals) const {
    std::int32_t slots[few_rows], classes[few_rows];
    read_slots(classes_, nullptr, 0, rows, static_cast<std::int32_t>(n_classes_) + first_slot, classes);
    for (const CountedColumn& counted : columns_) {
      read_slots(counted.column, counted.cut ? &counted.cuts : nullptr, 0, rows,
                 static_cast<std::int32_t>(counted.n_slots), slots);
      for (std::size_t r = 0; r < rows; ++r)
        if (classes[r] >= first_slot)
          totals[(counted.start + static_cast<std::size_t>(slots[r])) * n_classes_ +
                 static_cast<std::size_t>(classes[r] - first_slot)] += sign;
    }
  }

  // One thread's counts. Rows next to each other go to different copies of a small table: adding to one cell twice in
  // a row would wait for the first addition to reach memory.
  class Histogram {
   public:
    explicit Histogram(const Counter& counter) : counter_(counter), slots_(block_rows), classes_(block_rows) {
      std::size_t size = 0;
      for (const CountedColumn& counted : counter.columns_) {
        // One class more than there are takes the rows whose class is missing.
        const std::size_t table = counted.n_slots * (counter.n_classes_ + 1);
        places_.push_back({size, table, table <= small_table ? most_copies : 1});
        size += table * places_.back().copies;
      }
      counts_.resize(size);
    }

    void add(std::size_t start, std::size_t stop) {
      const std::size_t rows = stop - start, width = counter_.n_classes_ + 1;
      read_slots(counter_.classes_, nullptr, start, stop, static_cast<std::int32_t>(width - 1) + first_slot,
                 classes_.data());
      for (std::size_t r = 0; r < rows; ++r)
        classes_[r] = classes_[r] >= first_slot ? classes_[r] - first_slot : static_cast<std::int32_t>(width - 1);
      for (std::size_t c = 0; c < counter_.columns_.size(); ++c) {
        const CountedColumn& counted = counter_.columns_[c];
        read_slots(counted.column, counted.cut ? &counted.cuts : nullptr, start, stop,
                   static_cast<std::int32_t>(counted.n_slots), slots_.data());
        count(places_[c], rows, width);
      }
    }

    void pour(std::int64_t sign, std::int64_t* totals) const {
      const std::size_t n_classes = counter_.n_classes_;
      for (std::size_t c = 0; c < places_.size(); ++c) {
        const Place& place = places_[c];
        std::int64_t* into = totals + counter_.columns_[c].start * n_classes;
        for (std::size_t copy = 0; copy < place.copies; ++copy)
          for (std::size_t slot = 0; slot < counter_.columns_[c].n_slots; ++slot)
            for (std::size_t k = 0; k < n_classes; ++k)
              into[slot * n_classes + k] +=
                  sign * static_cast<std::int64_t>(counts_[place.at + copy * place.size + slot * (n_classes + 1) + k]);
      }
    }

   private:
    struct Place {
      std::size_t at, size, copies;
    };

    void count(const Place& place, std::size_t rows, std::size_t width) {
      std::uint32_t* table = counts_.data() + place.at;
      const auto cell = [&](std::size_t r) {
        return static_cast<std::size_t>(slots_[r]) * width + static_cast<std::size_t>(classes_[r]);
      };
      std::size_t r = 0;
      if (place.copies == most_copies)
        for (; r + most_copies <= rows; r += most_copies) {
          ++table[cell(r)];
          ++table[place.size + cell(r + 1)];
          ++table[2 * place.size + cell(r + 2)];
          ++table[3 * place.size + cell(r + 3)];
        }
      for (; r < rows; ++r) ++table[cell(r)];
    }

    const Counter& counter_;
    std::vector<std::int32_t> slots_, classes_;
    std::vector<Place> places_;
    std::vector<std::uint32_t> counts_;
  };

  std::vector<CountedColumn> columns_;
  Column classes_;
  std::size_t n_classes_;
};

}  // namespace priorcase::bayes
