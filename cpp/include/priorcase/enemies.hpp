// The nearest row with another target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "priorcase/ballot.hpp"
#include "priorcase/remainder.hpp"
#include "priorcase/threads.hpp"

namespace priorcase {

struct EnemyJudge final : Judge {
  EnemyJudge(const Ballot& ballot, std::size_t row, double limit) : ballot(ballot), row(row), limit(limit) {}

  double operator()(std::int64_t id, double cost) const override {
    return ballot.are_enemies(row, static_cast<std::size_t>(id), limit) ? cost : -1.0;
  }

  const Ballot& ballot;
  const std::size_t row;
  const double limit;
};

class Enemies {
 public:
  Enemies(Remainder& remainder, const Ballot& ballot) : remainder_(remainder), ballot_(ballot) {}

  // Cost and position of the nearest enemy that is left; infinity and -1 where there is none.
  Found nearest(Seeker& seeker, std::size_t row, double limit) {
    const EnemyJudge judge(ballot_, row, limit);
    const std::vector<Found> found = remainder_.nearest(seeker, row, 1, false, &judge);
    return found.empty() ? Found{infinity, -1} : found.front();
  }

  // The costs for some rows; limit_of(row) is how far apart targets must be.
  template <class LimitOf>
  void costs(const std::int64_t* rows, std::size_t n, std::size_t threads, double* out, const LimitOf& limit_of) {
    for_blocks(n, block_, threads, [&] {
      return [&, seeker = std::make_unique<Seeker>()](std::size_t start, std::size_t stop) {
        for (std::size_t i = start; i < stop; ++i) {
          const std::size_t row = static_cast<std::size_t>(rows[i]);
          out[i] = nearest(*seeker, row, limit_of(row)).first;
        }
      };
    });
  }

 private:
  static constexpr std::size_t block_ = 64;
  Remainder& remainder_;
  const Ballot& ballot_;
};

}  // namespace priorcase
