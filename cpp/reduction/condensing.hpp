// Condensing (Hart 1968): rows are taken in where the nearest row taken in so far gets them wrong. And reducing what
// came of it (Gates 1972): rows go where no row becomes wrong by that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reduction/neighbors.hpp"

namespace priorcase::reduction {

class Condensed {
 public:
  // The first row of each class is taken in at once.
  Condensed(const search::Rows& rows, const std::vector<std::int64_t>& labels);

  const std::vector<std::uint8_t>& held() const { return members_.held(); }

  // One part of a pass over the table: how many rows were taken in. Threads look ahead: what they find is compared with
  // the rows that were taken in meanwhile. Where that is interrupted, none is taken in.
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
  // The members are those that are marked; there must be one.
  Reduced(const search::Rows& rows, const std::vector<std::int64_t>& labels, std::vector<std::uint8_t> members);

  const std::vector<std::uint8_t>& held() const { return members_.held(); }

  // The nearest member and the next one of some rows, before any member leaves.
  void fill(std::size_t first, std::size_t last, std::size_t threads) { lists_.fill(first, last, threads); }

  // Lets those members among some rows leave that are not needed. Where that is interrupted, none has left.
  void consider(std::size_t first, std::size_t last);

 private:
  bool is_needed(std::size_t row);

  const std::size_t n_;
  const std::vector<std::int64_t> classes_;
  search::Subset members_;
  NeighborLists lists_;
};

}  // namespace priorcase::reduction
