#include "search/sketch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/threads.hpp"

namespace priorcase::search {

namespace {

// Codes of rows are whole steps from 0 to 127; those of queries are half steps from -128 to 127, counted from the
// middle.
constexpr double middle_code = 64.0, last_code = 127.0;

constexpr std::size_t least_attributes = 16, most_attributes = 1 << 14;
constexpr std::size_t sample_rows = 1 << 12;
constexpr double most_deviations = 6.0;  // half the grid's width; rows farther out have a large residual

// Distances are sums of rounded numbers: a row is ruled out only if its bound exceeds the limit by more than the
// rounding error.
constexpr double slack = 1.0 + 1e-9, least_slack = 1e-6;

double scale_of(const Linear& linear) { return linear.widen ? linear.high - linear.low : linear.scale; }

}  // namespace

bool Sketch::suits(const Plan& plan, const Store& store) {
  if (plan.size() < least_attributes || plan.size() > most_attributes || plan.power.whole() != 2 || store.has_gaps())
    return false;
  if (plan.skip && plan.mean) return false;  // a mean is not a sum of squares
  for (std::size_t a = 0; a < plan.size(); ++a) {
    const Linear* const linear = plan[a].as<Linear>();
    if (linear == nullptr || linear->cap || !(scale_of(*linear) < base::infinity) || store.cell_of(a) < 0) return false;
  }
  return true;
}

Sketch::Sketch(const Plan& plan, const Store& store, const double* weights)
    : n_(plan.size()), quads_((n_ + 3) / 4), weights_(weights, weights + n_) {
  for (std::size_t a = 0; a < n_; ++a) scales_.push_back(scale_of(*plan[a].as<Linear>()));
  lay_grid(store);
  const std::size_t panels = store.n_slots() / panel_rows;
  codes_.resize(panels * quads_ * 4 * panel_rows);
  norms_.resize(panels * panel_rows);
  residuals_.resize(panels);
  for (std::size_t slot = 0; slot < panels * panel_rows; ++slot) {
    if (slot % panel_rows == 0) base::check_interrupt();
    take(store, slot);
  }
}

bool Sketch::is_for(const Plan& plan, const double* weights) const {
  for (std::size_t a = 0; a < n_; ++a)
    if (weights[a] != weights_[a] || scale_of(*plan[a].as<Linear>()) != scales_[a]) return false;
  return true;
}

// All attributes share one step size, chosen so that the grid covers a sample of the rows.
void Sketch::lay_grid(const Store& store) {
  std::vector<std::size_t> sample;
  const std::size_t step = std::max<std::size_t>(1, store.n_slots() / sample_rows);
  for (std::size_t slot = 0; slot < store.n_slots(); slot += step)
    if (store.is_alive(slot)) sample.push_back(slot);
  const double size = static_cast<double>(std::max<std::size_t>(1, sample.size()));
  factors_.resize(n_);
  middles_.resize(n_);
  double farthest = 0.0, widest = 0.0;
  bool precise = true;  // neither factors nor relevant squares underflow
  for (std::size_t a = 0; a < n_; ++a) {
    factors_[a] = scales_[a] > 0.0 ? std::sqrt(weights_[a]) / scales_[a] : 0.0;
    precise &= factors_[a] == 0.0 || (factors_[a] > 1e-290 && weights_[a] > 1e-40 && weights_[a] < 1e40);
    for (const std::size_t slot : sample) middles_[a] += store.value(slot, a) / size;
    double squares = 0.0;
    for (const std::size_t slot : sample) {
      const double from_middle = std::fabs(steps(a, store.value(slot, a)));
      farthest = std::max(farthest, from_middle);
      squares += from_middle * from_middle / size;
    }
    widest = std::max(widest, std::sqrt(squares));
  }
  const double half = std::min(farthest, most_deviations * widest);
  step_ = half / (middle_code - 1.0);
  for (double& factor : factors_) factor /= step_;
  const auto usable = [](double factor) { return factor < base::infinity; };
  if (precise && half > 1e-120 && half < 1e120 && std::all_of(factors_.begin(), factors_.end(), usable)) return;
  step_ = 1.0;  // otherwise all rows share one position: nothing is ruled out
  std::fill(factors_.begin(), factors_.end(), 0.0);
}

void Sketch::take(const Store& store, std::size_t slot) {
  std::int32_t& norm = norms_[slot];
  if (!store.is_alive(slot)) {
    norm = std::numeric_limits<std::int32_t>::min() / 2;  // far from everything
    return;
  }
  const std::size_t panel = slot / panel_rows;
  std::uint8_t* const codes = codes_.data() + (panel * quads_ * panel_rows + slot % panel_rows) * 4;
  double squares = 0.0;
  for (std::size_t a = 0; a < n_; ++a) {
    const double at = steps(a, store.value(slot, a)) + middle_code;
    const int code = static_cast<int>(std::min(std::max(0.0, at + 0.5), last_code));
    const double off = at - code;
    codes[a / 4 * panel_rows * 4 + a % 4] = static_cast<std::uint8_t>(code);
    norm -= (code - 64) * (code - 64);
    squares += off * off;
  }
  residuals_[panel] = std::max(residuals_[panel], std::sqrt(squares));
}

bool Sketch::place(const Measure& measure, Place& place) const {
  if (measure.skips()) return false;
  place.codes.assign(quads_ * 4, 0);
  double sum = 0.0, norm = 0.0, squares = 0.0;
  for (std::size_t a = 0; a < n_; ++a) {
    const Difference& d = measure.differences[a];
    if (d.state != Difference::State::known || d.scale != scales_[a] || measure.weight(a) != weights_[a]) return false;
    const double at = steps(a, d.query());
    const double code = std::floor(std::min(std::max(2.0 * at + 0.5, -128.0), 127.0));
    const double off = at - code / 2.0;
    place.codes[a] = static_cast<std::uint8_t>(static_cast<std::int8_t>(code));
    sum += code;
    norm += code * code;
    squares += off * off;
  }
  place.constant = middle_code * sum + norm / 4.0;
  place.residual = std::sqrt(squares);
  return true;
}

// The squared distance between two grid positions, in steps, is the query's constant minus its dot product with the
// row's codes minus the row's stored norm. A row is at least as far away as the positions are apart, minus both
// residuals.
void Sketch::near(std::size_t panel, const Place* const* four, const double* lengths,
                  std::uint64_t (*rows)[panel_words]) const {
  const std::uint8_t* codes[4];
  std::int32_t least[4];
  for (std::size_t i = 0; i < 4; ++i) {
    codes[i] = four[i]->codes.data();
    const double reach = (lengths[i] + four[i]->residual + residuals_[panel] + least_slack) * slack;
    const double dot = four[i]->constant - reach * reach;
    least[i] = dot > -1e9 ? static_cast<std::int32_t>(std::ceil(dot)) : std::numeric_limits<std::int32_t>::min();
  }
  kernels().dots_at_least(codes_.data() + panel * quads_ * 4 * panel_rows, norms_.data() + panel * panel_rows, quads_,
                          codes, least, rows);
}

std::size_t Sketch::n_bytes() const {
  return codes_.capacity() + sizeof(std::int32_t) * norms_.capacity() + sizeof(double) * residuals_.capacity();
}

void Sketch::count(std::size_t looked_at, std::size_t near) const {
  looked_at_.fetch_add(looked_at, std::memory_order_relaxed);
  near_.fetch_add(near, std::memory_order_relaxed);
}

std::shared_ptr<const Sketch> LazySketch::get(const Plan& plan, const Store& store, const double* weights, bool worth) {
  if (!Sketch::suits(plan, store)) return nullptr;
  {
    const std::lock_guard<std::mutex> hold(lock_);
    if (sketch_ && sketch_->is_for(plan, weights)) return sketch_->is_poor() ? nullptr : sketch_;
    if (!worth || making_) return nullptr;
    making_ = true;
  }
  std::shared_ptr<const Sketch> made;
  try {
    made = std::make_shared<const Sketch>(plan, store, weights);
  } catch (...) {
    const std::lock_guard<std::mutex> hold(lock_);
    making_ = false;
    throw;
  }
  const std::lock_guard<std::mutex> hold(lock_);
  making_ = false;
  return sketch_ = made;
}

std::size_t LazySketch::n_bytes() const {
  const std::lock_guard<std::mutex> hold(lock_);
  return sketch_ ? sketch_->n_bytes() : 0;
}

}  // namespace priorcase::search
