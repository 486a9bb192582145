// Where a row lies among some rows, by its id.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace priorcase::votes {

// Over ascending ids, which must outlive it.
class Positions {
 public:
  Positions(const std::int64_t* ids, std::size_t n) : ids_(ids), n_(static_cast<std::int64_t>(n)) {
    dense_ = n_ > 0 && ids_[n_ - 1] - ids_[0] == n_ - 1;
  }

  std::size_t operator()(std::int64_t id) const {
    const std::int64_t at = dense_ ? id - ids_[0] : std::lower_bound(ids_, ids_ + n_, id) - ids_;
    if (at < 0 || at >= n_ || ids_[at] != id) throw std::out_of_range("a row has no target");
    return static_cast<std::size_t>(at);
  }

 private:
  const std::int64_t* ids_;
  std::int64_t n_;
  bool dense_;
};

}  // namespace priorcase::votes
