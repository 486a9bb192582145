#include "bindings.hpp"

namespace priorcase {

void bind_concepts(nb::module_&) {}

}  // namespace priorcase
