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
  const Sweep points(document);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const SweepPoint point = points.point(i);
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
  const Sweep points(YamlValue::parse("a: 1\n", "f"));
  ASSERT_EQ(points.size(), 1U);
  EXPECT_TRUE(points.empty());
  EXPECT_TRUE(points.point(0).settings.empty());
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
  const SweepPoint point = Sweep(document).point(1);
  const YamlValue value = point.document.find("a")->find("x").value();
  EXPECT_EQ(value.as_path(), std::filesystem::path("dir/2.yaml"));
  EXPECT_EQ(value.position().line, 3);
  EXPECT_FALSE(point.document.find("sweep").has_value());
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

/// Three keys with the values 0 to count - 1 each.
std::string cube(int count) {
  std::string list;
  for (int i = 0; i < count; ++i) list += fmt::format("{}{}", i == 0 ? "" : ", ", i);
  return fmt::format("{{a.x: [{0}], b: [{0}], c: [{0}]}}", list);
}

Sweep sweep_of(const std::string& sweep) {
  return Sweep(YamlValue::parse("a: {x: 0}\nb: 0\nc: 0\nsweep: " + sweep + "\n", "dir/s.yaml"));
}

TEST(Sweep, BoundsTheNumberOfPoints) {
  try {
    sweep_of(cube(101));  // 101^3 = 1 030 301
    ADD_FAILURE() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), StartsWith("dir/s.yaml:4:8: sweep: the sweep has too many points"));
  }
}

TEST(Sweep, AMillionPointsAreMadeAsTheyAreAskedFor) {
  const Sweep points = sweep_of(cube(100));
  ASSERT_EQ(points.size(), 1'000'000U);
  // 123 456 = 12 x 100 x 100 + 34 x 100 + 56.
  const YamlValue document = points.point(123'456).document;
  EXPECT_EQ(document.find("a")->find("x")->as_string(), "12");
  EXPECT_EQ(document.find("b")->as_string(), "34");
  EXPECT_EQ(document.find("c")->as_string(), "56");
}

TEST(Sweep, OfOnePointAloneKeepsItsSettings) {
  const Sweep alone(sweep_of("{b: [1, 2]}").point(1));
  ASSERT_EQ(alone.size(), 1U);
  EXPECT_FALSE(alone.empty());
  EXPECT_EQ(alone.point(0).settings.front().second.as_string(), "2");
  EXPECT_EQ(alone.point(0).document.find("b")->as_string(), "2");
}

TEST(Sweep, FindsAWrongValueOfAnyKeyBeforeTheFirstPoint) {
  EXPECT_THROW(sweep_of("{c: [1, 2], a: [3, {x: 4}], a.x: [5]}"), ConfigError);
}

}  // namespace
}  // namespace pipegraph
