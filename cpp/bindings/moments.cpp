#include "bindings.hpp"

namespace priorcase {

void bind_moments(nb::module_&) {}

}  // namespace priorcase
