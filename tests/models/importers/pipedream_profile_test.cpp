#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include "core/model/cost_model.h"
#include "tests/models/importers/import_text.h"

namespace pipegraph::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* k_import = "import: pipedream, profile_samples: 4";

const std::string k_profile =
    "node1 -- Input -- forward_compute_time=9.0, backward_compute_time=0.0, "
    "activation_size=40.0, parameter_size=0.000\n"
    "node2 -- Conv2d(3, 64, kernel_size=(3, 3)) -- forward_compute_time=4.000, "
    "backward_compute_time=8.000, activation_size=4096.000, parameter_size=100.000\n"
    "node3 -- LSTM(1, 2) -- forward_compute_time=2.0, backward_compute_time=1.0, "
    "activation_size=[10.0; 20.0; 11.0], parameter_size=0.000 -- stage_id=1\n"
    "node4 -- __getitem__(1) -- forward_compute_time=0.0, backward_compute_time=0.0, "
    "activation_size=8.0, parameter_size=0.000\n"
    "\tnode1 -- node2\n"
    "\tnode2 -- node3\n"
    "\tnode3 -- node4";

TEST(PipedreamProfile, BecomesOperatorsWithTimesPerSample) {
  const ComputationGraph graph = import_text(k_profile, k_import);

  ASSERT_EQ(graph.size(), 2U);  // without the loader and the unread result
  const Operator& conv = graph.at(OperatorId{0});
  EXPECT_EQ(conv.name, "node2.Conv2d");
  EXPECT_DOUBLE_EQ(conv.forward.time->count(), 0.001);  // 4 ms / 4 samples
  EXPECT_DOUBLE_EQ(conv.backward.time->count(), 0.002);
  EXPECT_EQ(conv.output, Bytes{1024});
  EXPECT_EQ(conv.parameters, Bytes{100});
  EXPECT_TRUE(conv.inputs.empty());
  const Operator& lstm = graph.at(OperatorId{1});
  EXPECT_EQ(lstm.output, Bytes{11});  // (10 + 20 + 11) / 4 = 10.25, rounded up
  EXPECT_EQ(lstm.inputs, (std::vector{OperatorId{0}}));
  EXPECT_EQ(lstm.position.line, 3);
}

TEST(PipedreamProfile, KeepsEveryNodeAsWritten) {
  const ComputationGraph graph =
      import_text(k_profile, std::string(k_import) + ", as_written: true");
  EXPECT_EQ(graph.size(), 4U);
  EXPECT_DOUBLE_EQ(graph.at(OperatorId{0}).forward.time->count(), 0.009 / 4);
}

TEST(PipedreamProfile, SplitsTheLaunchFromWhatGrowsWithTheSamples) {
  const ComputationGraph graph =
      import_text(k_profile, std::string(k_import) + ", launch: 1500 us");
  const RooflineCosts costs(graph);
  const auto forward = [&](int op, std::int64_t samples) {
    return costs.time(OperatorId{op}, Pass::Forward, samples, {}).count();
  };
  EXPECT_DOUBLE_EQ(forward(0, 4), 0.004);                // as measured
  EXPECT_DOUBLE_EQ(forward(0, 8), 0.0015 + 2 * 0.0025);  // 4 ms = 1.5 + 2.5
  EXPECT_DOUBLE_EQ(costs.time(OperatorId{1}, Pass::Backward, 8, {}).count(), 0.001);  // all launch
}

struct BadLine {
  std::string from;
  std::string to;
  std::string at;  ///< where the changed text is refused
  std::string says;
  friend void PrintTo(const BadLine& bad, std::ostream* out) {
    *out << bad.from << " -> " << bad.to;
  }
};

class PipedreamProfileRefusal : public testing::TestWithParam<BadLine> {};

TEST_P(PipedreamProfileRefusal, NamesThePlace) {
  std::string text = k_profile;
  text.replace(text.find(GetParam().from), GetParam().from.size(), GetParam().to);
  const std::string place = "imported.txt:" + place_of(GetParam().at, text) + ": ";
  EXPECT_THAT(import_error(text, k_import), StartsWith(place + GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    Lines, PipedreamProfileRefusal,
    testing::Values(
        BadLine{"=8.000", "=x8", "x8", "backward_compute_time: 'x8' is not a number"},
        BadLine{"=8.000", "=-8", "-8", "backward_compute_time: -8 is out of range"},
        BadLine{"=8.000", "=nan", "nan", "backward_compute_time: nan is out of range"},
        BadLine{"11.0]", "11.0", "[10.0;", "activation_size: '[' without ']'"},
        BadLine{"[10.0;", "[;", "; 20.0", "activation_size: '' is not a number"},
        BadLine{"node4 -- __getitem__(1) -- ", "node4 -- ", "node4", "neither a node nor an edge"},
        BadLine{"parameter_size=100.000", "parameter=1", "parameter=", "unknown field"},
        BadLine{", parameter_size=100.000", "", "forward_compute_time=4", "missing field 'param"},
        BadLine{"\tnode2 -- node3", "\tnode2 -- node5", "node2 -- node5",
                "there is no node 'node5'"},
        BadLine{"\tnode2 -- node3", "\tnode1 -- node2 ", "node1 -- node2 ", "edge from 'node1' to"},
        BadLine{"\tnode2 -- node3", "\tnode2:", "node2:", "not an edge"},
        BadLine{"\tnode3 -- node4", "", "node4 -- __getitem__(1)", "node 'node4' has no edge"},
        BadLine{"node3 --", "node2 --", "node2 -- LSTM", "node 'node2' given twice"},
        BadLine{"\tnode3 -- node4", "\tnode3 -- node4\n\tnode3 -- node2", "node2 -- Conv2d",
                ""}));  // a cycle

TEST(PipedreamProfile, NeedsTheSamplesOfTheProfile) {
  EXPECT_THROW(import_text(k_profile, "import: pipedream"), ConfigError);
  EXPECT_THROW(import_text(k_profile, "import: pipedream, profile_samples: 0"), ConfigError);
  EXPECT_THROW(import_text(k_profile, std::string(k_import) + ", time_unit: s"), ConfigError);
  EXPECT_THROW(import_text("", k_import), ConfigError);
}

}  // namespace
}  // namespace pipegraph::test
