#include "local/columns.hpp"

#include "base/cpu.hpp"

namespace priorcase::local {

const ColumnSums& column_sums() {
  static const auto by_path = [] {
    base::ByPath<ColumnSums> found(scalar::column_sums);
#if PRIORCASE_X86
    found.with(base::Path::avx2, avx2::column_sums).with(base::Path::avx512, avx512::column_sums);
#endif
    return found;
  }();
  return by_path();
}

}  // namespace priorcase::local
