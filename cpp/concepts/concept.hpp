// A concept description that learns one instance at a time: IB1 to IB5 (Aha, Kibler & Albert 1991; Aha 1992).
//
// The framework has three parts: similarity, classification, and the update of the description. What differs between
// the algorithms is in Rules. Instances are numbered in the order in which they were stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "search/index.hpp"

namespace priorcase::concepts {

// Rules and records -----------------------------------------------------------------------------------------------

enum class Keep { every, misclassified, significant };  // IB1; IB2; IB3 and later
enum class TieRule { majority, first, random };
enum class Reason : std::uint8_t { first, every, misclassified };

struct Rules {
  Keep keep = Keep::every;
  TieRule ties = TieRule::majority;
  double z_accept = 0.0, z_drop = 0.0;
  bool weighted = false, known_only = false;  // IB4; IB5
  double weight_power = 2.0;
  std::int64_t window = 0;  // how many of the latest instances count, 0 for all
  double decay = 1.0;       // what is left of a record's earlier trials at the next one
};

// A stored instance but for its values: its name and label, and how often it classified correctly.
struct Record {
  std::int64_t name = 0, label = 0, arrived = 0;
  Reason reason = Reason::first;
  bool stored = true;
  bool was_acceptable = false;  // when it was last looked at for the trace
  double successes = 0.0, trials = 0.0;
  double low = 0.0;  // lower bound of its accuracy, at the level of acceptance
};

// How frequent each class was among the instances seen, and the intervals that accuracies are compared with.
class ClassFrequencies {
 public:
  // window: only so many instances back, 0 for all.
  ClassFrequencies(double z_accept, double z_drop, std::int64_t window);

  void count(std::int64_t label);
  void forget(std::int64_t label);
  void judge();  // after any change of the counts

  double frequency(std::int64_t label) const { return counts[label] / seen; }

  // An instance is acceptable if its accuracy is significantly above the first, and poor if it is below the second.
  double accept_above(std::int64_t label) const { return accept_above_[label]; }
  double drop_below(std::int64_t label) const { return drop_below_[label]; }

  std::vector<double> counts;  // by label
  double seen = 0.0;
  std::deque<std::int64_t> recent;  // labels of the instances in the window

 private:
  double z_accept_, z_drop_;
  std::int64_t window_;
  std::vector<double> accept_above_, drop_below_;
};

// What IB4 and IB5 learn of each attribute: how well its differences tell classes apart (Aha 1992).
class AttributeWeights {
 public:
  AttributeWeights(std::size_t n, double power);

  // One comparison with the instance that classified x: share is 1 minus the higher frequency of the two classes.
  void learn(std::size_t a, double difference, bool same_class, double share);

  double weight(std::size_t a) const;
  void fill(std::vector<double>& out) const;  // as a search takes them

  std::vector<double> sums, norms;

 private:
  double power_;
};

// The first part of the framework: instances in an index, and a plan whose ranges follow what arrives.
class Similarity {
 public:
  // ranged: attributes whose range is that of the numbers seen so far.
  Similarity(search::Plan plan, std::vector<std::uint8_t> coded, std::vector<std::uint8_t> ranged);

  std::size_t n_attributes() const { return coded_.size(); }
  std::size_t size() const { return index_->n_rows(); }
  const search::Plan& plan() const { return plan_; }
  const std::vector<std::uint8_t>& coded() const { return coded_; }

  void copy_row(std::size_t order, double* out) const;
  void put(std::size_t order, const double* row);
  void remove(std::size_t order);
  void renumber(const std::vector<std::size_t>& orders);  // keeps the instances given, which are numbered afresh

  // Whether the instances are worth putting in search order.
  bool is_due() const { return index_->is_due(); }
  void organise() { index_->organise(plan_); }

  // Ranges of numbers; those of an arriving instance are included.
  void widen(const double* row) { ranges.widen(row, plan_); }
  void clear_ranges() { ranges.clear(plan_); }
  void set_ranges() { ranges.set(plan_); }

