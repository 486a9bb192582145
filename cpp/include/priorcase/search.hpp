// Exact search: plain (measure every row), scan (bytes first), tree (whole regions first).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "priorcase/bounds.hpp"
#include "priorcase/measure.hpp"
#include "priorcase/nearest.hpp"
#include "priorcase/tree.hpp"

namespace priorcase {

enum class Algorithm { automatic, tree, scan, plain };

// Which rows may be found, and at what cost to rank them.
struct Judge {
  virtual ~Judge() = default;

  // At least the cost given, so that bounds hold; below 0 to leave the row out. It is asked only about rows that are
  // not too far anyway.
  virtual double operator()(std::int64_t id, double cost) const = 0;
};

// One query under way.
struct Seeker {
  Measure measure;
  Bounds bounds;
  Nearest nearest;
  std::int64_t exclude = -1;
  const Judge* judge = nullptr;        // none: every row at its cost
  std::size_t seeded = Store::nobody;  // the panel that was looked at first
  std::size_t panels_seen = 0, boxes_seen = 0, rows_weighed = 0;
  std::vector<std::pair<std::size_t, unsigned>> nodes_waiting;

  void start() {
    seeded = first_surveyed_ = Store::nobody;
    panels_seen = boxes_seen = rows_weighed = noted_ = 0;
    kernels_ = &kernels();
  }

  void look_at(const Store& store, std::size_t panel) {
    look_ahead(store, panel);
    if (noted_ > 0) weigh(store);
  }

  // As look_at, but a few rows may wait for the next call or for weigh: their cells come from far memory meanwhile.
  void look_ahead(const Store& store, std::size_t panel) {
    std::uint64_t survivors[panel_words];
    kernels_->scan(store.panel(panel), bounds.tables(), store.n_attributes(), survivors);
    pass(store, panel, survivors);
  }

  // Two queries look ahead at a panel together.
  static void look_ahead(Seeker& one, Seeker& other, const Store& store, std::size_t panel) {
    std::uint64_t survivors[panel_words], other_survivors[panel_words];
    one.kernels_->scan_two(store.panel(panel), one.bounds.tables(), other.bounds.tables(), store.n_attributes(),
                           survivors, other_survivors);
    one.pass(store, panel, survivors);
    other.pass(store, panel, other_survivors);
  }

  // Takes over the rows of a panel that the scan did not rule out.
  void pass(const Store& store, std::size_t panel, std::uint64_t* survivors) {
    ++panels_seen;
    if (panel == seeded) return;
    if (panel - first_surveyed_ < n_surveyed)
      for (std::size_t w = 0; w < panel_words; ++w) survivors[w] &= ~surveyed_[panel - first_surveyed_][w];
    note(store, panel, survivors);
    if (noted_ >= most_waiting) weigh(store);
  }

  // Measures the most promising rows of some panels around the first one: where rows are long, a good limit saves most.
  void survey(const Store& store) {
    if (!bounds.second_look() || nearest.wanted() == 0 || bounds.limit() == infinity) return;
    if (store.n_panels() < 4 * n_surveyed) return;
    first_surveyed_ = std::min(seeded / n_surveyed * n_surveyed, store.n_panels() - n_surveyed);
    for (std::size_t i = 0; i < n_surveyed; ++i) {
      const std::size_t panel = first_surveyed_ + i;
      if (panel == seeded) continue;
      kernels_->promising(store.panel(panel), bounds.tables(), store.n_attributes(), (nearest.wanted() + 15) / 16,
                          surveyed_[i]);
      note(store, panel, surveyed_[i]);
      if (noted_ >= most_waiting) weigh(store);
    }
    weigh(store);
  }

  // The first panel, for a first limit: its most promising rows by rough sums, then those the limit lets pass.
  void look_first(const Store& store, std::size_t panel, const std::uint64_t* box) {
    if (bounds.limit() < infinity) return look_at(store, panel);
    ++panels_seen;
    std::uint64_t chosen[panel_words], survivors[panel_words];
    bounds.rescale(bounds.spread(box));
    kernels_->promising(store.panel(panel), bounds.tables(), store.n_attributes(), nearest.wanted(), chosen);
    bounds.rescale(infinity);
    note(store, panel, chosen);
    weigh(store);
    kernels_->scan(store.panel(panel), bounds.tables(), store.n_attributes(), survivors);
    for (std::size_t w = 0; w < panel_words; ++w) survivors[w] &= ~chosen[w];
    note(store, panel, survivors);
    weigh(store);
  }

  // Measures the noted rows. The tables are worth scaling again once the limit has shrunk by a tenth.
  void weigh(const Store& store) {
    rows_weighed += noted_;
    double costs[panel_rows + most_waiting];
    measure.costs(waiting_, noted_, reach(), costs);
    measure.plan().root.settle(costs, noted_);
    for (std::size_t i = 0; i < noted_; ++i)
      if (costs[i] <= nearest.limit()) keep(costs[i], store.id(waiting_[i]));
    noted_ = 0;
    tighten();
  }

  void offer(double cost, std::int64_t id) {
    if (cost <= reach()) keep(measure.plan().root.settled(cost), id);
  }

  void keep(double cost, std::int64_t id) {
    if (id == exclude) return;
    if (judge != nullptr && (cost = (*judge)(id, cost)) < 0.0) return;
    nearest.offer(cost, id);
  }

