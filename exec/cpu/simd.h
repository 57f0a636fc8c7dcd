// Loops over kernel bodies, compiled for several instruction sets and chosen when the program runs,
// so that one binary is fast on every x86-64. Bodies round alike on all of them: the build allows
// no fused multiply-add (exec/kernels/CMakeLists.txt).
#pragma once

#include <cstdint>
#include <string_view>

#include "exec/kernels/group.h"

namespace pipegraph {

enum class SimdLevel : std::uint8_t {
  Baseline,  ///< what the compiler was told
  Avx2,
  Avx512,
};

/// The highest this machine and this build know.
SimdLevel machine_simd_level();
/// "baseline", "avx2", "avx512".
std::string_view to_text(SimdLevel level);

namespace detail {

template <class Body>
[[gnu::always_inline]] inline void loop_elements(std::int64_t count, const Body& body) {
  for (std::int64_t i = 0; i < count; ++i) body(i);
}

template <class Body>
[[gnu::always_inline]] inline void loop_rows(std::int64_t count, const Body& body) {
  kernels::SerialGroup group;
  for (std::int64_t row = 0; row < count; ++row) body(group, row);
}

template <class Body>
void elements_baseline(std::int64_t count, Body body) {
  loop_elements(count, body);
}
template <class Body>
void rows_baseline(std::int64_t count, Body body) {
  loop_rows(count, body);
}

#ifdef __x86_64__
// g++ prefers vectors of 256 bits unless told.
#ifdef __clang__
#define PIPEGRAPH_AVX512 [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl")]]
#else
#define PIPEGRAPH_AVX512 \
  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")]]
#endif
#define PIPEGRAPH_AVX2 [[gnu::target("avx2")]]

template <class Body>
PIPEGRAPH_AVX2 void elements_avx2(std::int64_t count, Body body) {
  loop_elements(count, body);
}
template <class Body>
PIPEGRAPH_AVX2 void rows_avx2(std::int64_t count, Body body) {
  loop_rows(count, body);
}
template <class Body>
PIPEGRAPH_AVX512 void elements_avx512(std::int64_t count, Body body) {
  loop_elements(count, body);
}
template <class Body>
PIPEGRAPH_AVX512 void rows_avx512(std::int64_t count, Body body) {
  loop_rows(count, body);
}

#undef PIPEGRAPH_AVX2
#undef PIPEGRAPH_AVX512
#endif

}  // namespace detail

template <class Body>
void run_elements(SimdLevel level, std::int64_t count, const Body& body) {
#ifdef __x86_64__
  if (level == SimdLevel::Avx512) return detail::elements_avx512(count, body);
  if (level == SimdLevel::Avx2) return detail::elements_avx2(count, body);
#endif
  detail::elements_baseline(count, body);
}

template <class Body>
void run_rows(SimdLevel level, std::int64_t count, const Body& body) {
#ifdef __x86_64__
  if (level == SimdLevel::Avx512) return detail::rows_avx512(count, body);
  if (level == SimdLevel::Avx2) return detail::rows_avx2(count, body);
#endif
  detail::rows_baseline(count, body);
}

}  // namespace pipegraph