  // Whether rows can be stored, or be queries, as in the index.
  bool takes(const double* rows, std::size_t n, bool queries = false) const { return index_->takes(rows, n, queries); }

  void admit(double* row) const;  // a row to be stored: values that the plan does not know are missing
  void ask(double* row) const;    // a query: values that the plan does not know are unseen

  // The instances at the least cost that the judge allows.
  std::vector<search::Found> find(const double* row, const std::vector<double>& weights, const search::Judge* judge);
  // The same for many queries, which changes nothing.
  std::vector<std::vector<search::Found>> search(const double* rows, std::size_t n, const std::vector<double>& weights,
                                                 const search::Judge* judge, std::size_t threads) const;
  // The costs of some instances.
  void costs(const double* row, const std::vector<double>& weights, const std::vector<std::int64_t>& orders,
             std::vector<double>& out);

  // How the row that was last compared differs in an attribute.
  const search::Difference& difference(std::size_t a) const { return seeker_.difference(a); }

  search::Ranges ranges;

 private:
  std::vector<std::uint8_t> coded_;
  search::Plan plan_;
  std::unique_ptr<search::Index> index_;
  search::Seeker seeker_;
};

// The description -------------------------------------------------------------------------------------------------

// What one instance did to the description.
struct Change {
  int correct = -1;  // -1: there was nothing to predict from
  std::int64_t dropped = 0;
};

class Concept {
 public:
  Concept(search::Plan plan, std::vector<std::uint8_t> coded, std::vector<std::uint8_t> ranged, const Rules& rules,
          std::uint64_t seed);

  std::size_t size() const { return similarity.size(); }
  const std::vector<double>& weights() const { return weights_; }

  // One instance; names of instances that are not stored, or no more, go to `gone`.
  Change learn(std::int64_t name, const double* values, std::int64_t label, std::vector<std::int64_t>& gone);

  // The candidates at the least cost for each query, in order of storing; of one label where one is given (not -1).
  std::vector<std::vector<search::Found>> nearest(const double* queries, std::size_t n, std::int64_t label,
                                                  std::size_t threads) const;

  bool acceptable(const Record& record) const { return record.low > classes.accept_above(record.label); }

  // How many stored instances may classify, and how many of them could not when last asked.
  std::pair<std::int64_t, std::int64_t> review();

  // Takes instances out as if they had never come, but for the records of others.
  void forget(const std::vector<std::size_t>& orders);

  // Stores an instance with its record as it was; `settle` comes after the last.
  void restore(const Record& record, const double* row);
  void settle();

  const Rules rules;
  Similarity similarity;
  AttributeWeights relevance;
  base::SplitMix random;
  ClassFrequencies classes;
  std::vector<Record> records;  // in order of storing; some are stored no more
  std::int64_t arrivals = 0, n_dropped = 0;

 private:
  // The label of an instance, and the stored instance that it is from.
  struct Answer {
    std::int64_t label, order;
  };
  struct Eligible;
  struct Noting;

  Answer classify();
  Answer decide(const std::vector<search::Found>& tied);
  Answer random_neighbor();
  bool any_acceptable();

  void update_records(std::int64_t label);
  void learn_weights(std::int64_t label, const Answer& answer);
  std::int64_t drop(std::vector<std::int64_t>& gone);
  std::int64_t expire(std::vector<std::int64_t>& gone);
  void store(std::int64_t name, std::int64_t label, Reason reason);
  void remove(std::size_t order);
  void renumber();

  std::vector<double> weights_, row_, other_, costs_;
  std::vector<std::size_t> votes_, leaving_;
  std::vector<std::int64_t> orders_;
  std::vector<search::Found> tried_;  // the instances at least as near as the one that classified last
  std::size_t proven_ = 0, oldest_ = 0;
};

}  // namespace priorcase::concepts
