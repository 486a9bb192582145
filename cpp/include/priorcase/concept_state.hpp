// A concept description as bytes, and back: for pickles and copies.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "priorcase/concept.hpp"

namespace priorcase {

inline void demand(bool holds, const char* rule) {
  if (!holds) throw std::invalid_argument(rule);
}

// The values of the stored instances, row by row.
inline std::vector<double> stored_cells(const Concept& description) {
  const std::size_t width = description.similarity.n_attributes();
  std::vector<double> cells(description.size() * width);
  double* row = cells.data();
  for (std::size_t order = 0; order < description.records.size(); ++order)
    if (description.records[order].stored) {
      description.similarity.copy_row(order, row);
      row += width;
    }
  return cells;
}

class StateWriter {
 public:
  template <class T>
  void number(T value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <class Sequence>
  void all(const Sequence& values) {
    number<std::uint64_t>(values.size());
    for (const auto& value : values) number(value);
  }
  std::string bytes;
};

class StateReader {
 public:
  StateReader(const char* data, std::size_t size) : data_(data), left_(size) {}
  template <class T>
  T number() {
    T value;
    demand(left_ >= sizeof value, "the state is too short");
    std::memcpy(&value, data_, sizeof value);
    data_ += sizeof value;
    left_ -= sizeof value;
    return value;
  }
  template <class T>
  std::vector<T> all() {
    const auto count = number<std::uint64_t>();
    demand(count <= left_ / sizeof(T), "the state is too short");
    std::vector<T> values(count);
    for (T& value : values) value = number<T>();
    return values;
  }

 private:
  const char* data_;
  std::size_t left_;
};

// Everything a description has learned, as bytes.
inline std::string pack(const Concept& description) {
  StateWriter out;
  out.all(stored_cells(description));
  std::vector<std::int64_t> whole;
  std::vector<double> parts;
  for (const Record& record : description.records) {
    if (!record.stored) continue;
    whole.insert(whole.end(), {record.name, record.label, record.arrived, static_cast<std::int64_t>(record.reason),
                               record.was_acceptable});
    parts.insert(parts.end(), {record.successes, record.trials});
  }
  out.all(whole);
  out.all(parts);
  out.all(description.similarity.low);
  out.all(description.similarity.high);
  out.all(description.relevance.sums);
  out.all(description.relevance.norms);
  out.all(description.classes.counts);
  out.number(description.classes.seen);
  out.all(description.classes.recent);
  out.number(description.random.state);
  out.number(description.arrivals);
  out.number(description.n_dropped);
  return std::move(out.bytes);
}

// Values of the first attributes, and for the others what an attribute has of which nothing is known.
inline void take_first(std::vector<double>& into, const std::vector<double>& from) {
  demand(from.size() <= into.size(), "the state has more attributes than the plan");
  std::copy(from.begin(), from.end(), into.begin());
}

// The state may have fewer attributes than the plan: the others are missing in every stored instance.
inline void unpack(Concept& description, const char* bytes, std::size_t size) {
  demand(description.arrivals == 0, "only an empty description can be restored");
  StateReader in(bytes, size);
  const auto cells = in.all<double>();
  const auto whole = in.all<std::int64_t>();
  const auto parts = in.all<double>();
  const auto low = in.all<double>(), high = in.all<double>(), sums = in.all<double>(), norms = in.all<double>();
  const std::size_t rows = parts.size() / 2, width = low.size();
  demand(whole.size() == 5 * rows && cells.size() == rows * width && high.size() == width, "the state is damaged");
  take_first(description.similarity.low, low);
  take_first(description.similarity.high, high);
  take_first(description.relevance.sums, sums);
  take_first(description.relevance.norms, norms);
  description.classes.counts = in.all<double>();
  description.classes.seen = in.number<double>();
  for (const std::int64_t label : in.all<std::int64_t>()) description.classes.recent.push_back(label);
  description.random.state = in.number<std::uint64_t>();
  description.arrivals = in.number<std::int64_t>();
  description.n_dropped = in.number<std::int64_t>();
  const auto known = [&](std::int64_t label) {
    return label >= 0 && label < static_cast<std::int64_t>(description.classes.counts.size());
  };
  for (const std::int64_t label : description.classes.recent) demand(known(label), "the state is damaged");
  std::vector<double> row(description.similarity.n_attributes(), std::nan(""));
  for (std::size_t i = 0; i < rows; ++i) {
    const std::int64_t* numbers = whole.data() + 5 * i;
    demand(known(numbers[1]), "the state is damaged");
    Record record{numbers[0], numbers[1], numbers[2], static_cast<Reason>(numbers[3])};
    record.was_acceptable = numbers[4] != 0;
    record.successes = parts[2 * i];
    record.trials = parts[2 * i + 1];
    std::copy_n(cells.data() + i * width, width, row.data());
    description.restore(record, row.data());
  }
  description.settle();
}

}  // namespace priorcase
