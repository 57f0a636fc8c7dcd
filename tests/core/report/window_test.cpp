#include "core/report/window.h"

#include <gtest/gtest.h>

namespace pipegraph {
namespace {

Timeline starting_at(const std::vector<double>& starts) {
  Timeline timeline(starts.size());
  for (std::size_t i = 0; i < starts.size(); ++i) timeline.start[i] = Seconds{starts[i]};
  return timeline;
}

TEST(Window, IsNotNeededForShortTimelines) {
  EXPECT_FALSE(choose_window(starting_at({0, 1, 2}), 3));
}

TEST(Window, ShowsTheFirstToStartAndOfEqualsTheLowestIds) {
  const Timeline timeline = starting_at({5, 0, 3, 3, 3, 1});
  const auto window = choose_window(timeline, 4);
  ASSERT_TRUE(window);
  std::vector<bool> shown;
  for (std::size_t i = 0; i < timeline.size(); ++i)
    shown.push_back(window->shows(make_id<InstructionId>(i), timeline.start[i]));
  EXPECT_EQ(shown, (std::vector<bool>{false, true, true, true, false, true}));
  EXPECT_EQ(window->last_start, Seconds{3});
  EXPECT_EQ(window->shown, 4U);
  EXPECT_EQ(window->all, 6U);
}

}  // namespace
}  // namespace pipegraph
