#include "search/order.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/threads.hpp"
#include "search/difference.hpp"

namespace priorcase::search {

struct Range {
  std::size_t begin, end;
};

class Ordering {
 public:
  Ordering(const Plan& plan, const Store& store, std::vector<std::uint32_t>& slots, std::vector<Cut>& cuts)
      : plan_(plan), store_(store), slots_(slots), cuts_(cuts), keys_(slots.size()) {}

  // Splits level by level while there are few ranges, one thread for each; then splits each range down to its leaves.
  void build(std::size_t threads) {
    std::vector<Range> ranges{{0, slots_.size()}};
    while (ranges.size() < 4 * threads && ranges.front().end - ranges.front().begin > 64 * leaf_rows) {
      std::vector<Range> halves(2 * ranges.size());
      base::for_blocks(ranges.size(), 1, threads, [&] {
        return [&](std::size_t i, std::size_t) {
          const std::size_t middle = cut(ranges[i]);
          halves[2 * i] = {ranges[i].begin, middle};
          halves[2 * i + 1] = {middle, ranges[i].end};
        };
      });
      ranges = std::move(halves);
    }
    base::for_blocks(ranges.size(), 1, threads, [&] {
      return [&](std::size_t i, std::size_t) { descend(ranges[i]); };
    });
  }

 private:
  void descend(Range range) {
    while (range.end - range.begin > leaf_rows) {
      base::check_interrupt();
      const std::size_t middle = cut(range);
      descend({range.begin, middle});
      range.begin = middle;
    }
  }

  std::size_t cut(Range range) {
    const std::size_t middle = Order::middle_of(range.begin, range.end);
    if (middle < range.end) part(range, middle, widest(range));
    return middle;
  }

  // Returns the attribute with the largest sum of differences between a few pairs of the range's rows.
  std::size_t widest(Range range) const {
    const std::size_t half = (range.end - range.begin) / 2;
    const std::size_t pairs = half > 8 * leaf_rows ? 48 : 12;
    const std::size_t step = std::max<std::size_t>(1, half / pairs);
    std::size_t best = 0;
    double most = -1.0;
    Difference difference;
    for (std::size_t a = 0; a < store_.n_attributes(); ++a) {
      if (plan_[a].is_for_queries()) continue;
      double sum = 0.0;
      for (std::size_t i = 0; i < half; i += step) {
        const double x = store_.value(slots_[range.begin + i], a), y = store_.value(slots_[range.begin + half + i], a);
        if (x == y) continue;
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

  void part(Range range, std::size_t middle, std::size_t attribute) {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const double value = store_.value(slots_[i], attribute);
      keys_[i] = {std::isnan(value) ? base::infinity : value, slots_[i]};
    }
    const auto at = [&](std::size_t i) { return keys_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(range.begin), at(middle), at(range.end));
    cuts_[middle / leaf_rows] = {static_cast<std::uint32_t>(attribute), keys_[middle].first};
    for (std::size_t i = range.begin; i < range.end; ++i) slots_[i] = keys_[i].second;
  }

  const Plan& plan_;
  const Store& store_;
  std::vector<std::uint32_t>& slots_;
  std::vector<Cut>& cuts_;
  std::vector<std::pair<double, std::uint32_t>> keys_;
};

Order::Order(const Plan& plan, const Store& store, std::vector<std::uint32_t>& slots, std::size_t threads)
    : size_(slots.size()), cuts_(slots.size() / leaf_rows + 1) {
  Ordering(plan, store, slots, cuts_).build(threads);
}

Order::Order(const Parts& parts, std::size_t n_attributes, std::size_t n_slots)
    : size_(static_cast<std::size_t>(parts.ordered)), cuts_(parts.cut_values.size()) {
  if (parts.ordered < 0 || size_ > n_slots || parts.cut_attributes.size() != cuts_.size() ||
      cuts_.size() != (size_ == 0 ? cuts_.size() : size_ / leaf_rows + 1))
    throw std::invalid_argument("an order of other rows");
  for (std::size_t leaf = 0; leaf < cuts_.size(); ++leaf) {
    cuts_[leaf] = {parts.cut_attributes[leaf], parts.cut_values[leaf]};
    if (cuts_[leaf].attribute >= n_attributes) throw std::invalid_argument("a cut along no attribute");
  }
}

void Order::add_to(Parts& parts) const {
  parts.ordered = static_cast<std::int64_t>(size_);
  for (const Cut& cut : cuts_) {
    parts.cut_attributes.push_back(cut.attribute);
    parts.cut_values.push_back(cut.value);
  }
}

std::size_t Order::middle_of(std::size_t begin, std::size_t end) {
  const std::size_t leaves = (end - begin + leaf_rows - 1) / leaf_rows;
  return std::min(begin + (leaves + 1) / 2 * leaf_rows, end);
}

std::size_t Order::leaf_of(const double* cells) const {
  std::size_t begin = 0, end = size_;
  while (end - begin > leaf_rows) {
    const std::size_t middle = middle_of(begin, end);
    if (middle == end) break;
    const Cut& cut = cuts_[middle / leaf_rows];
    const double x = cells[cut.attribute];
    (x < cut.value ? end : begin) = middle;  // missing values come last
  }
  return begin / leaf_rows;
}

}  // namespace priorcase::search
