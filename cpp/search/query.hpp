// The state of one query: which rows may be near, which of them are queued for measuring their exact costs, and what
// has been found so far.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "search/bounds.hpp"
#include "search/index.hpp"
#include "search/measure.hpp"
#include "search/sketch.hpp"
#include "search/store.hpp"

namespace priorcase::search {

// Whether no row of a panel is marked.
inline bool is_empty(const std::uint64_t* rows) {
  std::uint64_t any = 0;
  for (std::size_t w = 0; w < panel_words; ++w) any |= rows[w];
  return any == 0;
}

struct Query {
  Measure measure;
  Bounds bounds;
  Nearest nearest;
  std::int64_t exclude = -1;
  const Judge* judge = nullptr;  // null: rows are ranked by cost
  Version version = 0;
  bool differs = false;  // whether rows may be stored that do not exist in the version
  const double* cells = nullptr;
  std::size_t leaf = Store::nobody;  // the leaf in which the query would lie, if known
  bool bounds_ready = false;
  double last_excess = base::infinity;  // how far the previous query's limit was above its floor (see Bounds)
  std::vector<std::uint8_t> leaf_bounds;
  std::vector<std::uint32_t> leaves, sorted_leaves;
  Sketch::Place place;

  Query() {}  // leaves the large arrays uninitialized

  void start(const Store& store) {
    leaf = first_surveyed_ = Store::nobody;
    looked_at_ = weighed_ = noted_ = 0;
    kernels_ = &kernels();
    for (const std::uint32_t leaf : seen_) is_seen_[leaf] = 0;
    seen_.clear();
    is_seen_.resize(store.n_panels() * panel_words);
  }

  // Whether the ratio of the last limit to the first one is comparable with that of other queries.
  bool is_regular() const { return nearest.wanted() >= 5 && nearest.limit() < base::infinity; }

  // Looks for the k nearest rows within a fraction of the limit that probably contains that many.
  void guess(double shrinkage) {
    const double limit = bounds.share(nearest.limit(), shrinkage);
    if (!is_regular() || limit >= nearest.limit()) return;
    nearest.guess(limit);
    tighten();
  }

  // Discards what was found, except that at least k rows are known to have a cost within the limit.
  void start_again(const Store& store, double limit) {
    start(store);
    nearest.start_again(limit);
    bounds.rescale(reach());
  }

  // Returns the k-th smallest cost of some rows, which limits what else is wanted; infinity if there are fewer than k.
  double limit_by(const Store& store, const std::vector<std::int64_t>& ids, std::size_t k) {
    limits_.clear();
    for (const std::int64_t id : ids)
      if (id != exclude) limits_.push_back(static_cast<double>(store.slot(id)));
    if (limits_.size() < k) return base::infinity;
    for (std::size_t first = 0; first < limits_.size(); first += panel_rows) {
      const std::size_t count = std::min(panel_rows, limits_.size() - first);
      for (std::size_t i = 0; i < count; ++i) waiting_[i] = static_cast<std::uint32_t>(limits_[first + i]);
      measure.costs(waiting_, count, base::infinity, limits_.data() + first);
    }
    std::nth_element(limits_.begin(), limits_.begin() + static_cast<std::ptrdiff_t>(k) - 1, limits_.end());
    return measure.plan().root.settled(limits_[k - 1]);
  }

  // The leaves that have been looked at.
  const std::vector<std::uint32_t>& seen() const { return seen_; }

  // Scans a panel; rows that may be near are queued for weigh.
  void look_at(const Store& store, std::size_t panel) {
    std::uint64_t survivors[panel_words];
    kernels_->scan(store.panel(panel), bounds.tables(), store.n_attributes(), survivors, sums_);
    pass(store, panel, survivors);
  }

  // Scans a panel for two queries at once.
  static void look_at(Query& one, Query& other, const Store& store, std::size_t panel) {
    std::uint64_t survivors[panel_words], other_survivors[panel_words];
    one.kernels_->scan_two(store.panel(panel), one.bounds.tables(), other.bounds.tables(), store.n_attributes(),
                           survivors, other_survivors, one.sums_, other.sums_);
    one.pass(store, panel, survivors);
    other.pass(store, panel, other_survivors);
  }

  void look_at_leaf(const Store& store, std::size_t leaf) {
    const std::size_t panel = leaf / panel_words, word = leaf % panel_words;
    see(leaf);
    note(store, panel, word,
         kernels_->scan_leaf(store.panel(panel), word, bounds.tables(), store.n_attributes(), sums_ + 64 * word));
    if (noted_ >= (bounds.second_look() ? few_waiting : most_waiting)) weigh(store);
  }