  void tighten() {
    const double limit = reach();
    if (limit < 0.9 * bounds.limit() || (bounds.limit() == infinity && limit < infinity)) bounds.rescale(limit);
  }

  // A row with a larger cost cannot be kept any more.
  double reach() const { return measure.plan().root.reach(nearest.limit()); }

 private:
  static constexpr std::size_t most_waiting = 16;

  // Notes the given rows of a panel but for those that a second look rules out.
  void note(const Store& store, std::size_t panel, const std::uint64_t* rows) {
    const std::uint8_t* codes = store.panel(panel);
    for (std::size_t w = 0; w < panel_words; ++w)
      for (std::uint64_t left = rows[w]; left; left &= left - 1) {
        const std::size_t lane = w * 64 + __builtin_ctzll(left);
        if (bounds.rules_out(codes + lane)) continue;
        const std::size_t slot = panel * panel_rows + lane;
        store.prefetch(slot);
        waiting_[noted_++] = static_cast<std::uint32_t>(slot);
      }
  }

  static constexpr std::size_t n_surveyed = 16;

  const Kernels* kernels_ = nullptr;
  std::size_t first_surveyed_ = Store::nobody;
  std::uint64_t surveyed_[n_surveyed][panel_words];
  std::size_t noted_ = 0;
  std::uint32_t waiting_[panel_rows + most_waiting];
};

class Search {
 public:
  Search(const Plan& plan, const Store& store, const Tree& tree)
      : store_(store), tree_(tree), boxes_(plan, store), plan_(plan) {}

  void start(Seeker& seeker, const double* query, const double* weights, bool bounds) const {
    seeker.measure.prepare(plan_, store_, query, weights);
    seeker.start();
    if (!bounds) return;
    seeker.bounds.prepare(seeker.measure, boxes_);
    seeker.tighten();
  }

  void plain(Seeker& seeker) const {
    for (std::size_t slot = 0; slot < store_.n_slots(); ++slot)
      if (store_.is_alive(slot)) {
        seeker.offer(seeker.measure.cost(slot, infinity), store_.id(slot));
      }
  }

  // All panels for a few queries at a time, so that the codes are read from the nearest memory.
  void scan(Seeker* seekers, std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i) {
      seed(seekers[i]);
      seekers[i].survey(store_);
    }
    const std::size_t stride = std::max<std::size_t>(1, near_memory / (store_.n_attributes() * panel_rows));
    for (std::size_t first = 0; first < store_.n_panels(); first += stride) {
      const std::size_t last = std::min(first + stride, store_.n_panels());
      std::size_t i = 0;
      for (; i + 2 <= count; i += 2)
        for (std::size_t p = first; p < last; ++p) Seeker::look_ahead(seekers[i], seekers[i + 1], store_, p);
      for (; i < count; ++i)
        for (std::size_t p = first; p < last; ++p) seekers[i].look_ahead(store_, p);
    }
    for (std::size_t i = 0; i < count; ++i) seekers[i].weigh(store_);
  }

  // Depth first, nearer child first, leaving out every box that lies too far; then the rows that came later.
  void tree(Seeker& seeker) const {
    if (!tree_.empty()) descend(seeker);
    for (std::size_t p = tree_.n_panels(); p < store_.n_panels(); ++p) seeker.look_at(store_, p);
  }

 private:
  static constexpr std::size_t near_memory = 16 * 1024;

  // A first panel close to the query makes the limit small before the long search begins.
  void seed(Seeker& seeker) const {
    if (tree_.empty()) return;
    std::size_t at = 0;
    while (tree_.node(at).left >= 0) {
      const Node& node = tree_.node(at);
      const std::uint64_t left = tree_.box(node.left)[node.split], right = tree_.box(node.right)[node.split];
      at = seeker.bounds.is_nearer(node.split, right, left) ? node.right : node.left;
    }
    seeker.look_first(store_, tree_.node(at).first_panel, tree_.box(at));
    seeker.seeded = tree_.node(at).first_panel;
  }

  void descend(Seeker& seeker) const {
    std::vector<std::pair<std::size_t, unsigned>>& waiting = seeker.nodes_waiting;
    seed(seeker);
    waiting.assign(1, {0, 0});
    while (!waiting.empty()) {
      const auto [at, bound] = waiting.back();
      waiting.pop_back();
      if (bound > 0 && seeker.bounds.over(tree_.box(at)) > 254) continue;
      const Node& node = tree_.node(at);
      if (node.left < 0) {
        seeker.look_at(store_, node.first_panel);
        continue;
      }
      seeker.boxes_seen += 2;
      const unsigned left = seeker.bounds.over(tree_.box(node.left));
      const unsigned right = seeker.bounds.over(tree_.box(node.right));
      const std::pair<std::size_t, unsigned> near{left <= right ? node.left : node.right, std::min(left, right)};
      const std::pair<std::size_t, unsigned> far{left <= right ? node.right : node.left, std::max(left, right)};
      if (far.second <= 254) waiting.push_back(far);
      if (near.second <= 254) waiting.push_back(near);
    }
  }

  const Store& store_;
  const Tree& tree_;
  const CurveBoxes boxes_;
  const Plan& plan_;
};

}  // namespace priorcase
