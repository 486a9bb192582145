#include "concepts/exemplars.hpp"

#include <stdexcept>
#include <utility>

#include "base/threads.hpp"

namespace priorcase::concepts {

namespace {

constexpr std::int64_t most_uses = std::int64_t{1} << 53;  // larger counts are not exact as doubles

double weight_of(std::int64_t used, std::int64_t correct) {
  return static_cast<double>(used) / static_cast<double>(correct);
}

}  // namespace

void Reliability::add(std::int64_t used, std::int64_t correct) {
  used_.push_back(used);
  correct_.push_back(correct);
  weights_.push_back(weight_of(used, correct));
}

void Reliability::record(std::int64_t id, bool right, std::int64_t times) {
  used_[id] += times;
  correct_[id] += right ? times : 0;
  weights_[id] = weight_of(used_[id], correct_[id]);
}

void Reliability::truncate(std::size_t n) {
  used_.resize(n);
  correct_.resize(n);
  weights_.resize(n);
}

// Logs what a call records, and undoes it unless done() has been called.
class Exemplars::Undo {
 public:
  explicit Undo(Exemplars& exemplars) : exemplars_(exemplars), size_(exemplars.size()) {}
  Undo(const Undo&) = delete;

  void record(std::int64_t id, bool right) {
    recorded_.emplace_back(id, right);
    exemplars_.reliability_.record(id, right);
  }

  void done() { done_ = true; }

  ~Undo() {
    if (done_) return;
    for (; !recorded_.empty(); recorded_.pop_back())
      exemplars_.reliability_.record(recorded_.back().first, recorded_.back().second, -1);
    exemplars_.labels_.resize(size_);
    exemplars_.reliability_.truncate(size_);
    search::Index& index = exemplars_.index_;
    for (std::int64_t id = static_cast<std::int64_t>(size_); index.has(id); ++id) index.remove(id);
  }

 private:
  Exemplars& exemplars_;
  std::size_t size_;
  bool done_ = false;
  std::vector<std::pair<std::int64_t, bool>> recorded_;
};

Exemplars::Exemplars(std::vector<double> attribute_weights)
    : index_(std::vector<std::uint8_t>(attribute_weights.size(), 1)),
      attribute_weights_(std::move(attribute_weights)) {}

bool Exemplars::takes(const search::Plan& plan, const double* rows, std::size_t count, bool queries) const {
  return index_.takes(rows, count, queries) && index_.covers(plan, rows, count);
}

void Exemplars::arrive(const search::Plan& plan, const double* rows, const std::int64_t* labels, std::size_t count,
                       bool inherit) {
  Undo undo(*this);
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 16 == 0) base::check_interrupt();
    std::int64_t used = 1, correct = 1;
    if (size() > 0) {
      const std::int64_t nearest = nearest_other(plan, rows + i * n_attributes(), -1);
      undo.record(nearest, labels_[nearest] == labels[i]);
      if (inherit) {
        used = reliability_.used()[nearest];
        correct = reliability_.correct()[nearest];
      }
    }
    keep(plan, rows + i * n_attributes(), labels[i], used, correct);
  }
  undo.done();
}

void Exemplars::store(const search::Plan& plan, const double* rows, const std::int64_t* labels,
                      const std::int64_t* used, const std::int64_t* correct, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (correct[i] < 1 || used[i] < correct[i] || used[i] > most_uses)
      throw std::invalid_argument("a record is at least 1 of 1");
  Undo undo(*this);
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 16 == 0) base::check_interrupt();
    keep(plan, rows + i * n_attributes(), labels[i], used[i], correct[i]);
  }
  undo.done();
}

void Exemplars::sweep(const search::Plan& plan, const double* rows, std::size_t first, std::size_t count) {
  if (size() < 2) return;
  Undo undo(*this);
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 16 == 0) base::check_interrupt();
    const std::int64_t own = static_cast<std::int64_t>(first + i);
    const std::int64_t nearest = nearest_other(plan, rows + i * n_attributes(), own);
    undo.record(nearest, labels_[nearest] == labels_[own]);
  }
  undo.done();
}

std::vector<std::vector<search::Found>> Exemplars::search(const search::Plan& plan, search::Request request) {
  request.weights = attribute_weights_.data();
  request.judge = &reliability_;
  return index_.search(plan, request);
}

std::int64_t Exemplars::nearest_other(const search::Plan& plan, const double* row, std::int64_t own) {
  search::Request one;
  one.queries = row;
  one.n_queries = 1;
  one.weights = attribute_weights_.data();
  one.k = 1;
  one.exclude = &own;
  one.judge = &reliability_;
  const std::vector<search::Found> found = index_.find(plan, seeker_, one);
  if (found.empty()) throw std::invalid_argument("a row has no distance from the exemplars");
  return found.front().second;
}

void Exemplars::keep(const search::Plan& plan, const double* row, std::int64_t label, std::int64_t used,
                     std::int64_t correct) {
  const std::int64_t id = static_cast<std::int64_t>(size());
  index_.append(&id, row, 1);
  labels_.push_back(label);
  reliability_.add(used, correct);
  if (index_.is_due()) index_.organise(plan);
}

}  // namespace priorcase::concepts
