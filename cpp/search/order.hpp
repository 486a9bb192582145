// An order of rows in which neighbours lie together, as in the leaves of a kd-tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/plan.hpp"
#include "search/store.hpp"

namespace priorcase::search {

// Where the slots of a range were cut in two: along which attribute, and at which value or code the second half begins.
struct Cut {
  std::uint32_t attribute = 0;
  double value = 0.0;
};

// An order of slots in which neighbours share a leaf: each range of slots is cut in two, at a whole leaf near its
// middle, along the attribute in which its rows differ most, numbers by size and symbols by code.
class Order {
 public:
  Order() = default;

  // Puts the slots in order. The order does not depend on the number of threads.
  Order(const Plan& plan, const Store& store, std::vector<std::uint32_t>& slots, std::size_t threads);

  // From the parts of an index with so many attributes and slots, which may have been made up: throws where a search
  // could read what is not there.
  Order(const Parts& parts, std::size_t n_attributes, std::size_t n_slots);

  // Adds the order to the parts of a store.
  void add_to(Parts& parts) const;

  // How many slots are in order.
  std::size_t size() const { return size_; }
  std::size_t n_bytes() const { return cuts_.capacity() * sizeof(Cut); }

  // The leaf in which a row with these cells would lie.
  std::size_t leaf_of(const double* cells) const;

 private:
  friend class Ordering;
  static std::size_t middle_of(std::size_t begin, std::size_t end);

  std::size_t size_ = 0;
  std::vector<Cut> cuts_;  // by the leaf that begins there
};

}  // namespace priorcase::search
