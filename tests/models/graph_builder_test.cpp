#include "models/graph_builder.h"

#include <gtest/gtest.h>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

TEST(GraphBuilder, SizesTensorsByPrecision) {
  EXPECT_EQ(GraphBuilder("m", Precision::Fp32Tensor, {}).bytes({2, 3}), Bytes{24});
  EXPECT_EQ(GraphBuilder("m", Precision::Bf16, {}).bytes({2, 3}), Bytes{12});
}

TEST(GraphBuilder, RefusesProductsThatOverflow) {
  const GraphBuilder builder("m", Precision::Fp32, {});
  const std::int64_t large = std::int64_t{1} << 32;
  EXPECT_EQ(builder.elements({1 << 24, 1 << 24}), std::int64_t{1} << 48);
  EXPECT_THROW(builder.elements({(1 << 24) + 1, 1 << 24}), ConfigError);
  EXPECT_THROW(builder.elements({large, large, large}), ConfigError);
  EXPECT_THROW(builder.elements({-1}), InternalError);
}

TEST(GraphBuilder, KnowsWhereGradientsFlow) {
  GraphBuilder builder("m", Precision::Fp32, {});
  const auto append = [&](const std::string& name, std::vector<OperatorId> inputs,
                          Bytes parameters) {
    Operator op;
    op.name = name;
    op.inputs = std::move(inputs);
    op.parameters = parameters;
    return builder.add(std::move(op));
  };
  const Tensor input = append("input", {}, Bytes{0});
  const Tensor bare = append("bare", {input.producer}, Bytes{0});
  const Tensor weighted = append("weighted", {bare.producer}, Bytes{4});
  const Tensor after = append("after", {weighted.producer}, Bytes{0});

  EXPECT_FALSE(input.needs_gradient);
  EXPECT_FALSE(bare.needs_gradient);
  EXPECT_TRUE(weighted.needs_gradient);
  EXPECT_TRUE(after.needs_gradient);
  EXPECT_EQ(std::move(builder).finish().size(), 4u);
}

}  // namespace
}  // namespace pipegraph
