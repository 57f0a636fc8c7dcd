// Sweeps: products, zips and refusals.
#include "core/scenario/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pipegraph {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

std::vector<std::string> labels(const std::string& sweep) {
  const YamlValue document =
      YamlValue::parse("a: {x: 0}\nb: 0\nc: 0\nsweep: " + sweep + "\n", "dir/s.yaml");
  std::vector<std::string> result;
  for (const SweepPoint& point : expand_sweep(document)) {
    std::string label;
    for (const auto& [path, value] : point.settings)
      label += fmt::format("{}{}={}", label.empty() ? "" : " ", path, value.as_string());
    result.push_back(label);
  }
  return result;
}

std::string error_of(const std::string& sweep) {
  try {
    labels(sweep);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Sweep, WithoutOneThereIsOnePoint) {
  const auto points = expand_sweep(YamlValue::parse("a: 1\n", "f"));
  ASSERT_EQ(points.size(), 1U);
  EXPECT_TRUE(points[0].settings.empty());
  EXPECT_THAT(labels("{}"), ElementsAre(""));
}

TEST(Sweep, IsAProductWithTheLastKeyFastest) {
  EXPECT_THAT(
      labels("{a.x: [1, 2], b: [3, 4, 5]}"),
      ElementsAre("a.x=1 b=3", "a.x=1 b=4", "a.x=1 b=5", "a.x=2 b=3", "a.x=2 b=4", "a.x=2 b=5"));
}

TEST(Sweep, KeysOfAZipAdvanceTogether) {
  EXPECT_THAT(labels("{zip: {a.x: [1, 2], b: [3, 4]}, c: [5, 6]}"),
              ElementsAre("a.x=1 b=3 c=5", "a.x=1 b=3 c=6", "a.x=2 b=4 c=5", "a.x=2 b=4 c=6"));
  EXPECT_THAT(labels("{zip: [{a.x: [1, 2]}, {b: [3], c: [4]}]}"),
              ElementsAre("a.x=1 b=3 c=4", "a.x=2 b=3 c=4"));
}

TEST(Sweep, SetsTheValuesInTheDocumentWithTheirPlaces) {
  const YamlValue document =
      YamlValue::parse("a: {x: 0}\nsweep:\n  a.x: [1.yaml, 2.yaml]\n", "dir/s.yaml");
  const auto points = expand_sweep(document);
  const YamlValue value = points[1].document.find("a")->find("x").value();
  EXPECT_EQ(value.as_path(), std::filesystem::path("dir/2.yaml"));
  EXPECT_EQ(value.position().line, 3);
  EXPECT_FALSE(points[1].document.find("sweep").has_value());
}

TEST(Sweep, NamesThePlaceOfWhatIsWrong) {
  EXPECT_EQ(error_of("{a.x: []}"),
            "dir/s.yaml:4:14: sweep.a.x: the list is empty; expected at least one value");
  EXPECT_EQ(error_of("{a.x: 3}"), "dir/s.yaml:4:14: sweep.a.x: is a single value; expected a list");
  EXPECT_EQ(error_of("{zip: {a.x: [1, 2], b: [3]}}"),
            "dir/s.yaml:4:31: sweep.zip.b: the list has 1 values; expected 2 as in 'a.x'");
  EXPECT_EQ(error_of("{b: [1], zip: {b: [3]}}"),
            "dir/s.yaml:4:8: sweep: 'b' is swept twice; expected every path once");
  EXPECT_THAT(error_of("{b.x: [1]}"),
              StartsWith("dir/s.yaml:4:15: sweep: b.x: 'x' is not inside a map"));
  EXPECT_THAT(error_of("[1]"), StartsWith("dir/s.yaml:4:8: sweep: is a list; expected a map"));
}

TEST(Sweep, BoundsTheNumberOfPoints) {
  std::string list = "[0";
  for (int i = 1; i < 101; ++i) list += fmt::format(", {}", i);
  list += "]";
  // 101^3 = 1 030 301 points.
  EXPECT_THAT(error_of(fmt::format("{{a.x: {0}, b: {0}, c: {0}}}", list)),
              StartsWith("dir/s.yaml:4:8: sweep: the sweep has too many points"));
}

}  // namespace
}  // namespace pipegraph
