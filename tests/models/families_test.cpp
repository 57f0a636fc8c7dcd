#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/base/errors.h"
#include "models/table.h"

namespace pipegraph {
namespace {

using ::testing::HasSubstr;

std::string error_of(const std::string& family, const ParameterValues& values) {
  try {
    build_family(family, values);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Families, AreListedWithEverythingDocumented) {
  std::set<std::string> names;
  for (const Family& family : families()) {
    EXPECT_TRUE(names.insert(family.name).second);
    EXPECT_FALSE(family.description.empty());
    EXPECT_EQ(find_family(family.name), &family);
    for (const FamilyParameter& parameter : family.parameters) {
      EXPECT_FALSE(parameter.meaning.empty()) << parameter.name;
      EXPECT_GE(parameter.fallback, parameter.least) << parameter.name;
      EXPECT_LE(parameter.fallback, parameter.most) << parameter.name;
    }
  }
  EXPECT_EQ(names, (std::set<std::string>{"multimodal_transformer", "two_branch_transformer",
                                          "dlrm", "candle_uno", "gpt", "mlp", "towers"}));
  EXPECT_EQ(find_family("resnet"), nullptr);
}

TEST(Families, CanAllBeExecuted) {
  for (const Family& family : families()) {
    const ComputationGraph graph = build_family(family.name);
    for (const Operator& op : graph.operators()) {
      EXPECT_NE(op.arithmetic.kind, Arithmetic::Opaque) << op.name;
      EXPECT_GE(op.arithmetic.rows, 1) << op.name;
      EXPECT_GE(op.arithmetic.columns, 1) << op.name;
      const bool source = op.arithmetic.kind == Arithmetic::Input;
      EXPECT_EQ(op.inputs.empty(), source) << op.name;
      EXPECT_EQ(op.forward.empty(), source) << op.name;
    }
    // One loss, and nothing else, at the end of each network.
    EXPECT_EQ(graph.edges().sinks().size(), family.name == "towers" ? 2u : 1u) << family.name;
  }
}

TEST(Families, ShowTheirDefaultsAsYaml) {
  const Family& gpt = *find_family("gpt");
  std::map<std::string, std::string> defaults;
  for (const FamilyParameter& parameter : gpt.parameters)
    defaults[parameter.name] = parameter.fallback_text();
  EXPECT_EQ(defaults["tied_embeddings"], "true");
  EXPECT_EQ(defaults["activation"], "gelu");
  EXPECT_EQ(defaults["layers"], "24");
}

TEST(Families, RefuseWhatTheyDoNotKnow) {
  EXPECT_THAT(error_of("gtp", {}), HasSubstr("'gpt'"));
  EXPECT_THAT(error_of("gpt", {{"layer", 2}}), HasSubstr("'layers'"));
  EXPECT_THAT(error_of("gpt", {{"layers", 0}}), HasSubstr("layers of gpt is 0"));
  EXPECT_THAT(error_of("gpt", {{"heads", 3}}), HasSubstr("heads: 3 do not divide hidden: 1024"));
}

TEST(Families, RefuseHostileSizesInsteadOfRunningOutOfMemory) {
  const std::int64_t huge = 1'000'000'000;
  EXPECT_THAT(error_of("gpt", {{"layers", huge}, {"hidden", 16}, {"sequence", 1}}),
              HasSubstr("more than 200000 operators"));
  EXPECT_THAT(error_of("mlp", {{"hidden", huge}}), HasSubstr("more than 2^48 elements"));
  EXPECT_THAT(error_of("mlp", {{"hidden", 10'000'000}}), HasSubstr("more than 1 PiB"));
  EXPECT_THAT(error_of("multimodal_transformer", {{"sequence", huge}}),
              HasSubstr("more than 2^48 elements"));
  EXPECT_THAT(error_of("dlrm", {{"sparse_branches", huge}}),
              HasSubstr("more than 200000 operators"));
}

}  // namespace
}  // namespace pipegraph
