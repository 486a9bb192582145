#include "bindings.hpp"

namespace priorcase {

void bind_prequential(nb::module_&) {}

}  // namespace priorcase
