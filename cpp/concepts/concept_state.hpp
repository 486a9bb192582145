// A concept description as bytes, and back: for pickles and copies.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "concepts/concept.hpp"

namespace priorcase::concepts {

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
  std::size_t left() const { return left_; }

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
  out.all(description.similarity.ranges.low);
  out.all(description.similarity.ranges.high);
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

// Bytes read back and checked, before anything is made of them.
struct ConceptState {
  static constexpr std::size_t whole_numbers = 5, real_numbers = 2;  // of each record

  explicit ConceptState(StateReader in)
      : cells(in.all<double>()),
        whole(in.all<std::int64_t>()),
        parts(in.all<double>()),
        low(in.all<double>()),
        high(in.all<double>()),
        sums(in.all<double>()),
        norms(in.all<double>()),
        counts(in.all<double>()),
        seen(in.number<double>()),
        recent(in.all<std::int64_t>()),
        random(in.number<std::uint64_t>()),
        arrivals(in.number<std::int64_t>()),
        n_dropped(in.number<std::int64_t>()) {
    demand(in.left() == 0, "the state is too long");
  }

  std::size_t rows() const { return parts.size() / real_numbers; }
  std::size_t width() const { return low.size(); }
  std::int64_t label(std::size_t row) const { return whole[whole_numbers * row + 1]; }

  // Refuses what no description can have come to; what is left may be wrong, but does no harm.
  void check(const Concept& description) const {
    const char* damaged = "the state is damaged";
    const std::size_t n = rows();
    demand(width() <= description.similarity.n_attributes(), "the state has more attributes than the plan");
    demand(whole.size() == whole_numbers * n && parts.size() == real_numbers * n && cells.size() == n * width(), damaged);
    demand(high.size() == width() && sums.size() == width() && norms.size() == width(), damaged);
    demand(arrivals >= 0 && n_dropped >= 0 && std::isfinite(seen), damaged);
    for (const auto* numbers : {&parts, &sums, &norms, &counts})
      for (const double number : *numbers) demand(std::isfinite(number), damaged);
    for (std::size_t a = 0; a < width(); ++a)
      demand(std::isnan(low[a]) ? std::isnan(high[a]) : low[a] <= high[a], damaged);
    for (const std::int64_t of : recent) demand(known(of), damaged);
    for (std::size_t row = 0; row < n; ++row) demand(known(label(row)), damaged);
  }

  bool known(std::int64_t of) const { return 0 <= of && of < static_cast<std::int64_t>(counts.size()); }

  void copy_row(std::size_t row, double* out) const { std::copy_n(cells.data() + row * width(), width(), out); }

  // A record but for the values of its instance.
  Record record(std::size_t row) const {
    const std::int64_t* numbers = whole.data() + whole_numbers * row;
    Record record{numbers[0], numbers[1], numbers[2], static_cast<Reason>(numbers[3])};
    record.was_acceptable = numbers[4] != 0;
    record.successes = parts[real_numbers * row];
    record.trials = parts[real_numbers * row + 1];
    return record;
  }

  const std::vector<double> cells;
  const std::vector<std::int64_t> whole;
  const std::vector<double> parts, low, high, sums, norms, counts;
  const double seen;
  const std::vector<std::int64_t> recent;
  const std::uint64_t random;
  const std::int64_t arrivals, n_dropped;
};

// Values of the first attributes; the others keep what an attribute has of which nothing is known.
inline void take_first(std::vector<double>& into, const std::vector<double>& from) {
  std::copy(from.begin(), from.end(), into.begin());
}

// The state may have fewer attributes than the plan: the others are missing in every stored instance. A state that is
// refused leaves the description empty.
inline void unpack(Concept& description, const char* bytes, std::size_t size) {
  demand(description.arrivals == 0 && description.size() == 0, "only an empty description can be restored");
  const ConceptState state{StateReader(bytes, size)};
  state.check(description);
  std::vector<double> row(description.similarity.n_attributes(), std::nan(""));
  for (std::size_t i = 0; i < state.rows(); ++i) {
    state.copy_row(i, row.data());
    demand(description.similarity.takes(row.data()), "the state is damaged");
  }
  take_first(description.similarity.ranges.low, state.low);
  take_first(description.similarity.ranges.high, state.high);
  take_first(description.relevance.sums, state.sums);
  take_first(description.relevance.norms, state.norms);
  description.classes.counts = state.counts;
  description.classes.seen = state.seen;
  description.classes.recent.assign(state.recent.begin(), state.recent.end());
  description.random.state = state.random;
  description.arrivals = state.arrivals;
  description.n_dropped = state.n_dropped;
  for (std::size_t i = 0; i < state.rows(); ++i) {
    state.copy_row(i, row.data());
    description.similarity.admit(row.data());
    description.restore(state.record(i), row.data());
  }
  description.settle();
}

}  // namespace priorcase::concepts
