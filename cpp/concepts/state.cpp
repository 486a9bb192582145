#include "concepts/state.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/threads.hpp"

namespace priorcase::concepts {

namespace {

void demand(bool holds, const char* rule) {
  if (!holds) throw std::invalid_argument(rule);
}

// Returns the values of the stored instances, row by row.
std::vector<double> stored_cells(const Concept& description) {
  const std::size_t width = description.similarity.n_attributes();
  std::vector<double> cells(description.size() * width);
  double* row = cells.data();
  for (std::size_t order = 0; order < description.records.size(); ++order) {
    if (order % 1024 == 0) base::check_interrupt();
    if (!description.records[order].stored) continue;
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
  template <class T>
  void all(const std::vector<T>& values) {
    number<std::uint64_t>(values.size());
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  }
  std::string bytes;
};

class StateReader {
 public:
  StateReader(const char* data, std::size_t size) : data_(data), left_(size) {}
  template <class T>
  T number() {
    T value;
    take(&value, sizeof value);
    return value;
  }
  template <class T>
  std::vector<T> all() {
    const auto count = number<std::uint64_t>();
    demand(count <= left_ / sizeof(T), too_short);
    std::vector<T> values(count);
    take(values.data(), count * sizeof(T));
    return values;
  }
  std::size_t left() const { return left_; }

 private:
  static constexpr const char* too_short = "the state is too short";

  void take(void* out, std::size_t size) {
    demand(size <= left_, too_short);
    if (size > 0) std::memcpy(out, data_, size);
    data_ += size;
    left_ -= size;
  }

  const char* data_;
  std::size_t left_;
};

// A state read from bytes, to be checked before a description is made from it.
struct State {
  static constexpr std::size_t whole_numbers = 5, real_numbers = 2;  // of each record
  static constexpr std::int64_t most = std::int64_t{1} << 62;        // limit for counts of instances

  explicit State(StateReader in)
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

  // Rejects states that no description can have. A state that passes may still be wrong, but does no harm.
  void check(const Similarity& similarity) const {
    const char* damaged = "the state is damaged";
    const std::size_t n = rows();
    demand(width() <= similarity.n_attributes(), "the state has more attributes than the plan");
    demand(whole.size() == whole_numbers * n && parts.size() == real_numbers * n, damaged);
    demand(cells.size() == n * width(), damaged);
    demand(high.size() == width() && sums.size() == width() && norms.size() == width(), damaged);
    demand(0 <= arrivals && arrivals < most && 0 <= n_dropped && n_dropped < most, damaged);
    demand(std::isfinite(seen) && seen >= 0.0, damaged);
    for (const auto* numbers : {&parts, &norms, &counts})
      for (const double number : *numbers) demand(std::isfinite(number) && number >= 0.0, damaged);
    for (const double number : sums) demand(std::isfinite(number), damaged);
    for (std::size_t a = 0; a < width(); ++a) {
      const bool unknown = std::isnan(low[a]) && std::isnan(high[a]);
      demand(unknown || (std::isfinite(low[a]) && std::isfinite(high[a]) && low[a] <= high[a]), damaged);
    }
    for (const std::int64_t label : recent) demand(known(label), damaged);
    for (std::size_t row = 0; row < n; ++row) {
      const std::int64_t* numbers = whole.data() + whole_numbers * row;
      demand(known(numbers[1]) && -most < numbers[2] && numbers[2] < most, damaged);
      demand(0 <= numbers[3] && numbers[3] <= static_cast<std::int64_t>(Reason::misclassified), damaged);
    }
    std::vector<double> cells_of_row(similarity.n_attributes(), std::nan(""));
    for (std::size_t row = 0; row < n; ++row) {
      if (row % 1024 == 0) base::check_interrupt();
      copy_row(row, cells_of_row.data());
      demand(similarity.takes(cells_of_row.data(), 1), damaged);
    }
  }

  bool known(std::int64_t label) const { return 0 <= label && label < static_cast<std::int64_t>(counts.size()); }

  void copy_row(std::size_t row, double* out) const { std::copy_n(cells.data() + row * width(), width(), out); }

  // Returns a record, without the values of its instance.
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

// Copies the values of the first attributes. The others keep their initial values: nothing is known about them.
void take_first(std::vector<double>& into, const std::vector<double>& from) {
  std::copy(from.begin(), from.end(), into.begin());
}

// Learning in batches ---------------------------------------------------------------------------------------------

using Clock = std::chrono::steady_clock;

constexpr double long_time = 0.1;              // seconds after which a user may want to interrupt
constexpr std::size_t rows_at_once = 1024;     // rows after which threads synchronize and progress is reported
constexpr std::size_t rows_for_a_thread = 64;  // for one description: fewer take less time than starting a thread

// Returns an estimate of the seconds that a batch takes, too many rather than too few.
double expected_seconds(const Description& description, std::size_t rows) {
  const double n = static_cast<double>(rows), stored = static_cast<double>(description.core->size());
  if (description.pace > 0.0) return n * description.pace * (stored + n) / (stored + 1.0);
  return n * (stored + n) * static_cast<double>(description.core->similarity.n_attributes()) * 1e-9;
}

// Returns whether a batch may take so long that the earlier state is kept: without it, the batch cannot be interrupted.
bool may_take_long(const std::vector<Description*>& descriptions, std::size_t rows) {
  if (rows < 2) return false;
  double seconds = 0.0;
  for (const Description* description : descriptions) {
    if (description->core->size() > rows) seconds += expected_seconds(*description, rows);
    else seconds += long_time;  // keeping the state costs little compared with the batch
  }
  return seconds >= long_time;
}

void note_pace(const std::vector<Description*>& descriptions, std::size_t rows, Clock::time_point begin) {
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  const double times = static_cast<double>(rows) * static_cast<double>(descriptions.size());
  for (Description* description : descriptions) description->pace = seconds / times;
}

void learn_part(Concept& description, const Batch& batch, const std::int64_t* labels, std::size_t first,
                std::size_t last, Learned& learned) {
  const std::size_t width = description.similarity.n_attributes();
  for (std::size_t i = first; i < last; ++i) {
    if (i % 16 == 0) base::check_interrupt();
    const Change change = description.learn(batch.names[i], batch.cells + i * width, labels[i], learned.gone);
    if (!batch.trace) continue;
    const auto [now, fresh] = description.review();
    learned.correct.push_back(static_cast<std::int8_t>(change.correct));
    learned.stored.push_back(static_cast<std::int64_t>(description.size()));
    learned.acceptable.push_back(now);
    learned.accepted.push_back(fresh);
    learned.dropped.push_back(change.dropped);
  }
}

std::vector<Learned> learn_all(const std::vector<Description*>& descriptions, const Batch& batch,
                               const std::vector<const std::int64_t*>& labels, std::size_t threads,
                               const Progress& progress) {
  std::vector<Learned> learned(descriptions.size());
  for (std::size_t first = 0; first < batch.rows; first += rows_at_once) {
    const std::size_t last = std::min(first + rows_at_once, batch.rows);
    const auto learn_one = [&](std::size_t d, std::size_t) {
      learn_part(*descriptions[d]->core, batch, labels[d], first, last, learned[d]);
    };
    if (last - first >= rows_for_a_thread)
      base::for_blocks(descriptions.size(), 1, threads, [&] { return learn_one; });
    else
      for (std::size_t d = 0; d < descriptions.size(); ++d) learn_one(d, d + 1);
    if (progress) progress(last);
  }
  return learned;
}

void mark(const std::vector<Description*>& descriptions, bool incomplete) {
  for (Description* description : descriptions) description->incomplete = incomplete;
}

// Returns the numbers of the stored instances with the given names, ascending.
std::vector<std::size_t> orders_of(const Concept& description, const std::int64_t* names, std::size_t n) {
  std::vector<std::pair<std::int64_t, std::size_t>> stored;
  for (std::size_t order = 0; order < description.records.size(); ++order)
    if (description.records[order].stored) stored.emplace_back(description.records[order].name, order);
  std::sort(stored.begin(), stored.end());
  std::vector<std::size_t> orders;
  for (std::size_t i = 0; i < n; ++i) {
    if (i % 1024 == 0) base::check_interrupt();
    const auto at = std::lower_bound(stored.begin(), stored.end(), std::pair{names[i], std::size_t{0}});
    demand(at != stored.end() && at->first == names[i], "no such name is stored");
    orders.push_back(at->second);
  }
  std::sort(orders.begin(), orders.end());
  demand(std::adjacent_find(orders.begin(), orders.end()) == orders.end(), "a name is given twice");
  return orders;
}

}  // namespace

std::string pack(const Concept& description) {
  StateWriter out;
  out.all(stored_cells(description));
  std::vector<std::int64_t> whole;
  std::vector<double> parts;
  whole.reserve(State::whole_numbers * description.size());
  parts.reserve(State::real_numbers * description.size());
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
  out.all(std::vector<std::int64_t>(description.classes.recent.begin(), description.classes.recent.end()));
  out.number(description.random.state);
  out.number(description.arrivals);
  out.number(description.n_dropped);
  return std::move(out.bytes);
}

std::unique_ptr<Concept> unpack(const Concept& other, const char* bytes, std::size_t size) {
  const State state{StateReader(bytes, size)};
  const Similarity& similarity = other.similarity;
  state.check(similarity);
  auto made = std::make_unique<Concept>(similarity.plan(), similarity.coded(), similarity.ranges.ranged, other.rules,
                                        state.random);
  take_first(made->similarity.ranges.low, state.low);
  take_first(made->similarity.ranges.high, state.high);
  take_first(made->relevance.sums, state.sums);
  take_first(made->relevance.norms, state.norms);
  made->classes.counts = state.counts;
  made->classes.seen = state.seen;
  made->classes.recent.assign(state.recent.begin(), state.recent.end());
  made->arrivals = state.arrivals;
  made->n_dropped = state.n_dropped;
  std::vector<double> row(similarity.n_attributes(), std::nan(""));
  for (std::size_t i = 0; i < state.rows(); ++i) {
    if (i % 1024 == 0) base::check_interrupt();
    state.copy_row(i, row.data());
    made->similarity.admit(row.data());
    made->restore(state.record(i), row.data());
  }
  made->settle();
  if (made->similarity.is_due()) made->similarity.organise();
  return made;
}

std::vector<Learned> learn(const std::vector<Description*>& descriptions, const Batch& batch,
                           const std::vector<const std::int64_t*>& labels, std::size_t threads,
                           const Progress& progress) {
  const bool keeps = may_take_long(descriptions, batch.rows);
  std::vector<std::string> before;
  for (std::size_t d = 0; keeps && d < descriptions.size(); ++d) before.push_back(pack(*descriptions[d]->core));
  mark(descriptions, true);
  try {
    std::optional<base::Uninterrupted> whole;
    if (!keeps) whole.emplace();
    const auto begin = batch.rows > 1 ? Clock::now() : Clock::time_point();
    std::vector<Learned> learned = learn_all(descriptions, batch, labels, threads, keeps ? progress : nullptr);
    if (batch.rows > 1) note_pace(descriptions, batch.rows, begin);
    mark(descriptions, false);
    return learned;
  } catch (...) {
    const base::Uninterrupted whole;
    for (std::size_t d = 0; d < before.size(); ++d) {
      descriptions[d]->core = unpack(*descriptions[d]->core, before[d].data(), before[d].size());
      descriptions[d]->incomplete = false;
    }
    throw;
  }
}

void forget(const std::vector<Description*>& descriptions, const std::int64_t* names, std::size_t n) {
  std::vector<std::vector<std::size_t>> orders;
  for (const Description* description : descriptions) orders.push_back(orders_of(*description->core, names, n));
  const base::Uninterrupted whole;
  mark(descriptions, true);
  for (std::size_t d = 0; d < descriptions.size(); ++d) descriptions[d]->core->forget(orders[d]);
  mark(descriptions, false);
}

}  // namespace priorcase::concepts
