#include "search/kernels/kernels.hpp"

#include "base/cpu.hpp"

namespace priorcase::search {

const Kernels& kernels() {
  static const auto by_path = [] {
    base::ByPath<Kernels> found(scalar::kernels);
#if PRIORCASE_X86
    found.with(base::Path::avx2, avx2::kernels).with(base::Path::avx512, avx512::kernels);
#elif PRIORCASE_ARM
    found.with(base::Path::neon, neon::kernels);
#endif
    return found;
  }();
  return by_path();
}

}  // namespace priorcase::search
