#include "bindings.hpp"

namespace priorcase {

void bind_pebls(nb::module_&) {}

}  // namespace priorcase
