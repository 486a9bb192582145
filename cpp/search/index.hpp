// The index: rows come, go and are searched; now and then they are put in an order in which neighbours lie together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "search/nearest.hpp"
#include "search/plan.hpp"

namespace priorcase::search {

class Difference;
struct Parts;
struct Query;

// All give the same answers: automatic chooses, plain measures every row.
enum class Algorithm { automatic, tree, scan, plain };

// Which rows may be found, and at what cost to rank them.
struct Judge {
  virtual ~Judge() = default;

  // At least the cost given, so that bounds hold; below 0 to leave the row out. It is asked only about rows that are
  // not too far anyway.
  virtual double operator()(std::int64_t id, double cost) const = 0;
};

// What to look for, for a whole batch.
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
};

// The memory of a search, kept from one query to the next.
class Seeker {
 public:
  Seeker();
  ~Seeker();
  Seeker(Seeker&&) noexcept;
  Seeker& operator=(Seeker&&) noexcept;

  // How the row that costs were last asked for differs in an attribute.
  const Difference& difference(std::size_t a) const;

 private:
  friend class Index;
  std::unique_ptr<Query> query_;
};

class Index {
 public:
  // coded: whether an attribute holds codes of symbols or ranks of levels, and not numbers.
  explicit Index(std::vector<std::uint8_t> coded);

  // From the parts of another one, which are shared until the index changes. They may have been made up: throws
  // std::invalid_argument where a search could read what is not there.
  Index(std::vector<std::uint8_t> coded, const Parts& parts, std::size_t threads = 1);
  Parts parts() const;

  ~Index();
  Index(Index&&) noexcept;
  Index& operator=(Index&&) noexcept;

  std::size_t n_attributes() const;
  std::size_t n_rows() const;
  std::size_t n_bytes() const;
  bool has(std::int64_t id) const;

  // Whether rows can be stored: numbers are finite, codes are whole numbers from 0, and any cell may be missing. The
  // codes of queries may be negative, for values that were never seen.
  bool takes(const double* rows, std::size_t n, bool queries = false) const;

  // Whether the plan knows every stored symbol and every queried one.
  bool covers(const Plan& plan, const double* queries, std::size_t n_queries) const;

  // Rows go behind those in order; they are put in order when there are enough of them.
  void append(const std::int64_t* ids, const double* rows, std::size_t n, std::size_t threads = 1);
  void remove(std::int64_t id);

  // Whether these rows do not fit into the memory as it is laid out, so that append would lay it out anew.
  bool is_cramped(const double* rows, std::size_t n) const;

  // A copy that has room for these rows.
  Index with_room(const double* rows, std::size_t n) const;

  // Whether so many rows came or went that a new order is worth its time.
  bool is_due() const;

  // A copy whose bins were learned afresh and whose rows are in order.
  Index organised(const Plan& plan, std::size_t threads = 1) const;
  void organise(const Plan& plan, std::size_t threads = 1) { *this = organised(plan, threads); }

  // For each query what was found, by cost and then by id.
  std::vector<std::vector<Found>> search(const Plan& plan, const Request& request);

  // One query on the calling thread: the k nearest rows, or with k = 0 all at a cost of at most the limit.
  std::vector<Found> find(const Plan& plan, Seeker& seeker, const Request& one);

  // The values of a row.
  void copy_row(std::int64_t id, double* out) const;

  // The cost of every row, in the order of the given ids; equal where distances are.
  void costs(const Plan& plan, Seeker& seeker, const double* query, const double* weights, const std::int64_t* ids,
             std::size_t n, double* out) const;

 private:
  struct State;
  struct Made {};
  Index(Made, std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace priorcase::search
