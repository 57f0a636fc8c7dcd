#include "tests/support/line_difference.h"

#include <gtest/gtest.h>

namespace pipegraph {
namespace {

TEST(LineDifference, OfEqualTextsIsEmpty) { EXPECT_EQ(line_difference("a\nb\n", "a\nb\n"), ""); }

TEST(LineDifference, ShowsOneChangeWithTwoLinesAround) {
  EXPECT_EQ(line_difference("1\n2\n3\n4\n5\n6\n7\n", "1\n2\n3\nx\n5\n6\n7\n"),
            "@@ -2 +2 @@\n 2\n 3\n-4\n+x\n 5\n 6\n");
}

TEST(LineDifference, NumbersEachGroupInBothTexts) {
  // An inserted first line shifts the second text by one: line 8 of the first is line 9 there.
  EXPECT_EQ(line_difference("1\n2\n3\n4\n5\n6\n7\n8\n", "0\n1\n2\n3\n4\n5\n6\n7\n"),
            "@@ -1 +1 @@\n+0\n 1\n 2\n@@ -6 +7 @@\n 6\n 7\n-8\n");
}

TEST(LineDifference, HandlesAnEmptySide) {
  EXPECT_EQ(line_difference("", "a\n"), "@@ -1 +1 @@\n+a\n");
  EXPECT_EQ(line_difference("a\n", ""), "@@ -1 +1 @@\n-a\n");
}

TEST(LineDifference, SaysWhatWasLeftOut) {
  // 1 header and 4 changed lines; 2 lines are kept.
  EXPECT_EQ(line_difference("a\nb\n", "c\nd\n", 2), "@@ -1 +1 @@\n-a\n... 3 more lines\n");
}

TEST(LineDifference, NamesAMissingNewlineAtTheEnd) {
  EXPECT_EQ(line_difference("a\n", "a"), "the texts differ only in the newline at their end\n");
}

}  // namespace
}  // namespace pipegraph
