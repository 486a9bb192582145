// The state of concept descriptions: as bytes and back, and changes of several descriptions at once that are made whole
// or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "concepts/concept.hpp"

namespace priorcase::concepts {

// Everything a description has learned, as bytes: for pickles and copies.
std::string pack(const Concept& description);

// A description with the plan and the rules of another one, and with the state given. The state may have fewer
// attributes than the plan: the others are missing in every stored instance.
std::unique_ptr<Concept> unpack(const Concept& other, const char* bytes, std::size_t size);

// A description that can be put back to an earlier state, or found incomplete.
struct Description {
  std::unique_ptr<Concept> core;

  // Whether a change failed half-way and could not be undone: then only a new description helps.
  bool incomplete = false;

  // Seconds that learning a row took lately, 0 where that is not known: whether a batch may take long.
  double pace = 0.0;
};

// Rows to learn.
struct Batch {
  const std::int64_t* names;
  const double* cells;
  std::size_t rows;
  bool trace;
};

// What a batch did to a description: names of instances that are not stored, or no more; and with a trace, for each
// row, whether it was classified correctly (-1: there was nothing to predict from), how many instances were stored and
// acceptable then, how many became acceptable by it, and how many were dropped.
struct Learned {
  std::vector<std::int64_t> gone;
  std::vector<std::int8_t> correct;
  std::vector<std::int64_t> stored, acceptable, accepted, dropped;
};

// Called now and then with the number of rows that were learned.
using Progress = std::function<void(std::size_t)>;

// Lets descriptions learn the same rows, each with labels of its own. An error or an interrupt leaves all of them as
// they were. Only batches that take too little time to be interrupted, such as a single row, keep nothing to go back
// to: they are not interrupted, and an error in the middle, such as no memory, leaves descriptions marked as
// incomplete.
std::vector<Learned> learn(const std::vector<Description*>& descriptions, const Batch& batch,
                           const std::vector<const std::int64_t*>& labels, std::size_t threads,
                           const Progress& progress);

// Takes instances out of descriptions, by their names, as if they had never come; nothing is changed where one of them
// lacks a name.
void forget(const std::vector<Description*>& descriptions, const std::int64_t* names, std::size_t n);

}  // namespace priorcase::concepts
