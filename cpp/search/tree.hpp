// A kd-tree over panels: every leaf is one panel of 256 rows, every node a box of codes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "search/difference.hpp"
#include "search/store.hpp"

namespace priorcase::search {

struct Node {
  std::uint32_t first_panel, last_panel;  // [first, last)
  std::int32_t left = -1, right = -1;     // -1: a leaf
  std::uint32_t split = 0;                // the attribute that parts the children
};

// Puts rows in an order in which neighbours share a panel: each range of slots is cut in two at the middle of
// the attribute in which its rows differ most, numbers by size and symbols by code.
class TreeOrder {
 public:
  TreeOrder(const Plan& plan, const Store& store, std::vector<std::uint32_t>& slots)
      : plan_(plan), store_(store), slots_(slots), keys_(slots.size()) {
    if (!slots.empty()) build(0, slots.size());
  }

  std::vector<Node> nodes;

 private:
  static constexpr std::size_t n_pairs = 48;

  std::int32_t build(std::size_t begin, std::size_t end) {
    const std::int32_t index = static_cast<std::int32_t>(nodes.size());
    nodes.push_back({static_cast<std::uint32_t>(begin / panel_rows),
                     static_cast<std::uint32_t>((end + panel_rows - 1) / panel_rows)});
    if (end - begin <= panel_rows) return index;
    const std::size_t panels = (end - begin + panel_rows - 1) / panel_rows;
    const std::size_t middle = begin + (panels + 1) / 2 * panel_rows;
    const std::size_t attribute = widest(begin, end);
    part(begin, middle, end, attribute);
    nodes[index].split = static_cast<std::uint32_t>(attribute);
    const std::int32_t left = build(begin, middle);
    const std::int32_t right = build(middle, end);
    nodes[index].left = left;
    nodes[index].right = right;
    return index;
  }

  // The attribute whose differences between a few pairs of the range's rows add up to most.
  std::size_t widest(std::size_t begin, std::size_t end) {
    const std::size_t half = (end - begin) / 2;
    const std::size_t step = std::max<std::size_t>(1, half / n_pairs);
    std::size_t best = 0;
    double most = -1.0;
    Difference difference;
    for (std::size_t a = 0; a < store_.n_attributes(); ++a) {
      double sum = 0.0;
      for (std::size_t i = 0; i < half; i += step) {
        const double x = store_.value(slots_[begin + i], a), y = store_.value(slots_[begin + half + i], a);
        difference.prepare(plan_, a, store_.bins[a].coded(), x);
        if (std::isnan(y))
          sum += plan_.skip || std::isnan(x) ? 0.0 : difference.against_missing();
        else if (!(plan_.skip && std::isnan(x)))
          sum += difference.against(y);
      }
      if (sum > most) {
        most = sum;
        best = a;
      }
    }
    return best;
  }

  void part(std::size_t begin, std::size_t middle, std::size_t end, std::size_t attribute) {
    for (std::size_t i = begin; i < end; ++i) {
      const double value = store_.value(slots_[i], attribute);
      keys_[i] = {std::isnan(value) ? base::infinity : value, slots_[i]};
    }
    std::nth_element(keys_.begin() + begin, keys_.begin() + middle, keys_.begin() + end);
    for (std::size_t i = begin; i < end; ++i) slots_[i] = keys_[i].second;
  }

  const Plan& plan_;
  const Store& store_;
  std::vector<std::uint32_t>& slots_;
  std::vector<std::pair<double, std::uint32_t>> keys_;
};

// The sets of codes under every node, one 64-bit set per attribute.
class Tree {
 public:
  Tree() = default;

  Tree(std::vector<Node> nodes, const Store& store)
      : nodes_(std::move(nodes)), n_attributes_(store.n_attributes()), boxes_(nodes_.size() * n_attributes_) {
    nodes_.shrink_to_fit();
    for (std::size_t i = nodes_.size(); i-- > 0;)  // children follow their parent
      if (nodes_[i].left < 0)
        cover_panel(i, store);
      else
        for (std::size_t a = 0; a < n_attributes_; ++a)
          boxes_[i * n_attributes_ + a] = box(nodes_[i].left)[a] | box(nodes_[i].right)[a];
  }

  bool empty() const { return nodes_.empty(); }
  std::size_t n_panels() const { return nodes_.empty() ? 0 : nodes_.front().last_panel; }
  const Node& node(std::size_t i) const { return nodes_[i]; }
  const std::uint64_t* box(std::size_t i) const { return boxes_.data() + i * n_attributes_; }
  std::size_t n_bytes() const { return nodes_.size() * sizeof(Node) + boxes_.size() * sizeof(std::uint64_t); }

 private:
  void cover_panel(std::size_t i, const Store& store) {
    const std::size_t first = nodes_[i].first_panel * panel_rows;
    for (std::size_t slot = first; slot < std::min(first + panel_rows, store.n_slots()); ++slot)
      if (store.is_alive(slot))
        for (std::size_t a = 0; a < n_attributes_; ++a)
          boxes_[i * n_attributes_ + a] |= std::uint64_t{1} << store.code(slot, a);
  }

  std::vector<Node> nodes_;
  std::size_t n_attributes_ = 0;
  std::vector<std::uint64_t> boxes_;
};

}  // namespace priorcase::search
