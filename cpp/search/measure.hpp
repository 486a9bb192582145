// The exact cost of a stored row for one query: contributions added in attribute order, always.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/difference.hpp"
#include "search/store.hpp"

namespace priorcase::search {

class Measure {
 public:
  void prepare(const Plan& plan, const Store& store, const double* query, const double* weights) {
    plan_ = &plan;
    store_ = &store;
    const std::size_t n = store.n_attributes();
    steps_.resize(n);
    differences.resize(n);
    exact_.resize(n * n_codes);
    total_weight = known_weight = 0.0;
    for (std::size_t a = 0; a < n; ++a) {
      differences[a].prepare(plan, a, store.bins[a].coded(), query[a]);
      prepare_step(a, weights[a]);
      total_weight += weights[a];
      if (differences[a].state != Difference::State::missing) known_weight += weights[a];
    }
    // Where nothing can be left out, the rescaled sum is the sum.
    const bool complete = !store.has_gaps() && known_weight == total_weight && total_weight > 0.0;
    skips_ = plan.skip && (plan.mean || !complete);
  }

  // Cost of the row; any number above the limit once the running sum is above it.
  double cost(std::size_t slot, double limit) const { return skips_ ? mean_cost(slot) : sum_cost(slot, limit); }

  // Costs of several rows, four side by side so that their sums do not wait for each other.
  void costs(const std::uint32_t* slots, std::size_t count, double limit, double* out) const {
    std::size_t i = 0;
    if (!skips_)
      for (; i + 4 <= count; i += 4) sum_costs<4>(slots + i, limit, out + i);
    for (; i < count; ++i) out[i] = cost(slots[i], limit);
  }

  // Lower bound on the mean contribution that a cost stands for (only where gaps are skipped).
  double mean_of(double cost) const { return plan_->mean ? cost : cost / total_weight; }

  // Whether attributes may be left out because a value is missing.
  bool skips() const { return skips_; }
  double weight(std::size_t a) const { return steps_[a].weight; }
  double exact(std::size_t a, std::size_t code) const { return exact_[a * n_codes + code]; }
  const Plan& plan() const { return *plan_; }
  const Store& store() const { return *store_; }

  std::vector<Difference> differences;
  double total_weight = 0.0, known_weight = 0.0;

 private:
  enum class Form : std::uint8_t { nothing, code, flat, square, plain_square, absolute, general };

  struct Step {
    Form form;
    int cell;
    double query, scale, weight, missing;
  };

  void prepare_step(std::size_t a, double weight) {
    const Difference& d = differences[a];
    Step& step = steps_[a];
    step = {Form::general, store_->cell_of(a), d.query(), d.scale, weight, 0.0};
    if (weight == 0.0) {  // not even an overflowed difference counts
      step.form = Form::nothing;
      std::fill_n(exact_.data() + a * n_codes, n_codes, 0.0);
      return;
    }
    step.missing = weight * d.against_missing();
    if (step.cell < 0) {
      step.form = Form::code;
      double* exact = exact_.data() + a * n_codes;
      d.against_codes(static_cast<std::size_t>(store_->bins[a].largest() + 1), weight, exact);
      exact[missing_code] = step.missing;
      return;
    }
    if (d.is_flat()) step.form = Form::flat;
    if (!d.is_linear()) return;
    if (plan_->power.whole() == 2) step.form = d.scale == 1.0 ? Form::plain_square : Form::square;
    if (plan_->power.whole() == 1) step.form = Form::absolute;
  }

  double contribution(const Step& step, std::size_t a, const std::uint8_t* codes, const double* cells) const {
    if (step.form == Form::nothing) return 0.0;
    if (step.form == Form::code) return exact_[a * n_codes + codes[a * panel_rows]];
    const double x = cells[step.cell];
    if (x != x) return step.missing;
    if (step.form == Form::flat) return 0.0;
    const double d = std::fabs(x - step.query);
    switch (step.form) {
      case Form::plain_square: return step.weight * (d * d);
      case Form::square: {
        const double scaled = d / step.scale;
        return step.weight * (scaled * scaled);
      }
      case Form::absolute: return step.weight * (d / step.scale);
      default: return step.weight * differences[a].against(x);
    }
  }

  double sum_cost(std::size_t slot, double limit) const {
    const std::uint8_t* codes = store_->panel(slot / panel_rows) + slot % panel_rows;
    const double* cells = store_->cells(slot);
    const std::size_t n = steps_.size();
    double sum = 0.0;
    for (std::size_t a = 0; a < n; ++a) {
      sum += contribution(steps_[a], a, codes, cells);
      if ((a & 15) == 15 && sum > limit) break;
    }
    return sum;
  }

  template <std::size_t R>
  void sum_costs(const std::uint32_t* slots, double limit, double* out) const {
    const std::uint8_t* codes[R];
    const double* cells[R];
    double sums[R];
    for (std::size_t r = 0; r < R; ++r) {
      codes[r] = store_->panel(slots[r] / panel_rows) + slots[r] % panel_rows;
      cells[r] = store_->cells(slots[r]);
      sums[r] = 0.0;
    }
    for (std::size_t a = 0; a < steps_.size(); ++a) {
      const Step step = steps_[a];
      if (step.form == Form::plain_square)
        for (std::size_t r = 0; r < R; ++r) {
          const double d = cells[r][step.cell] - step.query;
          sums[r] += d == d ? step.weight * (d * d) : step.missing;
        }
      else if (step.form == Form::square)
        for (std::size_t r = 0; r < R; ++r) {
          const double d = (cells[r][step.cell] - step.query) / step.scale;
          sums[r] += d == d ? step.weight * (d * d) : step.missing;
        }
      else if (step.form == Form::code)
        for (std::size_t r = 0; r < R; ++r) sums[r] += exact_[a * n_codes + codes[r][a * panel_rows]];
      else
        for (std::size_t r = 0; r < R; ++r) sums[r] += contribution(step, a, codes[r], cells[r]);
      if ((a & 15) == 15 && *std::min_element(sums, sums + R) > limit) break;
    }
    std::copy(sums, sums + R, out);
  }

  // Gaps left out: the mean of the known contributions, perhaps scaled up to the full weight.
  double mean_cost(std::size_t slot) const {
    const std::uint8_t* codes = store_->panel(slot / panel_rows) + slot % panel_rows;
    const double* cells = store_->cells(slot);
    double sum = 0.0, weight = 0.0;
    for (std::size_t a = 0; a < steps_.size(); ++a) {
      if (differences[a].state == Difference::State::missing) continue;
      const Step& step = steps_[a];
      const bool gap = step.cell < 0 ? codes[a * panel_rows] == missing_code : std::isnan(cells[step.cell]);
      if (gap) continue;
      sum += contribution(step, a, codes, cells);
      weight += step.weight;
    }
    if (weight == 0.0) return plan_->nothing_shared;
    if (plan_->mean) return sum / weight;
    return weight == total_weight ? sum : sum / weight * total_weight;
  }

  const Plan* plan_ = nullptr;
  const Store* store_ = nullptr;
  bool skips_ = false;
  std::vector<Step> steps_;
  std::vector<double> exact_;
};

}  // namespace priorcase::search
