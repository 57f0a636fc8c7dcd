// `profile` refuses an output that it could not write, or should not, before it measures.
#include "apps/cost_output.h"

#include <gmock/gmock.h>

#include "apps/exit_code.h"
#include "core/base/files.h"
#include "tests/apps/workbench.h"

namespace pipegraph {
namespace {

using test::Ran;
using test::run;
using ::testing::HasSubstr;

class CostOutput : public test::Workbench {
 protected:
  CostOutput() { write_tower(); }

  /// Refused as bad input, with both texts, and without a word of what was measured.
  static void expect_refused(const std::vector<std::string>& words, const std::string& problem,
                             const std::string& expected) {
    std::vector<std::string> all{"profile", "tower.yaml", "--repetitions", "1", "-o"};
    all.insert(all.end(), words.begin(), words.end());
    const Ran ran = run(all);
    EXPECT_EQ(ran.code, ExitBadInput) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(problem));
    EXPECT_THAT(ran.err, HasSubstr(expected));
  }
};

TEST_F(CostOutput, IsNeverTheScenario) {
  const std::string before = read_file("tower.yaml");
  std::filesystem::create_symlink("tower.yaml", "link.yaml");
  for (const std::string same : {"tower.yaml", "./tower.yaml", "link.yaml"})
    expect_refused({same}, same + ": is the file that is read", "another file");
  EXPECT_EQ(read_file("tower.yaml"), before);
}

TEST_F(CostOutput, LiesInAFolderThatExists) {
  std::filesystem::create_directory("folder");
  expect_refused({"folder"}, "folder: is a folder", "the path of a file");
  expect_refused({"absent/costs.yaml"}, "there is no folder 'absent'", "a folder that exists");
  expect_refused({"tower.yaml/costs.yaml"}, "there is no folder 'tower.yaml'", "a folder");
}

TEST_F(CostOutput, OfWhatCannotBeMeasuredIsRefused) {
  expect_refused({"costs.yaml", "--samples", "0"}, "--samples: '0'", "counts from 1 to 2^30");
  expect_refused({"costs.yaml", "--threads", "0"}, "--threads: 0 is out of range", "1 to ");
  EXPECT_FALSE(exists("costs.yaml"));
}

TEST_F(CostOutput, IsMergedOnlyWithAWholeFileOfTheSameModel) {
  const std::vector<std::string> quick{"profile",   "tower.yaml", "--repetitions", "1",
                                       "--samples", "1",          "--threads",     "1",
                                       "-o",        "costs.yaml"};
  ASSERT_EQ(run(quick).code, ExitDone);
  const std::string text = read_file("costs.yaml");
  write_file("cut.yaml", text.substr(0, text.rfind("  - ")));
  expect_refused({"cut.yaml", "--merge"}, "cut.yaml", "expected");
  EXPECT_NE(read_file("cut.yaml"), text) << "is left as it was";
  write_file("other.yaml", text);
  expect_refused({"other.yaml", "--merge", "--set", "model.hidden=17"}, "of another model",
                 "no --merge");
  EXPECT_EQ(read_file("other.yaml"), text);
}

}  // namespace
}  // namespace pipegraph
