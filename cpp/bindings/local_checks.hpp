// What compiled local models require of their input, beyond what each of them asks for.
#pragma once

#include <cmath>

#include "bindings/checks.hpp"
#include "local/design.hpp"

namespace priorcase::bindings {

inline void require_columns(const Flags& kinds, const Vector& scales) {
  for (std::size_t a = 0; a < kinds.size(); ++a)
    require(kinds.data()[a] <= local::LocalTable::nominal && std::isfinite(scales.data()[a]) && scales.data()[a] > 0.0,
            "kinds are 0, 1 or 2 and scales are above 0");
}

}  // namespace priorcase::bindings
