#include "bindings.hpp"

namespace priorcase {

void bind_trees(nb::module_&) {}

}  // namespace priorcase
