// The index: rows are added, removed and searched. From time to time they are reordered, so that neighbors are stored
// together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/gate.hpp"
#include "search/nearest.hpp"
#include "search/plan.hpp"

namespace priorcase::search {

class Difference;
struct Parts;
struct Query;
using Version = std::uint32_t;  // see store.hpp

// All give the same results: `automatic` chooses one of the others, `plain` computes the cost of every row.
enum class Algorithm { automatic, tree, scan, plain };

// Decides which rows may be found and at which cost they are ranked.
struct Judge {
  virtual ~Judge() = default;

  // Returns the cost at which to rank a row, or a negative number to leave it out. It must be at least the given cost,
  // so that bounds remain valid. Called only for rows that are not too far anyway.
  virtual double operator()(std::int64_t id, double cost) const = 0;
};

// The queries of a batch and what to find for each.
struct Request {
  const double* queries = nullptr;
  std::size_t n_queries = 0;
  const double* weights = nullptr;
  bool weights_per_query = false;
  std::size_t k = 0;               // 0: everything within the limits
  const double* limits = nullptr;  // one cost per query
  bool ties = false;
  const std::int64_t* exclude = nullptr;
  const Judge* judge = nullptr;    // shared by all queries
  Algorithm algorithm = Algorithm::automatic;
  std::size_t threads = 1;
  Version version = 0;             // of the rows; it must not be wiped meanwhile
  base::Gate* gate = nullptr;      // held for a few queries at a time, so that changes need not wait for all of them
};

// The working memory of a search, reused from one query to the next.
class Seeker {
 public:
  Seeker();
  ~Seeker();
  Seeker(Seeker&&) noexcept;
  Seeker& operator=(Seeker&&) noexcept;

  // Returns the difference in an attribute for the query whose costs were computed last.
  const Difference& difference(std::size_t a) const;

 private:
  friend class Index;
  std::unique_ptr<Query> query_;
};

class Index {
 public:
  // coded: whether an attribute holds codes of symbols or ranks of levels instead of numbers.
  explicit Index(std::vector<std::uint8_t> coded);

  // Makes an index from the parts of another one, whose memory is shared until the index changes. They may be corrupt
  // or forged: throws std::invalid_argument if a search could read out of bounds.
  Index(std::vector<std::uint8_t> coded, const Parts& parts, std::size_t threads = 1);
  Parts parts() const;

  ~Index();
  Index(Index&&) noexcept;
  Index& operator=(Index&&) noexcept;

  std::size_t n_attributes() const;
  std::size_t n_rows() const;
  std::size_t n_bytes() const;
  bool has(std::int64_t id) const;
  bool has(std::int64_t id, Version version) const;

  // The largest code of each attribute that was ever stored; -1 if there is none.
  std::vector<std::int64_t> largest_codes() const;

  // Whether rows can be stored: numbers must be finite, codes must be integers from 0 on, and any cell may be missing.
  // The codes of queries may also be negative, for unseen values.
  bool takes(const double* rows, std::size_t n, bool queries = false) const;

  // Whether the plan knows every symbol in the stored rows and in the queries.
  bool covers(const Plan& plan, const double* queries, std::size_t n_queries) const;

  // Adds rows after those that are in order; they are put in order once there are enough of them (see is_due). Older
  // versions do not see them.
  void append(const std::int64_t* ids, const double* rows, std::size_t n, std::size_t threads = 1, Version version = 0);

  // Removes a row from all versions, and wipes it.
  void remove(std::int64_t id);

  // Versions: see store.hpp.
  void retire(const std::int64_t* ids, std::size_t n, Version version);
  bool sweep(const std::vector<Version>& living, Version after, Version last, std::size_t most);
  void roll_back(Version version);
  Version last_change() const;
  std::size_t n_retired() const;
  std::size_t n_dead() const;

  // Returns an index of the rows of one version, which shares no memory with this one.
  Index branch(Version version) const;

  // Whether the current layout cannot hold these rows, so that append would make a new one.
  bool is_cramped(const double* rows, std::size_t n) const;

  // Returns a copy with room for these rows. Only the living versions remain; if none is given, all of them.
  Index with_room(const double* rows, std::size_t n, const std::vector<Version>& living = {}) const;

  // Whether so many rows were added or removed that it is time for a new order.
  bool is_due() const;

  // Returns a copy with newly learned bins and all rows in order; for the living versions, see with_room.
  Index organised(const Plan& plan, std::size_t threads = 1, const std::vector<Version>& living = {}) const;
  void organise(const Plan& plan, std::size_t threads = 1) { *this = organised(plan, threads); }

  // Replaces the contents by those of another index with the same rows. Searches in progress keep the old ones.
  void replace(Index fresh, base::Gate* gate);

  // Returns the rows found for each query, ordered by cost, then by id.
  std::vector<std::vector<Found>> search(const Plan& plan, const Request& request);

  // Answers one query on the calling thread: the k nearest rows, or with k = 0 all rows within the limit.
  std::vector<Found> find(const Plan& plan, Seeker& seeker, const Request& one);

  // Copies the values of a row.
  void copy_row(std::int64_t id, double* out) const;

  // Computes the cost of each row, in the order of the given ids. Rows at equal distances have equal costs.
  void costs(const Plan& plan, Seeker& seeker, const double* query, const double* weights, const std::int64_t* ids,
             std::size_t n, double* out) const;

 private:
  struct State;
  struct Made {};
  Index(Made, std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace priorcase::search