  // Queues the rows of a panel that a sketch did not rule out; returns whether queued rows were measured.
  bool pass_near(const Store& store, std::size_t panel, const std::uint64_t* near) {
    for (std::size_t w = 0; w < panel_words; ++w) {
      if (near[w] == 0 || is_seen_[panel * panel_words + w]) continue;
      for (std::uint64_t rows = near[w]; rows; rows &= rows - 1) {
        const std::size_t slot = panel * panel_rows + w * 64 + static_cast<std::size_t>(std::countr_zero(rows));
        if (!store.is_alive(slot)) continue;
        store.prefetch(slot);
        wait(store, slot, 0);
      }
    }
    if (noted_ < few_waiting) return false;
    weigh(store);
    return true;
  }

  std::size_t weighed() const { return weighed_; }

  // Whether the bounds rule out so few rows that computing them is a waste of time.
  bool is_hopeless() const { return looked_at_ >= 8 * panel_rows && 2 * weighed_ > looked_at_; }

  // Measures all rows of a panel that have not been measured yet.
  void weigh_panel(const Store& store, std::size_t panel) {
    weigh(store);
    const std::size_t first = panel * panel_rows, last = std::min(first + panel_rows, store.n_slots());
    for (std::size_t slot = first; slot < last; ++slot)
      if (store.is_alive(slot) && !is_seen_[slot / leaf_rows] && !is_surveyed(slot)) wait(store, slot, 0);
    weigh(store);
  }

  // Measures the most promising rows of some panels around the first one: with long rows, a good limit saves the most.
  void survey(const Store& store) {
    if (!bounds.second_look() || nearest.wanted() == 0 || bounds.limit() == base::infinity) return;
    if (store.n_panels() < 4 * n_surveyed || seen_.empty()) return;
    const std::size_t seeded = seen_.front() / panel_words;
    first_surveyed_ = std::min(seeded / n_surveyed * n_surveyed, store.n_panels() - n_surveyed);
    for (std::size_t i = 0; i < n_surveyed; ++i) {
      const std::size_t panel = first_surveyed_ + i;
      std::fill(surveyed_[i], surveyed_[i] + panel_words, std::uint64_t{0});
      if (panel == seeded) continue;
      std::fill(sums_, sums_ + panel_rows, std::uint8_t{0});
      kernels_->promising(store.panel(panel), bounds.tables(), store.n_attributes(), (nearest.wanted() + 15) / 16,
                          surveyed_[i]);
      for (std::size_t w = 0; w < panel_words; ++w)
        if (is_seen_[panel * panel_words + w]) surveyed_[i][w] = 0;
      note(store, panel, surveyed_[i]);
      if (noted_ >= (bounds.second_look() ? few_waiting : most_waiting)) weigh(store);
    }
    weigh(store);
  }

  // Searches a first panel, for a first limit: first its most promising rows by rough sums, then those that this limit
  // does not rule out. Unless there is a limit already, the tables must be scaled for rough sums.
  void look_first(const Store& store, std::size_t panel) {
    std::uint64_t chosen[panel_words] = {}, survivors[panel_words];
    const std::size_t wanted = nearest.wanted();
    if (reach() == base::infinity) {
      if (kernels_->promising(store.panel(panel), bounds.tables(), store.n_attributes(), wanted, chosen) < wanted) {
        bounds.rescale(bounds.limit_above(bounds.spread()));
        kernels_->promising(store.panel(panel), bounds.tables(), store.n_attributes(), wanted, chosen);
      }
      bounds.rescale(base::infinity);
      std::fill(sums_, sums_ + panel_rows, std::uint8_t{0});
      note(store, panel, chosen);
      weigh(store);
    }
    kernels_->scan(store.panel(panel), bounds.tables(), store.n_attributes(), survivors, sums_);
    for (std::size_t w = 0; w < panel_words; ++w) survivors[w] &= ~chosen[w];
    note(store, panel, survivors);
    weigh(store);
    for (std::size_t w = 0; w < panel_words; ++w) see(panel * panel_words + w);
  }

  // Measures the queued rows, those with the smallest bounds first, until the limit rules out the others. Scales the
  // tables again if the limit has shrunk by a tenth.
  void weigh(const Store& store) {
    if (noted_ == 0) return;
    const std::uint32_t* slots = waiting_;
    const double scaled = bounds_ready ? bounds.limit() : base::infinity;
    if (noted_ > batch) slots = sort_waiting();
    for (std::size_t first = 0; first < noted_; first += batch) {
      const std::size_t count = std::min(batch, noted_ - first);
      if (first > 0 && scaled < base::infinity && sorted_sums_[first] > bounds.largest_sum(reach(), scaled)) break;
      for (std::size_t i = first + batch; i < std::min(noted_, first + 2 * batch); ++i) store.prefetch(slots[i]);
      weighed_ += count;
      double costs[batch];
      measure.costs(slots + first, count, reach(), costs);
      measure.plan().root.settle(costs, count);
      for (std::size_t i = 0; i < count; ++i)
        if (costs[i] <= nearest.limit()) keep(costs[i], store.id(slots[first + i]));
    }
    noted_ = 0;
    if (bounds_ready) tighten();
  }

