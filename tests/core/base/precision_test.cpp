// Number formats: names both ways and element sizes.
#include "core/base/precision.h"

#include <gtest/gtest.h>

namespace pipegraph {
namespace {

TEST(Precision, NamesReadBack) {
  for (const Precision precision :
       {Precision::Fp32, Precision::Fp32Tensor, Precision::Tf32, Precision::Fp16, Precision::Bf16})
    EXPECT_EQ(parse_precision(to_text(precision)), precision);
  EXPECT_EQ(parse_precision("fp64"), std::nullopt);
}

TEST(Precision, SixteenBitFormatsTakeTwoBytesAndOthersFour) {
  EXPECT_EQ(element_size(Precision::Fp16), Bytes{2});
  EXPECT_EQ(element_size(Precision::Bf16), Bytes{2});
  EXPECT_EQ(element_size(Precision::Fp32), Bytes{4});
  EXPECT_EQ(element_size(Precision::Fp32Tensor), Bytes{4});
  EXPECT_EQ(element_size(Precision::Tf32), Bytes{4});
}

}  // namespace
}  // namespace pipegraph
