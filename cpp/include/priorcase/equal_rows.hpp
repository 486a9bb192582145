// Which rows of a table hold the same values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "priorcase/ballot.hpp"
#include "priorcase/remainder.hpp"

namespace priorcase {

constexpr Row no_row = std::numeric_limits<Row>::max();

// For each row the first of those that are equal to it; no_row where there is no other.
inline std::vector<Row> first_equals(const Rows& rows) {
  const std::size_t bytes = rows.coded.size() * sizeof(double);
  const auto compared = [&](Row one, Row other) { return std::memcmp(rows.row(one), rows.row(other), bytes); };
  std::vector<Row> order(rows.n), first(rows.n, no_row);
  std::iota(order.begin(), order.end(), Row{0});
  std::sort(order.begin(), order.end(), [&](Row one, Row other) {
    const int sign = compared(one, other);
    return sign < 0 || (sign == 0 && one < other);
  });
  for (std::size_t i = 1; i < rows.n; ++i) {
    const Row before = order[i - 1];
    if (compared(before, order[i]) != 0) continue;
    if (first[before] == no_row) first[before] = before;
    first[order[i]] = first[before];
  }
  return first;
}

}  // namespace priorcase
