#include "core/model/profiled_costs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/tiny_graphs.h"

namespace pipegraph {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const OperatorId k_s0{0}, k_s1{1};

/// A chain of two (1 s forward, 2 s backward by its own account) under a profile.
class Profiled : public ::testing::Test {
 protected:
  ProfiledCosts costs(std::vector<MeasuredPass> passes,
                      Extrapolation extrapolation = Extrapolation::Refuse) const {
    return {graph_, {"cpu.yaml", std::move(passes), extrapolation}, roofline_};
  }
  double time(const ProfiledCosts& costs, Pass pass, std::int64_t samples) const {
    return costs.time(k_s0, pass, samples, ComputeRate{}).count();
  }
  std::string error_of(const std::vector<MeasuredPass>& passes) const {
    try {
      costs(passes);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "no error";
  }

  ComputationGraph graph_ = test::chain_graph(2, {.parameters = Bytes{4}});
  RooflineCosts roofline_{graph_};
  MeasuredPass forward_{k_s0, Pass::Forward, {{8, Seconds{5}}, {2, Seconds{2}}, {4, Seconds{3}}}};
};

TEST_F(Profiled, InterpolatesBetweenMeasuredSampleCounts) {
  const ProfiledCosts profiled = costs({forward_});
  EXPECT_EQ(time(profiled, Pass::Forward, 2), 2.0);
  EXPECT_EQ(time(profiled, Pass::Forward, 3), 2.5);  // between 2 s and 3 s
  EXPECT_EQ(time(profiled, Pass::Forward, 7), 4.5);  // 3 s + 3/4 x 2 s
  EXPECT_EQ(time(profiled, Pass::Forward, 8), 5.0);
}

TEST_F(Profiled, NeverExtrapolatesSilently) {
  const ProfiledCosts profiled = costs({forward_});
  EXPECT_THROW(time(profiled, Pass::Forward, 1), ConfigError);
  try {
    time(profiled, Pass::Forward, 9);
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("'s0' forward"), HasSubstr("2 to 8 samples, not for 9")));
  }
}

TEST_F(Profiled, ExtrapolatesTheNearestLineIfAllowed) {
  const ProfiledCosts profiled = costs({forward_}, Extrapolation::Linear);
  EXPECT_EQ(time(profiled, Pass::Forward, 1), 1.5);   // 2 s - 1/2 s
  EXPECT_EQ(time(profiled, Pass::Forward, 12), 7.0);  // 5 s + 4 x 1/2 s
  const ProfiledCosts single =
      costs({{k_s0, Pass::Forward, {{4, Seconds{2}}}}}, Extrapolation::Linear);
  EXPECT_EQ(time(single, Pass::Forward, 6), 3.0);
}

TEST_F(Profiled, MultipliesByTheDevicesSlowdown) {
  ComputeRate slow;
  slow.slowdown = 2.0;
  EXPECT_EQ(costs({forward_}).time(k_s0, Pass::Forward, 4, slow).count(), 6.0);
}

TEST_F(Profiled, DerivesHalvesAndSumsOfTheBackward) {
  const ProfiledCosts whole = costs({{k_s0, Pass::Backward, {{1, Seconds{3}}}}});
  EXPECT_EQ(time(whole, Pass::BackwardInput, 1), 1.5);
  EXPECT_EQ(time(whole, Pass::BackwardWeight, 1), 1.5);

  const ProfiledCosts halves = costs({{k_s0, Pass::BackwardInput, {{1, Seconds{3}}}},
                                      {k_s0, Pass::BackwardWeight, {{1, Seconds{4}}}}});
  EXPECT_EQ(time(halves, Pass::Backward, 1), 7.0);
  EXPECT_EQ(time(halves, Pass::BackwardWeight, 1), 4.0);
}

TEST_F(Profiled, FallsBackWhereNothingWasMeasuredAndSaysSo) {
  const ProfiledCosts profiled = costs({forward_, {k_s0, Pass::Backward, {{1, Seconds{3}}}}});
  EXPECT_EQ(profiled.time(k_s1, Pass::Forward, 5, ComputeRate{}).count(), 5.0);
  EXPECT_EQ(profiled.source(), "profile cpu.yaml; explicit for 1 of 2 operators");
  EXPECT_EQ(costs({forward_}).source(), "profile cpu.yaml; explicit for 2 of 2 operators");
}

TEST_F(Profiled, NamesOnlyTheProfileWhenItIsComplete) {
  const std::vector<MeasuredPass::Point> points{{1, Seconds{1}}};
  EXPECT_EQ(costs({{k_s0, Pass::Forward, points},
                   {k_s0, Pass::Backward, points},
                   {k_s1, Pass::Forward, points},
                   {k_s1, Pass::BackwardInput, points},
                   {k_s1, Pass::BackwardWeight, points}})
                .source(),
            "profile cpu.yaml");
}

TEST_F(Profiled, RefusesImpossibleProfiles) {
  EXPECT_THAT(error_of({forward_, forward_}), HasSubstr("'s0' forward twice"));
  EXPECT_THAT(error_of({{k_s0, Pass::Forward, {}}}), HasSubstr("no sample count"));
  EXPECT_THAT(error_of({{k_s0, Pass::Forward, {{0, Seconds{1}}}}}), HasSubstr("0 samples"));
  EXPECT_THAT(error_of({{k_s0, Pass::Forward, {{1, Seconds{-1}}}}}), HasSubstr("-1 s"));
  EXPECT_THAT(error_of({{k_s0, Pass::Forward, {{2, Seconds{1}}, {2, Seconds{2}}}}}),
              HasSubstr("two times for 2 samples"));
}

}  // namespace
}  // namespace pipegraph
