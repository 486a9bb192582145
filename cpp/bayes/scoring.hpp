// Log-probabilities of classes as sums of terms, one for each attribute: a table lookup by value, or a density.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayes/counts.hpp"

namespace priorcase::bayes {

struct TableTerm {
  std::size_t column = 0;
  std::size_t start = 0;    // its first row in the table
  std::size_t n_slots = 0;  // the number of its rows
  std::vector<double> cuts;
  bool cut = false;
};

// Student: log p = c - e log1p((x - location)^2 q). Normal: log p = c - (x - location)^2 q.
struct Density {
  double c, location, q, e;

  double student(double x) const;
  double normal(double x) const;
};

enum class Shape : std::uint8_t { student, normal, mixed };

struct DensityTerm {
  std::size_t column = 0;
  Shape shape = Shape::student;
  std::vector<Density> classes;
  // Mixed: log(exp(log_in) p(x | class) + exp(log_out) p(x)).
  Density pooled{};
  double log_in = 0.0, log_out = 0.0;

  double at(double x, std::size_t k) const;
};

enum class Scale : std::uint8_t { joint, log_probability, probability };

// Converts the joint log-probabilities of one row, for n >= 1 classes, to the given scale. If every class is
// impossible, all classes are equally probable.
void normalise(const double* joint, std::size_t n, Scale scale, double* out);

// The same for many rows.
void normalise_rows(const double* joint, std::size_t rows, std::size_t n, Scale scale, double* out,
                    std::size_t threads);

class Scorer {
 public:
  // prior: log-probability of each class; table: slots by classes, with the slots of each term contiguous.
  Scorer(const double* prior, std::size_t n_classes, const double* table, std::size_t n_cells);

  // Sets the prior and the table that are used for a row's own class when the row itself is left out.
  void leave_out(const double* prior, const double* table);

  void add(TableTerm term);
  void add(DensityTerm term);

  // Throws std::invalid_argument unless every term has its column, and the columns of densities and cuts hold numbers.
  void check_columns(const std::vector<Column>& columns) const;

  std::size_t n_classes() const { return n_classes_; }
  std::size_t n_cells() const { return table_.size() / padded_; }
  bool leaves_out() const { return !own_prior_.empty(); }
  bool has_densities() const { return !densities_.empty(); }

  // Writes scores, rows by classes. If `own`, the class of each row, is not null, every row is left out of the counts
  // of its own class.
  void score(const std::vector<Column>& columns, std::size_t rows, const Column* own, Scale scale, double* out,
             std::size_t threads) const;

 private:
  class Worker;

  std::vector<double> padded(const double* values, std::size_t rows) const;

  std::size_t n_classes_, padded_;  // rows of the table are padded to an even length
  std::vector<double> prior_, table_, own_prior_, own_table_;
  std::vector<TableTerm> tables_;
  std::vector<DensityTerm> densities_;
};

}  // namespace priorcase::bayes
