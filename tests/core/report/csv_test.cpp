#include "core/report/csv.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <limits>

namespace pipegraph {
namespace {

class Csv : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  std::filesystem::path path_ = std::filesystem::path(::testing::TempDir()) /
                                ("csv_test_" + std::to_string(::getpid()) + ".csv");
};

TEST_F(Csv, QuotesOnlyWhereNeeded) {
  CsvWriter csv(path_, "a,b,c");
  (csv << std::string_view("plain") << std::string_view("x,y") << std::string_view("say \"no\""))
      .end_row();
  csv.commit();
  EXPECT_EQ(read_file(path_), "a,b,c\nplain,\"x,y\",\"say \"\"no\"\"\"\n");
}

TEST_F(Csv, MissingValuesAreEmpty) {
  CsvWriter csv(path_, "a,b,c,d");
  (csv << StageId{} << std::numeric_limits<double>::infinity() << 1 << DeviceId{3}).end_row();
  csv.commit();
  EXPECT_EQ(read_file(path_), "a,b,c,d\n,,1,3\n");
}

TEST_F(Csv, DoublesReadBackToTheLastBit) {
  CsvWriter csv(path_, "a");
  (csv << 0.1 + 0.2).end_row();
  csv.commit();
  EXPECT_EQ(std::stod(read_file(path_).substr(2)), 0.1 + 0.2);
}

TEST_F(Csv, ManyRowsPassThroughTheBuffer) {
  CsvWriter csv(path_, "a");
  for (int i = 0; i < 400'000; ++i) (csv << i).end_row();
  csv.commit();
  const std::string text = read_file(path_);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 400'001);
  EXPECT_EQ(text.substr(text.size() - 7), "399999\n");
}

TEST_F(Csv, NothingStaysWithoutACommit) {
  { CsvWriter csv(path_, "a"); }
  EXPECT_FALSE(std::filesystem::exists(path_));
}

}  // namespace
}  // namespace pipegraph
