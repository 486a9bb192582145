// A concept description that learns one instance at a time: IB1 to IB5 (Aha, Kibler & Albert 1991; Aha 1992).
//
// The framework has three parts: similarity, classification, and the update of the description. The algorithms differ
// only in their Rules. Instances are numbered in the order in which they were stored.
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
  std::int64_t window = 0;  // how many of the latest instances count; 0: all
  double decay = 1.0;       // factor on the earlier trials of a record at each further trial
};

// A stored instance without its values: its name and label, and how often it classified correctly.
struct Record {
  std::int64_t name = 0, label = 0, arrived = 0;
  Reason reason = Reason::first;
  bool stored = true;
  bool was_acceptable = false;  // at the last call of Concept::review
  double successes = 0.0, trials = 0.0;
  double low = 0.0;  // lower bound of its accuracy, at the confidence level for acceptance
};

// The frequency of each class among the instances seen, and the confidence intervals that accuracies are compared with.
class ClassFrequencies {
 public:
  // window: how many of the latest instances count; 0: all.
  ClassFrequencies(double z_accept, double z_drop, std::int64_t window);

  void count(std::int64_t label);
  void forget(std::int64_t label);
  void judge();  // recomputes the intervals, after any change of the counts

  double frequency(std::int64_t label) const { return counts[label] / seen; }

  // An instance is acceptable if the lower bound of its accuracy is above accept_above(label), and is dropped if the
  // upper bound is below drop_below(label).
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

// The attribute weights that IB4 and IB5 learn: how well the differences in an attribute separate the classes (Aha 1992).
class AttributeWeights {
 public:
  AttributeWeights(std::size_t n, double power);

  // Learns from one comparison of x with the instance that classified it: share is 1 minus the higher frequency of their
  // two classes.
  void learn(std::size_t a, double difference, bool same_class, double share);

  double weight(std::size_t a) const;
  void fill(std::vector<double>& out) const;  // writes the weights for a search: raised to the power

  std::vector<double> sums, norms;

 private:
  double power_;
};

// The first part of the framework: instances in an index, and a plan whose ranges are updated as instances arrive.
class Similarity {
 public:
  // ranged: marks the attributes whose range is that of the numbers seen so far.
  Similarity(search::Plan plan, std::vector<std::uint8_t> coded, std::vector<std::uint8_t> ranged);

  std::size_t n_attributes() const { return coded_.size(); }
  std::size_t size() const { return index_->n_rows(); }
  const search::Plan& plan() const { return plan_; }
  const std::vector<std::uint8_t>& coded() const { return coded_; }

  void copy_row(std::size_t order, double* out) const;
  void put(std::size_t order, const double* row);
  void remove(std::size_t order);
  void renumber(const std::vector<std::size_t>& orders);  // keeps only the given instances and renumbers them from 0

  // Returns whether it is worth putting the instances in search order.
  bool is_due() const { return index_->is_due(); }
  void organise() { index_->organise(plan_); }

  // Ranges of the numbers seen; `widen` includes the numbers of an arriving instance.
  void widen(const double* row) { ranges.widen(row, plan_); }
  void clear_ranges() { ranges.clear(plan_); }
  void set_ranges() { ranges.set(plan_); }

  // Returns whether the index accepts the rows for storing, or as queries.
  bool takes(const double* rows, std::size_t n, bool queries = false) const { return index_->takes(rows, n, queries); }

  void admit(double* row) const;  // for a row to be stored: values that the plan does not know become missing
  void ask(double* row) const;    // for a query: values that the plan does not know become unseen

  // Returns the instances with the least cost among those that the judge allows.
  std::vector<search::Found> find(const double* row, const std::vector<double>& weights, const search::Judge* judge);
  // The same for many queries, without changing this object.
  std::vector<std::vector<search::Found>> search(const double* rows, std::size_t n, const std::vector<double>& weights,
                                                 const search::Judge* judge, std::size_t threads) const;
  // Computes the costs of some instances.
  void costs(const double* row, const std::vector<double>& weights, const std::vector<std::int64_t>& orders,
             std::vector<double>& out);

  // Returns the differences in an attribute from the row of the last find() or costs().
  const search::Difference& difference(std::size_t a) const { return seeker_.difference(a); }

  search::Ranges ranges;

 private:
  std::vector<std::uint8_t> coded_;
  search::Plan plan_;
  std::unique_ptr<search::Index> index_;
  search::Seeker seeker_;
};

// The description -------------------------------------------------------------------------------------------------

// The effect of learning one instance.
struct Change {
  int correct = -1;  // whether it was classified correctly; -1: there was nothing to predict from
  std::int64_t dropped = 0;
};

class Concept {
 public:
  Concept(search::Plan plan, std::vector<std::uint8_t> coded, std::vector<std::uint8_t> ranged, const Rules& rules,
          std::uint64_t seed);

  std::size_t size() const { return similarity.size(); }
  const std::vector<double>& weights() const { return weights_; }

  // Learns one instance. The names of instances that are not stored, or no longer stored, are appended to `gone`.
  Change learn(std::int64_t name, const double* values, std::int64_t label, std::vector<std::int64_t>& gone);

  // Returns, for each query, the instances with the least cost among those that may classify and, unless `label` is -1,
  // have this label; in the order in which they were stored.
  std::vector<std::vector<search::Found>> nearest(const double* queries, std::size_t n, std::int64_t label,
                                                  std::size_t threads) const;

  bool acceptable(const Record& record) const { return record.low > classes.accept_above(record.label); }

  // Returns how many stored instances are acceptable, and how many of these were not at the last call. For algorithms
  // without acceptance (IB1, IB2), all stored instances count as acceptable.
  std::pair<std::int64_t, std::int64_t> review();

  // Removes instances as if they had never arrived, except that the records of other instances are unchanged.
  void forget(const std::vector<std::size_t>& orders);

  // Stores an instance with an earlier record. Call settle() after the last one.
  void restore(const Record& record, const double* row);
  void settle();

  const Rules rules;
  Similarity similarity;
  AttributeWeights relevance;
  base::SplitMix random;
  ClassFrequencies classes;
  std::vector<Record> records;  // in order of storing, including some that are no longer stored
  std::int64_t arrivals = 0, n_dropped = 0;

 private:
  // A predicted label, and the stored instance that it comes from.
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
  std::vector<search::Found> tried_;  // the instances at least as near as the one that made the last classification
  std::size_t proven_ = 0, oldest_ = 0;
};

}  // namespace priorcase::concepts
