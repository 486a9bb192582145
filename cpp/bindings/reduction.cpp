#include "bindings.hpp"

namespace priorcase {

void bind_reduction(nb::module_&) {}

}  // namespace priorcase
