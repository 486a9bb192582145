// What local classifiers are fitted to: the voters of each query, their weights and classes, and the cells of both sides.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace priorcase {

enum class ColumnKind : std::uint8_t { numeric = 0, ordinal = 1, nominal = 2 };

struct ClassTask {
  std::size_t queries = 0, attributes = 0, classes = 0;
  const std::int64_t* indptr = nullptr;  // the voters of query q are entries indptr[q] to indptr[q + 1]
  const std::int64_t* rows = nullptr;
  const double* weights = nullptr;       // of each entry, >= 0
  const std::int64_t* codes = nullptr;   // the class of each stored row
  const double* cells = nullptr;         // of the stored rows; NaN is a gap
  const double* asked = nullptr;         // of the queries; NaN is a gap, -1 a value that no stored row has
  const std::uint8_t* kinds = nullptr;
  const double* scales = nullptr;        // the spread of each column among all stored rows, > 0

  ColumnKind kind(std::size_t a) const { return static_cast<ColumnKind>(kinds[a]); }
  double query(std::size_t q, std::size_t a) const { return asked[q * attributes + a]; }
};

// The voters of one query that have a weight, in the order of its list, with classes numbered as they come up.
class LocalVoters {
 public:
  explicit LocalVoters(const ClassTask& task) : task_(task), number_(task.classes, -1) {}

  void gather(std::size_t q) {
    for (const std::size_t c : present) number_[c] = -1;
    present.clear(), rows.clear(), weights.clear(), of.clear(), masses.clear();
    for (std::int64_t e = task_.indptr[q]; e < task_.indptr[q + 1]; ++e) {
      if (!(task_.weights[e] > 0)) continue;
      const auto c = static_cast<std::size_t>(task_.codes[task_.rows[e]]);
      if (number_[c] < 0) {
        number_[c] = static_cast<std::int64_t>(present.size());
        present.push_back(c), masses.push_back(0.0);
      }
      const auto l = static_cast<std::size_t>(number_[c]);
      rows.push_back(static_cast<std::size_t>(task_.rows[e])), weights.push_back(task_.weights[e]), of.push_back(l);
      masses[l] += task_.weights[e];
    }
  }

  std::size_t size() const { return rows.size(); }
  double cell(std::size_t i, std::size_t a) const { return task_.cells[rows[i] * task_.attributes + a]; }

  std::vector<std::size_t> present;  // the classes that have a voter
  std::vector<double> masses;        // the weight of each of them
  std::vector<std::size_t> rows, of;  // of each voter: its stored row, and which of the present classes it has
  std::vector<double> weights;

 private:
  const ClassTask& task_;
  std::vector<std::int64_t> number_;
};

}  // namespace priorcase
