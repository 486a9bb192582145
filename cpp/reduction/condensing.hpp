// Condensing (Hart 1968): adds rows that are misclassified by the nearest row added so far. Reducing the result (Gates
// 1972): removes rows that can be removed without making any row misclassified.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reduction/neighbors.hpp"

namespace priorcase::reduction {

class Condensed {
 public:
  // Starts with the first row of each class.
  Condensed(const search::Rows& rows, const std::vector<std::int64_t>& labels);

  const std::vector<std::uint8_t>& held() const { return members_.held(); }

  // Performs a pass over the rows in [first, last), and returns the number of rows added. Threads search for nearest
  // members in advance; members added since then are compared afterwards. If the call is interrupted, no row is added.
  std::size_t take_in(std::size_t first, std::size_t last, std::size_t threads);

 private:
  void look_ahead(std::size_t start, std::size_t stop, std::size_t threads);

  const std::size_t n_;
  const std::vector<std::int64_t> classes_;
  search::Subset members_;
  search::Seeker seeker_;
  std::vector<search::Found> ahead_;
  std::vector<std::int64_t> fresh_;
};

class Reduced {
 public:
  // Starts with the marked rows as members; at least one row must be marked.
  Reduced(const search::Rows& rows, const std::vector<std::int64_t>& labels, std::vector<std::uint8_t> members);

  const std::vector<std::uint8_t>& held() const { return members_.held(); }

  // Finds the two nearest members of each row in [first, last), before any member is removed.
  void fill(std::size_t first, std::size_t last, std::size_t threads) { lists_.fill(first, last, threads); }

  // Removes the members in [first, last) that are not needed. If the call is interrupted, no member is removed.
  void consider(std::size_t first, std::size_t last);

 private:
  bool is_needed(std::size_t row);

  const std::size_t n_;
  const std::vector<std::int64_t> classes_;
  search::Subset members_;
  NeighborLists lists_;
};

}  // namespace priorcase::reduction
