#include "exec/training/crc32.h"

#include <gtest/gtest.h>

namespace pipegraph {
namespace {

/// Bit by bit, from the definition.
std::uint32_t slow_crc32(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char byte : bytes) {
    crc ^= static_cast<std::uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320 : 0);
  }
  return ~crc;
}

TEST(Crc32, IsTheOneOfTheStandardsCheckValue) {
  // Every description of CRC-32 gives this value for these nine characters.
  EXPECT_EQ(crc32("123456789"), 0xCBF43926);
  EXPECT_EQ(crc32_text(crc32("123456789")), "cbf43926");
  EXPECT_EQ(crc32_text(0), "00000000");
}

TEST(Crc32, EqualsTheBitwiseSumAtEveryLength) {
  std::string bytes;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(crc32(bytes), slow_crc32(bytes)) << bytes.size();
    bytes += static_cast<char>(i * 37 + 5);
  }
}

TEST(Crc32, ContinuesWhereItStopped) {
  const std::string bytes = "a checkpoint is written in pieces";
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut)
    EXPECT_EQ(crc32(bytes.substr(cut), crc32(bytes.substr(0, cut))), crc32(bytes)) << cut;
}

}  // namespace
}  // namespace pipegraph
