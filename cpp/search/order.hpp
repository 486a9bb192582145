// An order of rows that stores neighbors together, as in the leaves of a kd-tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/plan.hpp"
#include "search/store.hpp"

namespace priorcase::search {

// How a range of slots was split in two: the attribute, and the value or code at which the second half begins.
struct Cut {
  std::uint32_t attribute = 0;
  double value = 0.0;
};

// An order of slots in which neighbors share a leaf. Each range of slots is split near its middle, at the start of a
// leaf, along the attribute in which its rows differ most: numbers by size, symbols by code.
class Order {
 public:
  Order() = default;

  // Puts the slots in order. The result does not depend on the number of threads.
  Order(const Plan& plan, const Store& store, std::vector<std::uint32_t>& slots, std::size_t threads);

  // Restores an order from the parts of an index with the given numbers of attributes and slots. They may be corrupt or
  // forged: throws std::invalid_argument if a search could read out of bounds.
  Order(const Parts& parts, std::size_t n_attributes, std::size_t n_slots);

  // Adds the order to the parts of a store.
  void add_to(Parts& parts) const;

  // The number of slots that are in order.
  std::size_t size() const { return size_; }
  std::size_t n_bytes() const { return cuts_.capacity() * sizeof(Cut); }

  // Returns the leaf in which a row with these cells would lie.
  std::size_t leaf_of(const double* cells) const;

 private:
  friend class Ordering;
  static std::size_t middle_of(std::size_t begin, std::size_t end);

  std::size_t size_ = 0;
  std::vector<Cut> cuts_;  // indexed by the leaf at which the second half begins
};

}  // namespace priorcase::search
