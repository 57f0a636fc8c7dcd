// Where things lie in a tensor file. Internal to tensor_file*.cpp.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

namespace pipegraph {

static_assert(std::endian::native == std::endian::little, "files hold elements as memory does");

inline constexpr std::string_view k_tensor_magic = "PGTENSOR";
inline constexpr std::uint32_t k_tensor_format = 1;
/// Magic, format and the header's length.
inline constexpr std::uint64_t k_tensor_preamble = 16;
/// Tensors begin at multiples of this, so that they can be mapped as arrays.
inline constexpr std::uint64_t k_tensor_alignment = 64;

constexpr std::uint64_t aligned(std::uint64_t position) {
  return (position + k_tensor_alignment - 1) / k_tensor_alignment * k_tensor_alignment;
}

}  // namespace pipegraph
