// Numbers of 16 bits are floats cut to their upper half, rounded to the nearest, ties to even.
#include "exec/kernels/bfloat16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace pipegraph::kernels {
namespace {

float float_of(std::uint32_t bits) { return std::bit_cast<float>(bits); }
std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

TEST(BFloat16, HoldsExactlyTheFloatsWithoutLowBits) {
  for (std::uint32_t high = 0; high < 0x10000; ++high) {
    const float value = float_of(high << 16);
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(float(BFloat16(value))));
    else
      EXPECT_EQ(bits_of(BFloat16(value)), high << 16);
  }
}

// Between 1 and 1 + 2^-7, in bits 0x3f80'0000 and 0x3f81'0000.
TEST(BFloat16, RoundsToTheNearestAndTiesToEven) {
  EXPECT_EQ(bits_of(BFloat16(float_of(0x3f807fff))), 0x3f800000U);
  EXPECT_EQ(bits_of(BFloat16(float_of(0x3f808000))), 0x3f800000U);  // a tie, down to even
  EXPECT_EQ(bits_of(BFloat16(float_of(0x3f808001))), 0x3f810000U);
  EXPECT_EQ(bits_of(BFloat16(float_of(0x3f818000))), 0x3f820000U);  // a tie, up to even
  EXPECT_EQ(bits_of(BFloat16(float_of(0xbf818000))), 0xbf820000U);
}

TEST(BFloat16, PassesWhatIsNoNumberOn) {
  EXPECT_EQ(float(BFloat16(std::numeric_limits<float>::infinity())),
            std::numeric_limits<float>::infinity());
  EXPECT_EQ(float(BFloat16(std::numeric_limits<float>::max())),
            std::numeric_limits<float>::infinity());
  // All of its mantissa would be cut off.
  EXPECT_TRUE(std::isnan(float(BFloat16(float_of(0x7f800001)))));
}

TEST(BFloat16, IsComputedWithInFloat) {
  const BFloat16 one(1.0F);
  const BFloat16 little(1.0F / 1024.0F);
  EXPECT_EQ(one + little, 1.0F + 1.0F / 1024.0F);
  BFloat16 stored = one;
  stored += little;
  EXPECT_EQ(float(stored), 1.0F);
}

}  // namespace
}  // namespace pipegraph::kernels
