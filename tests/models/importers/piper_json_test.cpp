#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include "tests/models/importers/import_text.h"

namespace pipegraph::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* k_import = "import: piper, profile_samples: 2, time_unit: ms";

// Layer 7 feeds 5; on two devices 5 gathers 6 bytes more of its input.
const std::string k_layers = R"({
 "maxDevices": 8, "maxMemoryPerDevice": 1e9, "bandwidth": 25e9, "mbsInBatch": 16,
 "nodes": [
  {"id": 7, "name": "embedding", "TMPCs": {"1": [
    {"id": "vanilla", "timePerSample": 3.0, "parameterSize": 10, "memoryUsageA": 8,
     "memoryUsageB": 20, "syncTimeFw": {}, "syncTimeBw": {"5": 0.0}}]}},
  {"id": 5, "name": "head", "TMPCs": {"2": [
    {"id": "vanilla", "timePerSample": 4.0, "parameterSize": 15, "memoryUsageA": 4,
     "memoryUsageB": 30, "syncTimeFw": {"7": 6.0}, "syncTimeBw": {}}], "1": [
    {"id": "recomp", "timePerSample": 8.0, "parameterSize": 30, "memoryUsageA": 2,
     "memoryUsageB": 64, "syncTimeFw": {"7": 0.0}, "syncTimeBw": {}},
    {"id": "vanilla", "timePerSample": 6.0, "parameterSize": 30, "memoryUsageA": 8,
     "memoryUsageB": 60, "syncTimeFw": {"7": 0.0}, "syncTimeBw": {}}]}}],
 "edges": [{"sourceId": 7, "destId": 5, "communicationCost": 100.0}]
})";

TEST(PiperJson, BecomesOperatorsAsOnOneDevice) {
  const ComputationGraph graph = import_text(k_layers, k_import);

  ASSERT_EQ(graph.size(), 2U);
  const Operator& embedding = graph.at(OperatorId{0});
  EXPECT_EQ(embedding.name, "embedding");
  EXPECT_EQ(embedding.output, Bytes{50});  // 100 B / 2 samples
  const Operator& head = graph.at(OperatorId{1});
  EXPECT_EQ(head.inputs, (std::vector{OperatorId{0}}));
  EXPECT_NEAR(head.forward.time->count(), 0.001, 1e-15);  // a third of 6 ms / 2 samples
  EXPECT_NEAR(head.backward.time->count(), 0.002, 1e-15);
  EXPECT_EQ(head.saved, Bytes{4});
  EXPECT_EQ(head.parameters, Bytes{30});
}

TEST(PiperJson, KeepsAllWaysToRunALayer) {
  const ComputationGraph graph = import_text(k_layers, k_import);
  const std::vector<OperatorVariant>& ways = graph.at(OperatorId{1}).variants;

  ASSERT_EQ(ways.size(), 3U);
  EXPECT_FALSE(ways[0].recompute);
  EXPECT_TRUE(ways[1].recompute);
  EXPECT_DOUBLE_EQ(ways[1].time.count(), 0.004);
  EXPECT_EQ(ways[1].saved, Bytes{1});
  EXPECT_EQ(ways[1].fixed, Bytes{64});
  EXPECT_EQ(ways[2].tensor_parallel, 2);
  EXPECT_EQ(ways[2].input_bytes, (std::vector{Bytes{53}}));  // (100 + 6) / 2
  EXPECT_EQ(graph.at(OperatorId{0}).variants[0].output_bytes,
            (std::vector{std::pair{OperatorId{1}, Bytes{50}}}));
}

TEST(PiperJson, TakesTimesAsSecondsAsWritten) {
  const ComputationGraph graph =
      import_text(k_layers, "import: piper, profile_samples: 1, as_written: true");
  EXPECT_DOUBLE_EQ(graph.at(OperatorId{1}).variants[0].time.count(), 6.0);
  EXPECT_THROW(import_text(k_layers, "import: piper, profile_samples: 1"), ConfigError);
}

TEST(PiperJson, NamesLayersByNumberWhereNamesAreNotUnique) {
  std::string text = k_layers;
  text.replace(text.find("head"), 4, "embedding");
  const ComputationGraph graph = import_text(text, k_import);
  EXPECT_EQ(graph.at(OperatorId{0}).name, "node7.embedding");
  EXPECT_EQ(graph.at(OperatorId{1}).name, "node5.embedding");
}

struct BadJson {
  std::string from;
  std::string to;
  std::string says;
  friend void PrintTo(const BadJson& bad, std::ostream* out) {
    *out << bad.from << " -> " << bad.to;
  }
};

class PiperJsonRefusal : public testing::TestWithParam<BadJson> {};

TEST_P(PiperJsonRefusal, NamesThePlace) {
  std::string text = k_layers;
  text.replace(text.find(GetParam().from), GetParam().from.size(), GetParam().to);
  const std::string error = import_error(text, k_import);
  EXPECT_THAT(error, StartsWith("imported.txt:"));
  EXPECT_THAT(error, HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    Places, PiperJsonRefusal,
    testing::Values(
        BadJson{"\"id\": 5", "\"id\": 7", ":7:10: nodes[1].id: node 7 given twice"},
        BadJson{"3.0", "-3.0", ":5:40: nodes[0].TMPCs.1[0].timePerSample: -3 is out of range"},
        BadJson{"\"memoryUsageA\": 8", "\"memoryUsageC\": 8", ":5:5: nodes[0].TMPCs.1[0]: "},
        BadJson{"{\"5\": 0.0}", "{}", "0 of 1 edges"},
        BadJson{"{\"5\": 0.0}", "{\"7\": 0.0}", "there is no such edge"},
        BadJson{"{\"5\": 0.0}", "{\"x\": 0.0}", "'x' is not a number"},
        BadJson{"\"2\": [", "\"0\": [", "0 devices"},
        BadJson{"\"recomp\"", "\"other\"", "a second way of that kind"},
        BadJson{"\"1\": [\n    {\"id\": \"recomp\"", "\"3\": [\n    {\"id\": \"recomp\"",
                "no way to run the node on one device"},
        BadJson{"\"destId\": 5", "\"destId\": 9", "there is no node 9"},
        BadJson{"\"destId\": 5", "\"destId\": 7", ":"},
        BadJson{"\"edges\": [", "\"edges\": {", ":"}));

}  // namespace
}  // namespace pipegraph::test
