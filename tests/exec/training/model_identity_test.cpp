// Networks are told apart by what they compute.
#include "exec/training/model_identity.h"

#include <gmock/gmock.h>

namespace pipegraph {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Operator made(const std::string& name, std::vector<OperatorId> inputs, OperatorArithmetic does) {
  Operator op;
  op.name = name;
  op.inputs = std::move(inputs);
  op.arithmetic = does;
  return op;
}

ComputationGraph two_layers(std::int64_t columns, Activation activation) {
  return ComputationGraph(
      "any", {made("x", {}, {.kind = Arithmetic::Input, .columns = 4}),
              made("fc", {OperatorId{0}},
                   {.kind = Arithmetic::Linear,
                    .columns = columns,
                    .bias = true,
                    .activation = activation}),
              made("loss", {OperatorId{1}}, {.kind = Arithmetic::MeanSquaredError, .columns = 1})});
}

TEST(ModelIdentity, SaysWhatEachOperatorComputes) {
  EXPECT_THAT(
      identity_of(two_layers(3, Activation::Relu)).operators,
      ElementsAre("x: input() rows 1, columns 4", "fc: linear(x) rows 1, columns 3, bias, relu",
                  "loss: mean_squared_error(fc) rows 1, columns 1"));
}

TEST(ModelIdentity, HashesWhatItSays) {
  // FNV-1a of no bytes is its offset basis; of "a\n" it follows from two rounds of the definition.
  EXPECT_EQ(hash_text({}), "cbf29ce484222325");
  std::uint64_t hash = 0xcbf29ce484222325;
  hash = (hash ^ 'a') * 0x100000001b3;
  hash = (hash ^ '\n') * 0x100000001b3;
  EXPECT_EQ(hash_text({{"a"}}), fmt::format("{:016x}", hash));
  EXPECT_NE(hash_text(identity_of(two_layers(3, Activation::Relu))),
            hash_text(identity_of(two_layers(3, Activation::Gelu))));
}

TEST(ModelIdentity, FindsNoDifferenceInEqualModels) {
  EXPECT_THAT(differences(identity_of(two_layers(3, Activation::Relu)),
                          identity_of(two_layers(3, Activation::Relu))),
              IsEmpty());
}

TEST(ModelIdentity, ShowsThreeDifferencesAndCountsTheRest) {
  ModelIdentity many, none;
  for (char name = 'a'; name <= 'j'; ++name) many.operators.push_back(std::string(1, name) + ": x");
  const std::vector<std::string> found = differences(many, none);
  ASSERT_THAT(found, SizeIs(4));
  EXPECT_EQ(found[0], "operator 'a' of the checkpoint is not in this model");
  EXPECT_EQ(found[3], "and 7 more differences");
}

}  // namespace
}  // namespace pipegraph
