// The cases most similar to a query: weighted means of local similarities, looked up value by value.
//
// sim(q, c) = sum_a w_a s_a(q, c) / sum_a w_a, the double nearest to the exact quotient (products and sums keep what
// rounding takes), so that neither the order of the attributes nor the number of threads shows, and cases that are
// equally similar compare equal. To be quick, bounds come first, bytes where there are groups of values, then plain
// sums; only cases that these cannot rule out are summed with care.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace priorcase::cases {

// The values of a column in at most 62 groups, and the group of each case's value in a byte: all cases of a group have
// at most the largest similarity of its values. Numbers that are near each other share a group.
class ValueGroups {
 public:
  // Codes are below the number of values, and below 0 where a case has none; numbers may be null, and are never NaN.
  // Groups of the same column when it had fewer cases save work: those of its cases and values are kept.
  ValueGroups(const std::int32_t* codes, std::size_t n_cases, const double* numbers, std::size_t n_values,
              const ValueGroups* earlier = nullptr);

  std::size_t n_values() const { return n_values_; }

  // Bytes of the cases from a multiple of 256 on, 256 of them.
  const std::uint8_t* panel(std::size_t first_case) const { return bytes_.data() + first_case; }

  // The largest entry of each group in a table by values. Throws where an entry is not from 0 to 1.
  void largest(const double* table, double* found) const;

 private:
  void group_numbers(const double* numbers, std::size_t first);

  std::size_t n_cases_, n_values_, n_values_of_ends_ = 0;
  std::vector<double> ends_;          // the largest numbers of the groups but the last one
  std::vector<std::uint8_t> groups_;  // by value, where they are numbers; else value v is in group v % 62
  std::vector<std::uint8_t> bytes_;   // by case
};

// One attribute that the query knows: for each case the code of its value, below 0 where it has none; for each value
// how similar it is to the query's, from 0 to 1. With groups the codes are known to be right.
struct AskedAttribute {
  const std::int32_t* codes;
  const double* table;
  std::size_t n_values;
  double weight;
  const ValueGroups* groups = nullptr;
};

// Where unknown values are ignored, the weights of a case are those of the attributes that it knows.
struct Query {
  std::vector<AskedAttribute> attributes;
  std::size_t n_cases;
  bool ignore;

  // Throws where a code has no place in its table, or an entry is not from 0 to 1.
  void check() const;
};

struct Match {
  double similarity;
  std::int64_t position;

  bool operator<(const Match& other) const {
    return similarity != other.similarity ? similarity > other.similarity : position < other.position;
  }
};

// The best k of the cases that the mask allows (all where there is none), most similar first, among equals by position.
std::vector<Match> best_cases(const Query& query, const std::uint8_t* mask, std::size_t k, std::size_t threads);

std::vector<double> all_similarities(const Query& query, std::size_t threads);

// By each attribute: one row for each match, NaN where the case has no value.
std::vector<double> local_similarities(const Query& query, const std::vector<Match>& matches);

// An attribute of many queries at once: each has one of a few values, with a table of its own, one behind the other.
struct ManyAsked {
  const std::int32_t* query_codes;
  std::size_t n_tables;
  AskedAttribute attribute;
};

// What many queries ask; each leaves its own case out, where it is one.
struct ManyQueries {
  std::vector<ManyAsked> attributes;
  const std::int64_t* own;
  std::size_t n_queries, n_cases;
  const std::uint8_t* mask;
  bool ignore;

  Query query(std::size_t which) const;

  // Throws where a code has no place in its table or no table, or an entry is not from 0 to 1.
  void check() const;
};

// The best k for each query, k places each; what is left over keeps what it held.
void best_cases_many(const ManyQueries& queries, std::size_t k, std::size_t threads, std::int64_t* positions,
                     double* similarities);

// Members in common of a set asked about and a stored one, divided by: all members of both, half of the members of each
// together, those asked about, or those of the smaller one.
enum class SetMeasure : std::uint8_t { jaccard, dice, containment, overlap };

// Lists that say for each term which values have it, and how much: what a sparse question is multiplied with. Term t is
// in the values holders[starts[t]] up to holders[starts[t + 1]]; once each without weights.
class Postings {
 public:
  Postings(std::vector<std::int64_t> starts, const std::int32_t* holders, const double* weights, std::size_t n_values);

  std::size_t n_terms() const { return starts_.size() - 1; }

  // For each value the sum over the terms asked about of the term's weight times its weight there, in the terms' order.
  // Throws where a holder is not among the values.
  std::vector<double> products(const std::int64_t* terms, const double* term_weights, std::size_t n) const;

  // How similar each value is to a set of so many members, some of which are terms, if values are sets of terms.
  std::vector<double> set_similarities(const std::vector<std::int64_t>& terms, std::size_t asked,
                                       SetMeasure measure) const;

 private:
  template <class Add>
  void for_holders(std::size_t term, const Add& add) const;

  std::vector<std::int64_t> starts_;
  const std::int32_t* holders_;
  const double* weights_;
  std::size_t n_values_;
  std::vector<std::int32_t> sizes_;  // how many terms each value has, where there are no weights
};

}  // namespace priorcase::cases
