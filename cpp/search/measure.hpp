// The exact cost of a stored row for one query: the sum of contributions, always added in attribute order.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/difference.hpp"
#include "search/loops.hpp"
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
    general_ = false;
    texts_.clear();
    for (std::size_t a = 0; a < n; ++a) {
      differences[a].prepare(plan, a, store.bins[a].coded(), query[a]);
      prepare_step(a, weights[a]);
      if (steps_[a].form == Form::general && differences[a].is_text())
        texts_.push_back(a);
      else
        general_ |= steps_[a].form == Form::general;
      total_weight += weights[a];
      if (differences[a].state != Difference::State::missing) known_weight += weights[a];
    }
    for (std::size_t a = n; a-- > 1;)
      if (steps_[a - 1].form == steps_[a].form && steps_[a - 1].cell + 1 == steps_[a].cell)
        steps_[a - 1].run = steps_[a].run + 1;
    has_bounds_ = false;
    for (const std::size_t a : texts_) has_bounds_ |= differences[a].stored_texts().has_bounds();
    others_.clear();
    if (!texts_.empty()) others_ = steps_;
    for (const std::size_t a : texts_) others_[a].form = Form::nothing;
    // If no value is missing, the rescaled sum equals the plain sum.
    const bool complete = !store.has_gaps() && known_weight == total_weight && total_weight > 0.0;
    skips_ = plan.skip && (plan.mean || !complete);
  }

  // Returns the cost of a row, or any number above the limit once the running sum exceeds it.
  double cost(std::size_t slot, double limit) const { return skips_ ? mean_cost(slot) : sum_cost(steps_, slot, limit); }

  // Computes the costs of several rows.
  void costs(const std::uint32_t* slots, std::size_t count, double limit, double* out) const {
    if (skips_ || (texts_.empty() && general_)) {
      for (std::size_t i = 0; i < count; ++i) out[i] = cost(slots[i], limit);
    } else if (texts_.empty()) {
      sum_costs(steps_, slots, count, limit, out);
    } else {
      for (std::size_t i = 0; i < count; i += texts_at_once)
        costs_with_texts(slots + i, std::min(texts_at_once, count - i), limit, out + i);
    }
  }

  // Returns a lower bound of the mean contribution to costs of at least `cost`; only if missing values are skipped.
  double mean_of(double cost) const { return plan_->mean ? cost : cost / total_weight; }

  // Whether costs may leave attributes out because a value is missing.
  bool skips() const { return skips_; }

  // The number of an attribute's codes; rows of later versions may have codes that the plan does not know.
  std::size_t n_codes_known(std::size_t a) const {
    return static_cast<std::size_t>(
        std::min(static_cast<double>(store_->bins[a].largest() + 1), (*plan_)[a].codes_end()));
  }
  double weight(std::size_t a) const { return steps_[a].weight; }
  double exact(std::size_t a, std::size_t code) const { return exact_[a * n_codes + code]; }
  const Plan& plan() const { return *plan_; }
  const Store& store() const { return *store_; }

  std::vector<Difference> differences;
  double total_weight = 0.0, known_weight = 0.0;

 private:
  using Form = Step::Form;

  static constexpr std::size_t texts_at_once = 32;

  void prepare_step(std::size_t a, double weight) {
    const Difference& d = differences[a];
    Step& step = steps_[a];
    double* const exact = exact_.data() + a * n_codes;
    step = {Form::general, store_->cell_of(a), 1, d.query(), d.scale, weight, 0.0, exact};
    if (weight == 0.0) {  // even if the difference overflows: 0 times infinity would be NaN
      step.form = Form::nothing;
      std::fill_n(exact, n_codes, 0.0);
      return;
    }
    step.missing = weight * d.against_missing();
    if (step.cell < 0) {
      step.form = Form::code;
      step.cell = store_->symbol_of(a);
      d.against_codes(n_codes_known(a), weight, exact);
      exact[missing_code] = step.missing;
      return;
    }
    if (d.is_flat() || d.is_constant()) {
      step.form = Form::constant;
      step.scale = d.is_flat() ? 0.0 : weight * d.against(0.0);
    }
    if (!d.is_linear()) return;
    if (plan_->power.whole() == 2) step.form = d.scale == 1.0 ? Form::plain_square : Form::square;
    if (plan_->power.whole() == 1) step.form = Form::absolute;
  }

  double contribution(const Step& step, std::size_t a, const std::uint8_t* symbols, const double* cells) const {
    if (step.form == Form::nothing) return 0.0;
    if (step.form == Form::code) return step.by_code[symbols[step.cell]];
    const double x = cells[step.cell];
    if (x != x) return step.missing;
    if (step.form == Form::constant) return step.scale;
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

  double sum_cost(const std::vector<Step>& steps, std::size_t slot, double limit) const {
    const std::uint8_t* symbols = store_->symbols(slot);
    const double* cells = store_->cells(slot);
    double sum = 0.0;
    for (std::size_t a = 0; a < steps.size(); ++a) {
      sum += contribution(steps[a], a, symbols, cells);
      if ((a & 15) == 15 && sum > limit) break;
    }
    return sum;
  }

  // Computes the costs of a few rows. Texts are compared only in rows that the other columns do not rule out, and after
  // bounds that are computed faster; their memory is prefetched in the order in which it is found.
  void costs_with_texts(const std::uint32_t* slots, std::size_t count, double limit, double* out) const {
    if (general_)
      for (std::size_t i = 0; i < count; ++i) out[i] = sum_cost(others_, slots[i], limit);
    else
      sum_costs(others_, slots, count, limit, out);
    double least[texts_at_once];
    std::size_t near[texts_at_once], n_near = 0;
    for (std::size_t i = 0; i < count; ++i) {
      least[i] = out[i] * (1.0 - 1e-9);
      if (least[i] <= limit) near[n_near++] = i;
    }
    const auto for_texts = [&](const auto& use) {
      for (std::size_t n = 0; n < n_near; ++n)
        for (const std::size_t a : texts_)
          if (const double code = store_->cells(slots[near[n]])[steps_[a].cell]; code == code)
            use(near[n], a, static_cast<std::size_t>(code));
    };
    const auto texts_of = [&](std::size_t a) -> const StoredTexts& { return differences[a].stored_texts(); };
    for_texts([&](std::size_t, std::size_t a, std::size_t code) { texts_of(a).prefetch_starts(code); });
    if (limit < base::infinity && has_bounds_) {
      for_texts([&](std::size_t, std::size_t a, std::size_t code) { texts_of(a).prefetch_words(code); });
      for_texts([&](std::size_t i, std::size_t a, std::size_t code) {
        if (texts_of(a).has_bounds() && least[i] <= limit)
          least[i] += steps_[a].weight * differences[a].text_at_least(code) * (1.0 - 1e-9);
      });
      n_near = static_cast<std::size_t>(
          std::remove_if(near, near + n_near, [&](std::size_t i) { return least[i] > limit; }) - near);
    }
    for_texts([&](std::size_t, std::size_t a, std::size_t code) { texts_of(a).prefetch_vectors(code); });
    for (std::size_t i = 0; i < count; ++i)
      if (least[i] > limit) out[i] = least[i];
    for (std::size_t n = 0; n < n_near; ++n) out[near[n]] = cost_with_texts(slots[near[n]], out[near[n]], limit);
  }

  // without_texts: the cost of the other columns.
  double cost_with_texts(std::size_t slot, double without_texts, double limit) const {
    const std::size_t a = texts_.back();
    if (texts_.size() > 1 || a + 1 < steps_.size()) return sum_cost(steps_, slot, limit);
    return without_texts + contribution(steps_[a], a, store_->symbols(slot), store_->cells(slot));
  }

  // Computes the costs of rows without general steps.
  void sum_costs(const std::vector<Step>& steps, const std::uint32_t* slots, std::size_t count, double limit,
                 double* out) const {
    std::size_t i = 0;
    for (; i + 2 < count; i += rows_at_once)
      sum_several(steps, slots + i, std::min(rows_at_once, count - i), limit, out + i);
    for (; i < count; ++i) out[i] = sum_cost(steps, slots[i], limit);
  }

  // Computes the costs of up to eight rows at once.
  void sum_several(const std::vector<Step>& steps, const std::uint32_t* slots, std::size_t count, double limit,
                   double* out) const {
    const std::uint8_t* symbols[rows_at_once];
    const double* cells[rows_at_once];
    for (std::size_t r = 0; r < rows_at_once; ++r) {
      const std::uint32_t slot = slots[std::min(r, count - 1)];
      symbols[r] = store_->symbols(slot);
      cells[r] = store_->cells(slot);
    }
    double costs[rows_at_once];
    measure_loops().sum(steps.data(), steps.size(), cells, symbols, limit, costs);
    std::copy(costs, costs + count, out);
  }

  // Leaves missing values out: the weighted mean of the known contributions, scaled up to the total weight unless the
  // plan asks for the mean.
  double mean_cost(std::size_t slot) const {
    const std::uint8_t* symbols = store_->symbols(slot);
    const double* cells = store_->cells(slot);
    double sum = 0.0, weight = 0.0;
    for (std::size_t a = 0; a < steps_.size(); ++a) {
      if (differences[a].state == Difference::State::missing) continue;
      const Step& step = steps_[a];
      const int symbol = store_->symbol_of(a);
      const bool gap = symbol >= 0 ? symbols[symbol] == missing_code : std::isnan(cells[store_->cell_of(a)]);
      if (gap) continue;
      sum += contribution(step, a, symbols, cells);
      weight += step.weight;
    }
    if (weight == 0.0) return plan_->nothing_shared;
    if (plan_->mean) return sum / weight;
    return weight == total_weight ? sum : sum / weight * total_weight;
  }

  const Plan* plan_ = nullptr;
  const Store* store_ = nullptr;
  bool skips_ = false, general_ = false;  // general: a step other than those of texts is
  bool has_bounds_ = false;               // of any texts
  std::vector<Step> steps_, others_;      // others_: without texts, if there are any
  std::vector<std::size_t> texts_;        // attributes
  std::vector<double> exact_;
};

}  // namespace priorcase::search