  std::vector<Found> take() {
    last_excess = nearest.wanted() > 0 && bounds_ready ? bounds.above_floor(reach()) : base::infinity;
    return nearest.take();
  }

  void keep(double cost, std::int64_t id) {
    if (id == exclude) return;
    if (judge != nullptr && (cost = (*judge)(id, cost)) < 0.0) return;
    nearest.offer(cost, id);
  }

  void tighten() {
    if (const double limit = reach(); bounds.is_loose(limit)) bounds.rescale(limit);
  }

  // No row with a larger cost can be kept.
  double reach() const { return measure.plan().root.reach(nearest.limit()); }

 private:
  static constexpr std::size_t few_waiting = 16, most_waiting = 512, n_surveyed = 16, batch = 32;

  // Queues the rows of a panel that the scan did not rule out.
  void pass(const Store& store, std::size_t panel, std::uint64_t* survivors) {
    looked_at_ += panel_rows;
    if (is_empty(survivors)) return;
    for (std::size_t w = 0; w < panel_words; ++w)
      if (is_seen_[panel * panel_words + w]) survivors[w] = 0;
    if (panel - first_surveyed_ < n_surveyed)
      for (std::size_t w = 0; w < panel_words; ++w) survivors[w] &= ~surveyed_[panel - first_surveyed_][w];
    note(store, panel, survivors);
    if (noted_ >= (bounds.second_look() ? few_waiting : most_waiting)) weigh(store);
  }

  // Queues the given rows of a panel, except those that a second look rules out.
  void note(const Store& store, std::size_t panel, const std::uint64_t* rows) {
    for (std::size_t w = 0; w < panel_words; ++w)
      if (rows[w]) note(store, panel, w, rows[w]);
  }

  void note(const Store& store, std::size_t panel, std::size_t word, std::uint64_t rows) {
    const std::uint8_t* codes = store.panel(panel);
    for (; rows; rows &= rows - 1) {
      const std::size_t lane = word * 64 + static_cast<std::size_t>(std::countr_zero(rows));
      if (bounds.rules_out(codes + lane)) continue;
      const std::size_t slot = panel * panel_rows + lane;
      if (noted_ < batch) store.prefetch(slot);
      wait(store, slot, sums_[lane]);
    }
  }

  // The plan may not know the codes of rows of other versions, so these are not even measured.
  void wait(const Store& store, std::size_t slot, std::uint8_t sum) {
    if (differs && !store.exists(slot, version)) return;
    waiting_[noted_] = static_cast<std::uint32_t>(slot);
    waiting_sums_[noted_++] = sum;
  }

  // Returns the queued rows, sorted by their sums.
  const std::uint32_t* sort_waiting() {
    std::uint16_t starts[256] = {};
    for (std::size_t i = 0; i < noted_; ++i) ++starts[waiting_sums_[i]];
    for (std::uint16_t sum = 0, at = 0; sum < 256; ++sum) at += std::exchange(starts[sum], at);
    for (std::size_t i = 0; i < noted_; ++i) {
      const std::size_t at = starts[waiting_sums_[i]]++;
      sorted_[at] = waiting_[i];
      sorted_sums_[at] = waiting_sums_[i];
    }
    return sorted_;
  }

  bool is_surveyed(std::size_t slot) const {
    const std::size_t panel = slot / panel_rows - first_surveyed_;
    return panel < n_surveyed && (surveyed_[panel][slot % panel_rows / 64] >> slot % 64 & 1);
  }

  void see(std::size_t leaf) {
    is_seen_[leaf] = 1;
    seen_.push_back(static_cast<std::uint32_t>(leaf));
  }

  const Kernels* kernels_ = nullptr;
  std::vector<std::uint8_t> is_seen_;
  std::vector<std::uint32_t> seen_;
  std::vector<double> limits_;
  std::size_t first_surveyed_ = Store::nobody;
  std::size_t looked_at_ = 0, weighed_ = 0;  // numbers of rows
  std::uint64_t surveyed_[n_surveyed][panel_words];
  std::size_t noted_ = 0;
  std::uint32_t waiting_[panel_rows + most_waiting], sorted_[panel_rows + most_waiting];
  std::uint8_t waiting_sums_[panel_rows + most_waiting], sorted_sums_[panel_rows + most_waiting];
  alignas(64) std::uint8_t sums_[panel_rows];
};

}  // namespace priorcase::search
