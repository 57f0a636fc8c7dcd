// YAML values as JSON.
#include "core/scenario/json_value.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace pipegraph {
namespace {

std::string json(const std::string& text) { return to_json(YamlValue::parse(text, "f")).dump(); }

TEST(JsonValue, KeepsTypesAndTheOrderOfKeys) {
  EXPECT_EQ(
      json("{b: 1, a: [2.5, true, ~], c: {x: '7'}, d: 4 GiB, e: -3, f: nan, g: 1e999}"),
      R"({"b":1,"a":[2.5,true,null],"c":{"x":"7"},"d":"4 GiB","e":-3,"f":"nan","g":"1e999"})");
}

TEST(JsonValue, TablesShowScalarsBare) {
  EXPECT_EQ(to_short_text(YamlValue::parse("4 GiB", "f")), "4 GiB");
  EXPECT_EQ(to_short_text(YamlValue::parse("[1, 2]", "f")), "[1,2]");
}

}  // namespace
}  // namespace pipegraph
