// What tells IB1 to IB5 apart: which instances a concept description keeps, and who speaks.
#pragma once

#include <cstdint>

namespace priorcase::concepts {

enum class Keep { every, misclassified, significant };  // IB1; IB2; IB3 and later
enum class TieRule { majority, first, random };

struct ConceptRules {
  Keep keep = Keep::every;
  TieRule ties = TieRule::majority;
  double z_accept = 0.0, z_drop = 0.0;
  bool weighted = false, known_only = false;  // IB4; IB5
  double weight_power = 2.0;
  std::int64_t window = 0;  // how many of the latest instances count, 0 for all
  double decay = 1.0;       // what is left of a record's earlier trials at the next one
};

}  // namespace priorcase::concepts
