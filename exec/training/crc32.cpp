// Eight bytes at a time through eight tables: a checkpoint is summed about as fast as it is
// written.
#include "exec/training/crc32.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

namespace pipegraph {
namespace {

constexpr std::uint32_t k_polynomial = 0xEDB88320;  // bits reversed: the lowest comes first
constexpr std::size_t k_slices = 8;
using Table = std::array<std::uint32_t, 256>;

/// tables[s][b]: what byte b contributes once s more bytes have passed.
constexpr std::array<Table, k_slices> make_tables() {
  std::array<Table, k_slices> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? k_polynomial : 0);
    tables[0][byte] = crc;
  }
  for (std::size_t s = 1; s < k_slices; ++s)
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t crc = tables[s - 1][byte];
      tables[s][byte] = (crc >> 8) ^ tables[0][crc & 0xFF];
    }
  return tables;
}

constexpr std::array<Table, k_slices> k_tables = make_tables();

std::uint32_t eight_bytes(std::uint32_t crc, const char* bytes) {
  std::array<std::uint8_t, k_slices> block{};
  std::memcpy(block.data(), bytes, k_slices);
  for (std::size_t i = 0; i < 4; ++i) block[i] ^= static_cast<std::uint8_t>(crc >> (8 * i));
  std::uint32_t result = 0;
  for (std::size_t i = 0; i < k_slices; ++i) result ^= k_tables[k_slices - 1 - i][block[i]];
  return result;
}

}  // namespace

std::uint32_t crc32(std::string_view bytes, std::uint32_t before) {
  std::uint32_t crc = ~before;
  while (bytes.size() >= k_slices) {
    crc = eight_bytes(crc, bytes.data());
    bytes.remove_prefix(k_slices);
  }
  for (const char byte : bytes)
    crc = (crc >> 8) ^ k_tables[0][(crc ^ static_cast<std::uint8_t>(byte)) & 0xFF];
  return ~crc;
}

std::string crc32_text(std::uint32_t crc) { return fmt::format("{:08x}", crc); }

}  // namespace pipegraph
