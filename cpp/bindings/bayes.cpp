#include "bindings.hpp"

namespace priorcase {

void bind_bayes(nb::module_&) {}

}  // namespace priorcase
