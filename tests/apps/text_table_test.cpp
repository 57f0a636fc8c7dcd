// Tables in each format.
#include "apps/text_table.h"

#include <gtest/gtest.h>

namespace pipegraph {
namespace {

TextTable example() {
  TextTable table({{"name", TextTable::Align::Left}, {"size"}});
  table.add_row({"é", "1.5"});
  table.add_row({"a \"b\", c", ""});
  return table;
}

TEST(TextTable, AlignsByDisplayedWidth) {
  EXPECT_EQ(example().text(),
            "name      size\n"
            "--------  ----\n"
            "é          1.5\n"
            "a \"b\", c\n");
}

TEST(TextTable, QuotesCsv) {
  EXPECT_EQ(example().csv(), "name,size\né,1.5\n\"a \"\"b\"\", c\",\n");
}

TEST(TextTable, KeepsNumbersInJson) {
  EXPECT_EQ(example().json(),
            "[\n  {\n    \"name\": \"é\",\n    \"size\": 1.5\n  },\n"
            "  {\n    \"name\": \"a \\\"b\\\", c\",\n    \"size\": null\n  }\n]\n");
}

TEST(TextTable, ShowsItsHeaderWithoutRows) {
  EXPECT_EQ(TextTable({{"a"}}).text(), "a\n-\n");
  EXPECT_EQ(TextTable({{"a"}}).json(), "[]\n");
}

}  // namespace
}  // namespace pipegraph
