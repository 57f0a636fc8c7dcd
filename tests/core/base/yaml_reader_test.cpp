// Typed access, positions and maps of well-formed documents.
#include "core/base/yaml_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/base/files.h"

namespace pipegraph {
namespace {

using ::testing::ElementsAre;

YamlValue at(const YamlValue& map, const std::string& key) { return map.find(key).value(); }

const YamlValue& example() {
  static const YamlValue value = YamlValue::parse(
      "name: two words\n"
      "count: 64\n"
      "ratio: 2.5e-3\n"
      "flag: true\n"
      "links:\n"
      "  - {latency: 1.5 us, bandwidth: 100 Gb/s}\n"
      "  - memory: 16 GiB\n"
      "    peak: 15.7 TFLOP/s\n"
      "    work: 2 GFLOP\n"
      "nothing: ~\n"
      "quoted: \"5\"\n",
      "folder/file.yaml");
  return value;
}

TEST(YamlReader, ReadsEveryType) {
  EXPECT_EQ(at(example(), "name").as_string(), "two words");
  EXPECT_EQ(at(example(), "count").as_integer(), 64);
  EXPECT_EQ(at(example(), "count").as_double(), 64.0);
  EXPECT_EQ(at(example(), "ratio").as_double(), 2.5e-3);
  EXPECT_TRUE(at(example(), "flag").as_bool());
  const std::vector<YamlValue> links = at(example(), "links").items();
  EXPECT_EQ(at(links[0], "latency").as_seconds().count(), 1.5e-6);
  EXPECT_EQ(at(links[0], "bandwidth").as_bytes_per_second().value, 12.5e9);
  EXPECT_EQ(at(links[1], "memory").as_bytes(), Bytes{16ULL << 30});
  EXPECT_EQ(at(links[1], "peak").as_flops_per_second().value, 15.7e12);
  EXPECT_EQ(at(links[1], "work").as_flops().count, 2e9);
  EXPECT_EQ(at(example(), "nothing").type(), YamlValue::Type::Null);
  EXPECT_EQ(at(example(), "quoted").as_string(), "5");
}

TEST(YamlReader, KnowsThePlaceOfEveryValue) {
  const SourcePosition place = at(at(example(), "links").items()[1], "peak").position();
  EXPECT_EQ(place.file, "folder/file.yaml");
  EXPECT_EQ(place.line, 8);     // the eighth line above
  EXPECT_EQ(place.column, 11);  // behind "    peak: "
  EXPECT_EQ(place.key, "links[1].peak");
  const SourcePosition key = at(example(), "links").items()[0].key_position("bandwidth");
  EXPECT_EQ(key.line, 6);
  EXPECT_EQ(key.column, 23);  // behind "  - {latency: 1.5 us, "
  EXPECT_EQ(key.key, "links[0].bandwidth");
}

TEST(YamlReader, KeepsKeysInFileOrder) {
  EXPECT_THAT(YamlValue::parse("{b: 1, a: 2, c: 3}", "x").keys(), ElementsAre("b", "a", "c"));
}

TEST(YamlReader, ResolvesPathsAgainstTheFilesFolder) {
  const YamlValue value = YamlValue::parse("{near: a.yaml, far: /b.yaml}", "folder/file.yaml");
  EXPECT_EQ(at(value, "near").as_path(), std::filesystem::path("folder/a.yaml"));
  EXPECT_EQ(at(value, "far").as_path(), std::filesystem::path("/b.yaml"));
}

TEST(YamlReader, ReadsFiles) {
  const auto file = std::filesystem::temp_directory_path() / "pipegraph_yaml_reader_test.yaml";
  write_file(file, "key: 3\n");
  const YamlValue value = YamlValue::load(file);
  std::filesystem::remove(file);
  EXPECT_EQ(at(value, "key").as_integer(), 3);
  EXPECT_EQ(value.position().file, file.string());
  EXPECT_EQ(value.folder(), file.parent_path());
}

TEST(YamlReader, AnAliasHasTheLineOfItsAnchorAndItsOwnPath) {
  const YamlValue value = YamlValue::parse("a: &x\n  k: 1\nb: *x\n", "f");
  const SourcePosition place = at(at(value, "b"), "k").position();
  EXPECT_EQ(place.line, 2);
  EXPECT_EQ(place.key, "b.k");
}

TEST(YamlReader, AcceptsAByteOrderMarkWindowsLinesAndComments) {
  const YamlValue value = YamlValue::parse("\xEF\xBB\xBF# note\r\na: 1 # one\r\nb: 2\r\n", "f");
  EXPECT_EQ(at(value, "a").as_integer(), 1);
  EXPECT_EQ(at(value, "b").as_integer(), 2);
  EXPECT_EQ(at(value, "b").position().line, 3);
}

TEST(MapReader, AcceptsAMapOfWhichEveryKeyWasAskedFor) {
  MapReader reader(YamlValue::parse("{a: 1, b: 2}", "f"), "a test");
  EXPECT_EQ(reader.required("a").as_integer(), 1);
  EXPECT_TRUE(reader.has("b"));
  EXPECT_TRUE(reader.optional("b").has_value());
  EXPECT_FALSE(reader.optional("c").has_value());
  EXPECT_NO_THROW(reader.finish());
}

}  // namespace
}  // namespace pipegraph
