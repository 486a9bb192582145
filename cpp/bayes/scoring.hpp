// Log-probabilities of classes as sums of terms, one for each attribute: a look-up by value, or a density.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bayes/counts.hpp"

namespace priorcase::bayes {

struct TableTerm {
  std::size_t column = 0;
  std::size_t start = 0;    // its first row in the table
  std::size_t n_slots = 0;  // its rows
  std::vector<double> cuts;
  bool cut = false;
};

// log p = c - e log1p((x - location)^2 q), or c - (x - location)^2 q where it is normal.
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

// Joint logs of one row, of one class or more, to (log-)probabilities; where every class is impossible, all are alike.
void normalise(const double* joint, std::size_t n, Scale scale, double* out);

// The same for many rows.
void normalise_rows(const double* joint, std::size_t rows, std::size_t n, Scale scale, double* out,
                    std::size_t threads);

class Scorer {
 public:
  // prior: the log-share of each class; table: cells by classes, the terms' slots one after another.
  Scorer(const double* prior, std::size_t n_classes, const double* table, std::size_t n_cells);

  // What a row's own class has when the row itself is left out.
  void leave_out(const double* prior, const double* table);

  void add(TableTerm term);
  void add(DensityTerm term);

  // Throws std::invalid_argument unless every term finds its column, and densities and cuts find numbers in it.
  void check_columns(const std::vector<Column>& columns) const;

  std::size_t n_classes() const { return n_classes_; }
  std::size_t n_cells() const { return table_.size() / padded_; }
  bool leaves_out() const { return !own_prior_.empty(); }
  bool has_densities() const { return !densities_.empty(); }

  // Rows by classes; with own, the class of each row, every row is left out of the counts of its own class.
  void score(const std::vector<Column>& columns, std::size_t rows, const Column* own, Scale scale, double* out,
             std::size_t threads) const;

 private:
  class Worker;

  std::vector<double> padded(const double* values, std::size_t rows) const;

  std::size_t n_classes_, padded_;  // lines of the table have an even length
  std::vector<double> prior_, table_, own_prior_, own_table_;
  std::vector<TableTerm> tables_;
  std::vector<DensityTerm> densities_;
};

}  // namespace priorcase::bayes
