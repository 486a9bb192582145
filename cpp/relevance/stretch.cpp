#include "relevance/stretch.hpp"

#include "base/cpu.hpp"

namespace priorcase::relevance {

const StretchKernels& stretch_kernels() {
  static const auto by_path = [] {
    base::ByPath<StretchKernels> found(scalar::stretch_kernels);
#if PRIORCASE_X86
    found.with(base::Path::avx2, avx2::stretch_kernels).with(base::Path::avx512, avx512::stretch_kernels);
#endif
    return found;
  }();
  return by_path();
}

}  // namespace priorcase::relevance
