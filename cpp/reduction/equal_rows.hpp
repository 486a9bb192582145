// Which rows of a table hold the same values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "votes/votes.hpp"
#include "search/remainder.hpp"

namespace priorcase::reduction {

constexpr votes::Row no_row = std::numeric_limits<votes::Row>::max();

// For each row the first of those that are equal to it; no_row where there is no other.
inline std::vector<votes::Row> first_equals(const search::Rows& rows) {
  const std::size_t bytes = rows.coded.size() * sizeof(double);
  const auto compared = [&](votes::Row one, votes::Row other) { return std::memcmp(rows.row(one), rows.row(other), bytes); };
  std::vector<votes::Row> order(rows.n), first(rows.n, no_row);
  std::iota(order.begin(), order.end(), votes::Row{0});
  std::sort(order.begin(), order.end(), [&](votes::Row one, votes::Row other) {
    const int sign = compared(one, other);
    return sign < 0 || (sign == 0 && one < other);
  });
  for (std::size_t i = 1; i < rows.n; ++i) {
    const votes::Row before = order[i - 1];
    if (compared(before, order[i]) != 0) continue;
    if (first[before] == no_row) first[before] = before;
    first[order[i]] = first[before];
  }
  return first;
}

}  // namespace priorcase::reduction
