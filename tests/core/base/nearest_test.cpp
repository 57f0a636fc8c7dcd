// Suggestions for misspelt words.
#include "core/base/nearest.h"

#include <gtest/gtest.h>

#include <vector>

namespace pipegraph {
namespace {

const std::vector<std::string> k_words{"bandwidth", "latency", "devices"};

TEST(Nearest, FindsAWordWithOneWrongLetter) { EXPECT_EQ(nearest("latancy", k_words), "latency"); }

TEST(Nearest, CountsATranspositionAsOneEdit) {
  // "ba" has the limit 2/3 + 1 = 1: only a transposition counted once reaches "ab".
  EXPECT_EQ(nearest("ba", std::vector<std::string>{"ab"}), "ab");
}

TEST(Nearest, IsSilentAboutWordsFurtherThanAThird) {
  EXPECT_EQ(nearest("colour", k_words), std::nullopt);
  EXPECT_EQ(nearest("x", std::vector<std::string>{"a"}), std::nullopt);
}

TEST(Nearest, PrefersTheFirstOfEquals) {
  EXPECT_EQ(nearest("cat", std::vector<std::string>{"bat", "hat"}), "bat");
}

TEST(Nearest, TakesTheCloserOfTwo) {
  EXPECT_EQ(nearest("device", std::vector<std::string>{"divides", "devices"}), "devices");
}

TEST(ExpectedOneOf, PutsTheSuggestionFirst) {
  EXPECT_EQ(expected_one_of("latancy", k_words),
            "'latency' (or one of bandwidth, latency, devices)");
}

TEST(ExpectedOneOf, ListsAllWhenNothingIsNear) {
  EXPECT_EQ(expected_one_of("colour", k_words), "one of bandwidth, latency, devices");
}

TEST(ExpectedOneOf, SaysWhenThereIsNoChoice) {
  EXPECT_EQ(expected_one_of("x", std::vector<std::string>{"only"}), "'only'");
  EXPECT_EQ(expected_one_of("x", std::vector<std::string>{}), "nothing here");
}

}  // namespace
}  // namespace pipegraph
