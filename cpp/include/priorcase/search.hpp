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

// One query under way.
struct Seeker {
  Measure measure;
  Bounds bounds;
  Nearest nearest;
  std::int64_t exclude = -1;
  std::uint32_t seeded = Store::nobody;  // the panel that was looked at first
  std::size_t panels_seen = 0;

  void look_at(const Store& store, std::size_t panel) {
    ++panels_seen;
    std::size_t word = 0;
    if (bounds.limit() == infinity) {  // a quarter of the panel is enough for a first limit
      weigh(store, panel, 0, 1);
      tighten();
      word = 1;
    }
    weigh(store, panel, word, panel_words);
    tighten();
  }

  // Measures the rows of some words of a panel that the scan does not rule out.
  void weigh(const Store& store, std::size_t panel, std::size_t first, std::size_t last) {
    std::uint64_t survivors[panel_words];
    kernels().scan(store.panel(panel), bounds.tables(), store.n_attributes(), survivors);
    std::uint32_t slots[panel_rows];
    std::size_t count = 0;
    for (std::size_t w = first; w < last; ++w)
      for (std::uint64_t left = survivors[w]; left; left &= left - 1)
        slots[count++] = static_cast<std::uint32_t>(panel * panel_rows + w * 64 + __builtin_ctzll(left));
    if (count == 0) return;
    double costs[panel_rows];
    measure.costs(slots, count, nearest.limit(), costs);
    for (std::size_t i = 0; i < count; ++i)
      if (store.id(slots[i]) != exclude) nearest.offer(costs[i], store.id(slots[i]));
  }

  // The tables are worth scaling again once the limit has shrunk by a tenth.
  void tighten() {
    if (nearest.limit() < 0.9 * bounds.limit() || (bounds.limit() == infinity && nearest.limit() < infinity))
      bounds.rescale(nearest.limit());
  }
};

class Search {
 public:
  Search(const Plan& plan, const Store& store, const Tree& tree)
      : store_(store), tree_(tree), boxes_(plan, store), plan_(plan) {}

  void start(Seeker& seeker, const double* query, const double* weights, bool bounds) const {
    seeker.measure.prepare(plan_, store_, query, weights);
    seeker.seeded = Store::nobody;
    seeker.panels_seen = 0;
    if (!bounds) return;
    seeker.bounds.prepare(seeker.measure, boxes_);
    seeker.tighten();
  }

  void plain(Seeker& seeker) const {
    for (std::size_t slot = 0; slot < store_.n_slots(); ++slot)
      if (store_.is_alive(slot)) {
        const double cost = seeker.measure.cost(slot, infinity);
        if (store_.id(slot) != seeker.exclude) seeker.nearest.offer(cost, store_.id(slot));
      }
  }

  // All panels for a few queries at a time, so that the codes are read from near memory.
  void scan(Seeker* seekers, std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i) seed(seekers[i]);
    for (std::size_t first = 0; first < store_.n_panels(); first += stride)
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t p = first; p < std::min(first + stride, store_.n_panels()); ++p)
          if (p != seekers[i].seeded) seekers[i].look_at(store_, p);
  }

  // Depth first, nearer child first, leaving out every box that lies too far; then the rows that came later.
  void tree(Seeker& seeker) const {
    if (!tree_.empty()) descend(seeker);
    for (std::size_t p = tree_.n_panels(); p < store_.n_panels(); ++p) seeker.look_at(store_, p);
  }

 private:
  static constexpr std::size_t stride = 16;

  // A first panel close to the query makes the limit small before the long scan begins.
  void seed(Seeker& seeker) const {
    if (tree_.empty()) return;
    std::size_t at = 0;
    while (tree_.node(at).left >= 0) {
      const Node& node = tree_.node(at);
      const double left = seeker.bounds.over(node.split, tree_.box(node.left)[node.split]);
      const double right = seeker.bounds.over(node.split, tree_.box(node.right)[node.split]);
      at = right < left ? node.right : node.left;
    }
    seeker.seeded = tree_.node(at).first_panel;
    seeker.look_at(store_, seeker.seeded);
  }

  void descend(Seeker& seeker) const {
    std::vector<std::pair<std::size_t, unsigned>> waiting;
    seed(seeker);
    waiting.push_back({0, 0});
    while (!waiting.empty()) {
      const auto [at, bound] = waiting.back();
      waiting.pop_back();
      if (bound > 0 && seeker.bounds.over(tree_.box(at)) > 254) continue;
      const Node& node = tree_.node(at);
      if (node.left < 0) {
        if (node.first_panel != seeker.seeded) seeker.look_at(store_, node.first_panel);
        continue;
      }
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
