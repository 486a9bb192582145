// The most similar cases for one query or for many, and the similarities of all.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "cases/scores.hpp"
#include "base/threads.hpp"

namespace priorcase::cases {

// The best k of the cases that the mask allows (all where there is none).
inline std::vector<Match> best_cases(const CaseScores& scores, const std::uint8_t* mask, std::size_t k,
                                     std::size_t threads) {
  const std::size_t n = scores.size(), blocks = (n + CaseScores::block - 1) / CaseScores::block;
  BestMatches best(k);
  std::mutex lock;
  std::atomic<std::size_t> next{0};
  const auto work = [&](const std::atomic<bool>&) {
    BestMatches own(k);
    std::vector<double> room(scores.room());
    for (std::size_t b; (b = next++) < blocks;)
      scores.search(b * CaseScores::block, std::min(n, (b + 1) * CaseScores::block), mask, -1, room.data(), own);
    const std::lock_guard<std::mutex> hold(lock);
    best.offer(own);
  };
  base::run_on_threads(std::min(threads, blocks), work);
  return best.take();
}

inline std::vector<double> all_similarities(const CaseScores& scores, std::size_t threads) {
  std::vector<double> found(scores.size());
  base::for_blocks(found.size(), CaseScores::block, threads, [&] {
    return [&](std::size_t start, std::size_t stop) {
      for (std::size_t i = start; i < stop; ++i) found[i] = scores.similarity(i);
    };
  });
  return found;
}

// An attribute of many queries at once: each has one of a few values, with a table of its own, one behind the other.
struct ManyAsked {
  const std::int32_t* query_codes;
  AskedAttribute attribute;

  AskedAttribute of(std::size_t query) const {
    AskedAttribute one = attribute;
    one.table += static_cast<std::size_t>(query_codes[query]) * attribute.n_values;
    return one;
  }
};

// What many queries ask; each leaves its own case out, where it is one.
struct ManyQueries {
  std::vector<ManyAsked> attributes;
  const std::int64_t* own;
  std::size_t n_queries, n_cases;
  const std::uint8_t* mask;
  bool ignore;

  CaseScores scores(std::size_t query) const {
    std::vector<AskedAttribute> asked;
    for (const ManyAsked& attribute : attributes)
      if (attribute.query_codes[query] >= 0) asked.push_back(attribute.of(query));
    return {std::move(asked), n_cases, ignore};
  }
};

// The best k for each query, k places each; what is left over keeps what it held.
inline void best_cases_many(const ManyQueries& queries, std::size_t k, std::size_t threads, std::int64_t* positions,
                            double* similarities) {
  base::for_blocks(queries.n_queries, 1, threads, [&] {
    return [&, room = std::vector<double>()](std::size_t q, std::size_t) mutable {
      const CaseScores scores = queries.scores(q);
      room.resize(scores.room());
      BestMatches best(k);
      for (std::size_t start = 0; start < queries.n_cases; start += CaseScores::block)
        scores.search(start, std::min(queries.n_cases, start + CaseScores::block), queries.mask,
                      queries.own ? queries.own[q] : -1, room.data(), best);
      std::size_t place = q * k;
      for (const Match& match : best.take()) {
        positions[place] = match.position;
        similarities[place++] = match.similarity;
      }
    };
  });
}

}  // namespace priorcase::cases
