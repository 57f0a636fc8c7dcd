// Attention between projections as one call, for devices that have it: no scores or probabilities
// are kept, but one number for each row of them.
#pragma once

#include <concepts>
#include <cstdint>

#include "exec/kernels/attention.h"
#include "exec/kernels/bfloat16.h"

namespace pipegraph {

/// By head: [samples, heads, tokens, head columns]; by token: [samples, tokens, heads, head
/// columns]. What T points to lies on a multiple of k_fused_alignment bytes.
template <class T>
struct FusedAttention {
  kernels::HeadShape heads;  ///< of one part
  bool causal = false;
  kernels::Wide<T> scale{1};
  const T *queries = nullptr, *keys = nullptr, *values = nullptr;  ///< by head
  T* result = nullptr;                     ///< by token; a backward reads it
  kernels::Wide<T>* statistics = nullptr;  ///< [samples, heads, tokens], likewise
};

template <class T>
struct FusedAttentionGradients {
  const T* result = nullptr;  ///< by token
  /// Those of queries, keys and values, by token: [samples, tokens, 3, heads, head columns].
  T* projected = nullptr;
  kernels::Wide<T>* sums = nullptr;     ///< overwritten: [samples, heads, tokens]
  kernels::Wide<T>* queries = nullptr;  ///< overwritten: by head
};

inline constexpr std::int64_t k_fused_alignment = 16;
/// Fewer leave no room for statistics and alignment where probabilities would be.
inline constexpr std::int64_t k_fewest_fused_tokens = 8;

template <class D>
concept FusesAttention = requires(D& device, const FusedAttention<typename D::Scalar>& attention,
                                  const FusedAttentionGradients<typename D::Scalar>& gradients) {
  { device.fuses_attention() } -> std::convertible_to<bool>;
  device.attend(attention);
  device.attend_backward(attention, gradients);
};

}  // namespace pipegraph
