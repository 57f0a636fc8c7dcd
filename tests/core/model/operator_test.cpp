#include "core/model/operator.h"

#include <gtest/gtest.h>

namespace pipegraph {
namespace {

TEST(PassWork, CountsFlopsOfProductsAndTheRest) {
  // [2, 4] x [4, 3]: 2 x 2 x 3 x 4 = 48; with 10 others 58.
  PassWork work;
  work.flops = {10.0};
  work.products = {{2, 3, 4}};
  EXPECT_EQ(flops(work).count, 58.0);
}

TEST(PassWork, WithATimeHasNoFlops) {
  PassWork work;
  work.time = Seconds{1};
  work.flops = {10.0};
  EXPECT_EQ(flops(work).count, 0.0);
}

TEST(PassWork, IsEmptyWithoutAnyWork) {
  PassWork fixed, timed;
  fixed.fixed_bytes = Bytes{1};
  timed.time = Seconds{0};
  EXPECT_TRUE(PassWork{}.empty());
  EXPECT_TRUE(timed.empty());
  EXPECT_FALSE(fixed.empty());
}

TEST(PassWork, MergesPartsByAddingThem) {
  PassWork first, second;
  first.flops = {1.0};
  first.bytes = Bytes{2};
  first.products = {{1, 2, 3}};
  second.flops = {10.0};
  second.fixed_bytes = Bytes{4};
  second.products = {{4, 5, 6, ProductScaling::Inner}};

  PassWork sum;
  sum.flops = {11.0};
  sum.bytes = Bytes{2};
  sum.fixed_bytes = Bytes{4};
  sum.products = {{1, 2, 3}, {4, 5, 6, ProductScaling::Inner}};
  EXPECT_EQ(merged(first, second), sum);

  second.time = Seconds{1};
  EXPECT_THROW(merged(first, second), InternalError);
}

TEST(InputGradientShare, IsAllOfTheBackwardWithoutParameters) {
  Operator op;
  EXPECT_EQ(input_gradient_share(op), 1.0);
  op.parameters = Bytes{4};
  EXPECT_EQ(input_gradient_share(op), 0.5);
}

}  // namespace
}  // namespace pipegraph
