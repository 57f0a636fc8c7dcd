// The line a progress bar draws.
#include "apps/progress.h"

#include <gtest/gtest.h>

namespace pipegraph {
namespace {

TEST(Progress, EstimatesTheTimeLeftFromWhatIsDone) {
  // A quarter took 10 s, so three quarters take 30 s; 7 of 30 marks.
  EXPECT_EQ(progress_line(0.25, 10.0, "graph"),
            "[#######.......................] 25 % graph, 30 s left");
}

TEST(Progress, SaysHowLongItTookBeforeTheFirstStepEnds) {
  EXPECT_EQ(progress_line(0.0, 3.9, "graph"),
            "[..............................] 0 % graph, 3 s so far");
}

TEST(Progress, IsSilentWithoutATerminal) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* stream = ::open_memstream(&text, &size);
  {
    Progress progress({.out = stream, .err = stream}, 2);
    progress.begin(1, "x");
  }
  std::fclose(stream);
  EXPECT_EQ(size, 0U);
  std::free(text);  // NOLINT: open_memstream allocates with malloc
}

}  // namespace
}  // namespace pipegraph
