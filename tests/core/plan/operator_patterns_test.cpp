// Exact names, patterns, and what happens where they meet.
#include "core/plan/operator_patterns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/plan/tiny_plans.h"

namespace pipegraph {
namespace {

using ::testing::ElementsAre;

std::vector<std::vector<OperatorId>> resolved(std::vector<OperatorPattern> entries) {
  for (std::size_t i = 0; i < entries.size(); ++i)
    entries[i].position = {"f", static_cast<int>(i) + 1, 1, fmt::format("[{}]", i)};
  return resolve_operators(*test::tiny_workload().graph, entries, 2);
}

std::string error_of(const std::vector<OperatorPattern>& entries) {
  try {
    resolved(entries);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

constexpr OperatorId k_a1{0}, k_a2{1}, k_b1{2}, k_b2{3};

TEST(OperatorPatterns, PatternsTakeWhatTheyMatch) {
  EXPECT_THAT(resolved({{0, "a*"}, {1, "b?"}}),
              ElementsAre(ElementsAre(k_a1, k_a2), ElementsAre(k_b1, k_b2)));
}

TEST(OperatorPatterns, AnExactNameBeatsAPatternWhereverItStands) {
  EXPECT_THAT(resolved({{0, "*"}, {1, "b1"}}),
              ElementsAre(ElementsAre(k_a1, k_a2, k_b2), ElementsAre(k_b1)));
  EXPECT_THAT(resolved({{0, "b1"}, {1, "b*"}}), ElementsAre(ElementsAre(k_b1), ElementsAre(k_b2)));
}

TEST(OperatorPatterns, OtherOverlapsAreRefused) {
  EXPECT_EQ(error_of({{0, "a1"}, {1, "a1"}}),
            "f:2:1: [1]: operator 'a1' is already taken by 'a1' in [0]; expected every "
            "operator in one place");
  EXPECT_EQ(error_of({{0, "a*"}, {1, "?1"}}),
            "f:2:1: [1]: pattern '?1' matches operator 'a1', which is already taken by 'a*' in "
            "[0]; expected "
            "every operator in one place");
}

TEST(OperatorPatterns, NamesAndPatternsWithoutAMatchAreRefused) {
  EXPECT_EQ(error_of({{0, "c*"}}),
            "f:1:1: [0]: pattern 'c*' matches no operator; expected a pattern of operators of the "
            "model");
  EXPECT_EQ(error_of({{0, "a3"}}), "f:1:1: [0]: there is no operator 'a3'; expected 'a1'");
  EXPECT_EQ(error_of({{0, "encoder"}}),
            "f:1:1: [0]: there is no operator 'encoder'; expected one of the model's 4 operators");
}

}  // namespace
}  // namespace pipegraph
