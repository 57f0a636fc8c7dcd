#include "tests/support/golden.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace pipegraph {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Optional;

/// A folder of its own for the running test, removed with it.
class Golden : public ::testing::Test {
 protected:
  Golden() {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) / ("golden_" + std::string(info->name()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~Golden() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  std::filesystem::path folder_;
};

TEST_F(Golden, AcceptsExactlyTheStoredText) {
  const auto file = write("a.txt", "one\ntwo\n");

  EXPECT_EQ(golden_difference(file, "one\ntwo\n"), std::nullopt);
  EXPECT_NE(golden_difference(file, "one\ntwo"), std::nullopt);
  EXPECT_NE(golden_difference(file, "one\n"), std::nullopt);
}

TEST_F(Golden, ShowsFileAndChangedLines) {
  const auto file = write("a.txt", "one\ntwo\nthree\n");

  const auto difference = golden_difference(file, "one\n2\nthree\n");

  EXPECT_THAT(difference, Optional(HasSubstr("a.txt")));
  EXPECT_THAT(difference, Optional(HasSubstr("\n-two\n+2\n")));
}

TEST_F(Golden, ReportsAMissingFile) {
  EXPECT_THAT(golden_difference(folder_ / "absent.txt", "x"), Optional(HasSubstr("not exist")));
}

TEST_F(Golden, UpdateWritesWhatIsThenAccepted) {
  const auto file = folder_ / "new" / "a.txt";

  update_golden(file, "first\n");
  EXPECT_EQ(golden_difference(file, "first\n"), std::nullopt);
  update_golden(file, "second\n");
  EXPECT_EQ(golden_difference(file, "second\n"), std::nullopt);
}

TEST_F(Golden, UpdateLeavesAnEqualFileAlone) {
  const auto file = write("a.txt", "same\n");
  const auto long_ago = std::filesystem::last_write_time(file) - std::chrono::hours(1);
  std::filesystem::last_write_time(file, long_ago);

  update_golden(file, "same\n");

  EXPECT_EQ(std::filesystem::last_write_time(file), long_ago);
}

TEST(ExpectGolden, ComparesWithTheFolderOfGoldenFiles) {
  expect_golden("support/three_lines.txt", "alpha\nbeta\ngamma\n");
}

TEST(ExpectGolden, FailsTheTestAndSaysHowToUpdate) {
  if (std::getenv("PIPEGRAPH_UPDATE_GOLDEN") != nullptr)
    GTEST_SKIP() << "golden files are being rewritten";
  EXPECT_NONFATAL_FAILURE(expect_golden("support/three_lines.txt", "alpha\n"), "update_golden");
}

}  // namespace
}  // namespace pipegraph
