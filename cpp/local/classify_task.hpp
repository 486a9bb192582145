// What local classifiers are fitted to: the voters of each query and their classes.
#pragma once

#include "local/design.hpp"

namespace priorcase::local {

struct ClassTask {
  LocalTable table;  // without targets
  VoterLists lists;
  const std::int64_t* codes;  // the class of each stored row
  std::size_t n_classes;
  const double* queries;  // NaN is a gap, -1 a value that no stored row has
  std::size_t n_queries;

  const double* query(std::size_t q) const { return queries + q * table.n_attributes; }
};

// The voters of one query that have weight, with their classes numbered as they come up in its list.
class ClassVoters {
 public:
  explicit ClassVoters(const ClassTask& task) : task_(task), number_(task.n_classes, absent) {}

  void take(std::size_t q) {
    for (const std::size_t c : present_) number_[c] = absent;
    present_.clear();
    masses_.clear();
    of_.clear();
    weights_.clear();
    voters_.take(task_.lists, q);
    for (std::size_t i = 0; i < voters_.size(); ++i) {
      const auto c = static_cast<std::size_t>(task_.codes[voters_.row(i)]);
      if (number_[c] == absent) {
        number_[c] = present_.size();
        present_.push_back(c);
        masses_.push_back(0.0);
      }
      of_.push_back(number_[c]);
      weights_.push_back(voters_.restore(voters_.weights()[i]));
      masses_[number_[c]] += weights_.back();
    }
  }

  std::size_t size() const { return voters_.size(); }
  const Voters& voters() const { return voters_; }
  // The classes that have a voter, and how much each weighs.
  const std::vector<std::size_t>& present() const { return present_; }
  double mass(std::size_t l) const { return masses_[l]; }
  // Of one voter: which of the present classes it has, its weight, and a cell of its row.
  std::size_t of(std::size_t i) const { return of_[i]; }
  double weight(std::size_t i) const { return weights_[i]; }
  double cell(std::size_t i, std::size_t a) const {
    return task_.table.cells[static_cast<std::size_t>(voters_.row(i)) * task_.table.n_attributes + a];
  }

 private:
  static constexpr std::size_t absent = static_cast<std::size_t>(-1);

  const ClassTask& task_;
  Voters voters_;
  std::vector<std::size_t> number_, present_, of_;
  std::vector<double> masses_, weights_;
};

}  // namespace priorcase::local
