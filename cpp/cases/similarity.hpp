// The cases most similar to a query, by the weighted mean of local similarities, which are looked up value by value.
//
// sim(q, c) = sum_a w_a s_a(q, c) / sum_a w_a, rounded to the double nearest to the exact quotient (products and sums
// keep their rounding errors), so that the result does not depend on the order of the attributes or the number of
// threads, and cases that are equally similar compare equal. For speed, upper bounds are computed first, in bytes if
// the values are grouped, then plain sums; only cases that these cannot rule out are summed exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace priorcase::cases {

// The values of a column in at most 62 groups, and the group of each case's value as a byte. The largest similarity of
// the values of a group is an upper bound for all its cases. Numbers that are near each other share a group.
class ValueGroups {
 public:
  // codes: below n_values, and negative where a case has no value. numbers: the number of each code, never NaN, or null
  // if the values are not numbers. earlier: the groups of the same column when it had fewer cases, which are reused for
  // these cases where possible.
  ValueGroups(const std::int32_t* codes, std::size_t n_cases, const double* numbers, std::size_t n_values,
              const ValueGroups* earlier = nullptr);

  std::size_t n_values() const { return n_values_; }

  // Returns the bytes of the 256 cases from first_case on, a multiple of 256.
  const std::uint8_t* panel(std::size_t first_case) const { return bytes_.data() + first_case; }

  // Writes the largest entry of each group in a table with one entry per value. Throws if an entry is not from 0 to 1.
  void largest(const double* table, double* found) const;

 private:
  void group_numbers(const double* numbers, std::size_t first);

  std::size_t n_cases_, n_values_, n_values_of_ends_ = 0;
  std::vector<double> ends_;          // the largest number of each group except the last
  std::vector<std::uint8_t> groups_;  // by value, if they are numbers; otherwise value v is in group v % 62
  std::vector<std::uint8_t> bytes_;   // by case
};

// An attribute whose value the query has. codes: the code of each case's value, negative where it is missing; table: the
// similarity of each value to the query's, from 0 to 1. If there are groups, the codes have been checked before.
struct AskedAttribute {
  const std::int32_t* codes;
  const double* table;
  std::size_t n_values;
  double weight;
  const ValueGroups* groups = nullptr;
};

// If `ignore` is true, the missing values of a case are ignored: the mean is over the attributes that the case knows.
// Otherwise they count as similarity 0.
struct Query {
  std::vector<AskedAttribute> attributes;
  std::size_t n_cases;
  bool ignore;

  // Throws if a code has no entry in its table, or an entry is not from 0 to 1.
  void check() const;
};

struct Match {
  double similarity;
  std::int64_t position;

  bool operator<(const Match& other) const {
    return similarity != other.similarity ? similarity > other.similarity : position < other.position;
  }
};

// Returns the k best of the cases that the mask allows (all if it is null), the most similar first, ties by position.
std::vector<Match> best_cases(const Query& query, const std::uint8_t* mask, std::size_t k, std::size_t threads);

std::vector<double> all_similarities(const Query& query, std::size_t threads);

// Returns the similarity of each match in each attribute, matches by attributes; NaN where the case has no value.
std::vector<double> local_similarities(const Query& query, const std::vector<Match>& matches);

// An attribute of many queries at once. query_codes: the value of each query, one of a few, negative where it is missing;
// each value has a table of its own, and attribute.table is all tables concatenated.
struct ManyAsked {
  const std::int32_t* query_codes;
  std::size_t n_tables;
  AskedAttribute attribute;
};

// Many queries. own: the position of the query's own case, which is left out, -1 if it is not a case; may be null.
struct ManyQueries {
  std::vector<ManyAsked> attributes;
  const std::int64_t* own;
  std::size_t n_queries, n_cases;
  const std::uint8_t* mask;
  bool ignore;

  Query query(std::size_t which) const;

  // Throws if a code has no entry in its table or no table, or an entry is not from 0 to 1.
  void check() const;
};

// Writes the k best cases of each query, k entries for each; entries that are not needed are left unchanged.
void best_cases_many(const ManyQueries& queries, std::size_t k, std::size_t threads, std::int64_t* positions,
                     double* similarities);

// The size of the intersection of the query's set and a stored set, divided by: the size of their union (jaccard), half
// the sum of their sizes (dice), the size of the query's set (containment), or the smaller of their sizes (overlap).
enum class SetMeasure : std::uint8_t { jaccard, dice, containment, overlap };

// An inverted index: for each term, the values that contain it, with a weight for each. Term t is in the values
// holders[starts[t]] up to holders[starts[t + 1]]. If `weights` is null, values are sets and every weight is 1.
class Postings {
 public:
  Postings(std::vector<std::int64_t> starts, const std::int32_t* holders, const double* weights, std::size_t n_values);

  std::size_t n_terms() const { return starts_.size() - 1; }

  // Returns, for each value, its dot product with a sparse query: the sum of the query's weight of a term times the
  // term's weight in the value, added in the order of the given terms. Throws if a holder is not among the values.
  std::vector<double> products(const std::int64_t* terms, const double* term_weights, std::size_t n) const;

  // Returns the similarity of each value, a set of terms, to a set of `asked` members; `terms` are those of its members
  // that are terms of the index.
  std::vector<double> set_similarities(const std::vector<std::int64_t>& terms, std::size_t asked,
                                       SetMeasure measure) const;

 private:
  template <class Add>
  void for_holders(std::size_t term, const Add& add) const;

  std::vector<std::int64_t> starts_;
  const std::int32_t* holders_;
  const double* weights_;
  std::size_t n_values_;
  std::vector<std::int32_t> sizes_;  // number of terms of each value, if there are no weights
};

}  // namespace priorcase::cases
