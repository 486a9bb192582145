// The state of concept descriptions: conversion to and from bytes, and changes to several descriptions at once that are
// made completely or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "concepts/concept.hpp"

namespace priorcase::concepts {

// Returns everything that a description has learned as bytes, for pickling and copying.
std::string pack(const Concept& description);

// Returns a description with the plan and the rules of another one, and with the given state. The state may have fewer
// attributes than the plan: the values of the others are missing in every stored instance.
std::unique_ptr<Concept> unpack(const Concept& other, const char* bytes, std::size_t size);

// A description that can be reset to an earlier state, or marked as incomplete.
struct Description {
  std::unique_ptr<Concept> core;

  // Whether a change failed half-way and could not be undone: the description is then unusable.
  bool incomplete = false;

  // Seconds that learning a row took in the last batch, 0 if unknown. Predicts whether a batch may take long.
  double pace = 0.0;
};

// Rows to learn.
struct Batch {
  const std::int64_t* names;
  const double* cells;
  std::size_t rows;
  bool trace;
};

// The effect of a batch on a description: the names of instances that are not stored, or no longer stored; with a trace
// also, for each row, whether it was classified correctly (-1: there was nothing to predict from), how many instances
// were stored and how many acceptable after it, how many became acceptable, and how many were dropped.
struct Learned {
  std::vector<std::int64_t> gone;
  std::vector<std::int8_t> correct;
  std::vector<std::int64_t> stored, acceptable, accepted, dropped;
};

// Called now and then with the number of rows learned so far.
using Progress = std::function<void(std::size_t)>;

// Updates all descriptions with the same rows, each with labels of its own. After an error or an interrupt, all of them
// are as before. The exception is batches that are too short to need an interrupt, such as a single row: no earlier
// state is kept for them, they cannot be interrupted, and an error half-way, such as lack of memory, leaves the
// descriptions marked as incomplete.
std::vector<Learned> learn(const std::vector<Description*>& descriptions, const Batch& batch,
                           const std::vector<const std::int64_t*>& labels, std::size_t threads,
                           const Progress& progress);

// Removes the instances with these names from all descriptions; see Concept::forget. If a description lacks one of the
// names, nothing is changed.
void forget(const std::vector<Description*>& descriptions, const std::int64_t* names, std::size_t n);

}  // namespace priorcase::concepts
