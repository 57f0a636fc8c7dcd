// CRC-32 of files (the polynomial of zlib, so that `zlib.crc32` of Python checks them): finds every
// single burst of up to 32 wrong bits, and any other damage but one time in 2^32.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pipegraph {

/// Of the bytes that gave `before` followed by `bytes`; begin with 0.
std::uint32_t crc32(std::string_view bytes, std::uint32_t before = 0);

/// Eight lower-case hexadecimal digits.
std::string crc32_text(std::uint32_t crc);

}  // namespace pipegraph
