#include "exec/cpu/simd.h"

namespace pipegraph {

SimdLevel machine_simd_level() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return SimdLevel::Avx512;
  if (__builtin_cpu_supports("avx2")) return SimdLevel::Avx2;
#endif
  return SimdLevel::Baseline;
}

std::string_view to_text(SimdLevel level) {
  constexpr std::string_view k_texts[]{"baseline", "avx2", "avx512"};
  return k_texts[static_cast<std::size_t>(level)];
}

}  // namespace pipegraph
