// Documents written out and read again.
#include <gtest/gtest.h>

#include "core/base/yaml_reader.h"

namespace pipegraph {
namespace {

std::string rewritten(const std::string& text) {
  return YamlValue::parse(text, "f").to_yaml_text();
}

TEST(YamlText, IsBlockStyleInFileOrder) {
  EXPECT_EQ(rewritten("{name: x, list: [1, {a: 2, b: []}], empty: {}, none: ~}"),
            "name: x\n"
            "list:\n"
            "  - 1\n"
            "  -\n"
            "    a: 2\n"
            "    b: []\n"
            "empty: {}\n"
            "none: null\n");
}

TEST(YamlText, PutsShortListsOfScalarsInBrackets) {
  EXPECT_EQ(rewritten("{a: [1, 2], b: [[1, x y], []], c: [{}]}"),
            "a: [1, 2]\nb: [[1, x y], []]\nc:\n  - {}\n");
  const std::string word(30, 'w');
  EXPECT_EQ(rewritten("[" + word + ", " + word + ", " + word + "]"),
            "- " + word + "\n- " + word + "\n- " + word + "\n");
}

TEST(YamlText, QuotesWhatWouldChangeItsMeaning) {
  EXPECT_EQ(
      rewritten("['5', 5, \"a: b\", 'say \"hi\"', \"two\\nlines\", \"null\", ' x', '', 'c, d']"),
      "[\"5\", 5, \"a: b\", \"say \\\"hi\\\"\", \"two\\nlines\", \"null\", \" x\", \"\", "
      "\"c, d\"]\n");
}

TEST(YamlText, IsAFixedPoint) {
  for (const char* text :
       {"a: {b: [x, -5, -0.5e3, .5]}", "- - - 1", "3", "\"3\"", "~", "[]",
        "{\"odd: key\": 1, \"null\": 2, \"\": 3, \"#\": 4}",
        "- |\n  block\n  text\n- >\n  folded\n  text\n", "- \"\\u20ac \\x01\\\\\"", "- \"\\x7f\"",
        "{---: 1, '- a': 2, '? b': 3, '%TAG': 4, '...': 5}"}) {
    const std::string once = rewritten(text);
    EXPECT_EQ(rewritten(once), once) << text;
  }
}

}  // namespace
}  // namespace pipegraph
