// Number formats of training and what an element of each occupies.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/units.h"

namespace pipegraph {

/// fp32_tensor: fp32 data, products on tensor cores. tf32: the same with TF32's mantissa.
enum class Precision : std::uint8_t { Fp32, Fp32Tensor, Tf32, Fp16, Bf16 };
inline constexpr std::size_t k_precisions = 5;

/// Bytes of one element of activations, parameters and gradients: 4 or 2.
Bytes element_size(Precision precision);
/// "fp32", "fp32_tensor", "tf32", "fp16", "bf16".
std::string_view to_text(Precision precision);
std::optional<Precision> parse_precision(std::string_view text);

}  // namespace pipegraph
