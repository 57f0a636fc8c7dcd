#include "core/run/dispatcher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "core/base/errors.h"
#include "tests/support/program_sketch.h"
#include "tests/support/random_programs.h"

namespace pipegraph {
namespace {

using test::ProgramSketch;
using test::SketchLanes;
using Ids = std::vector<InstructionId>;

Ids copy(std::span<const InstructionId> ids) { return {ids.begin(), ids.end()}; }

/// fork -> left, right -> join on the lanes of one device that do not order them.
struct Diamond {
  InstructionId fork, left, right, join;
  Program program;
};
Diamond diamond() {
  ProgramSketch sketch(5);
  Diamond made;
  made.fork = sketch.send({0, 1}, 1);
  made.left = sketch.send({0, 2}, 1, {made.fork});
  made.right = sketch.send({0, 3}, 1, {made.fork});
  made.join = sketch.send({0, 4}, 1, {made.left, made.right});
  made.program = std::move(sketch).build();
  return made;
}

TEST(Dispatcher, ReleasesJoinOnlyAfterBothBranches) {
  const Diamond d = diamond();
  Dispatcher dispatcher(d.program);
  EXPECT_EQ(copy(dispatcher.initially_ready()), Ids{d.fork});
  EXPECT_EQ(copy(dispatcher.complete(d.fork)), (Ids{d.left, d.right}));
  EXPECT_TRUE(dispatcher.complete(d.right).empty());
  EXPECT_EQ(copy(dispatcher.complete(d.left)), Ids{d.join});
  EXPECT_EQ(dispatcher.remaining(), 1U);
}

TEST(Dispatcher, LaneOrderIsAnImplicitEdge) {
  ProgramSketch sketch(1);
  const auto first = sketch.compute(0, 1);
  const auto second = sketch.compute(0, 1, {first});  // waits on its lane's predecessor, once
  const auto third = sketch.compute(0, 1, {first});
  const Program program = std::move(sketch).build();
  Dispatcher dispatcher(program);
  EXPECT_EQ(copy(dispatcher.complete(first)), Ids{second});
  EXPECT_EQ(copy(dispatcher.complete(second)), Ids{third});
}

TEST(Dispatcher, RefusesASecondCompletion) {
  const Diamond d = diamond();
  Dispatcher dispatcher(d.program);
  dispatcher.complete(d.fork);
  EXPECT_THROW(dispatcher.complete(d.fork), InternalError);
}

TEST(Dispatcher, RefusesACompletionOfWhatIsNotReady) {
  const Diamond d = diamond();
  Dispatcher dispatcher(d.program);
  EXPECT_THROW(dispatcher.complete(d.join), InternalError);
}

TEST(Dispatcher, SeesOnlyItsDevices) {
  ProgramSketch sketch(2);
  const auto moved = sketch.transfer({0, 1}, 8);
  const auto used = sketch.compute(1, 1, {moved.recv});
  const Program program = std::move(sketch).build();
  const DeviceId receiver{1};
  Dispatcher dispatcher(program, std::span(&receiver, 1));
  EXPECT_EQ(copy(dispatcher.initially_ready()), Ids{moved.recv});
  EXPECT_EQ(dispatcher.remaining(), 2U);
  EXPECT_THROW(dispatcher.complete(moved.send), InternalError);
  EXPECT_EQ(copy(dispatcher.complete(moved.recv)), Ids{used});
  EXPECT_TRUE(dispatcher.completed(moved.recv));
  EXPECT_TRUE(dispatcher.ready(used));
}

/// The plain variant: an instruction is ready once everything before it is done, found by looking.
class PlainDispatcher {
 public:
  explicit PlainDispatcher(const Program& program) : program_(program) {}

  std::set<InstructionId> ready() const {
    std::set<InstructionId> found;
    for (std::size_t i = 0; i < program_.size(); ++i)
      if (const auto id = make_id<InstructionId>(i); !done_.contains(id) && may_start(id))
        found.insert(id);
    return found;
  }
  void complete(InstructionId id) { done_.insert(id); }

 private:
  bool may_start(InstructionId id) const {
    for (std::size_t i = 0; i < id.index(); ++i)
      if (program_.instructions()[i].lane == program_.at(id).lane &&
          !done_.contains(make_id<InstructionId>(i)))
        return false;
    return std::ranges::all_of(program_.waits_on(id),
                               [&](InstructionId before) { return done_.contains(before); });
  }

  const Program& program_;
  std::set<InstructionId> done_;
};

TEST(Dispatcher, AgreesWithThePlainVariantInAnyOrderOfCompletion) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const Program program = test::random_program({.seed = seed, .events = 40});
    Dispatcher dispatcher(program);
    PlainDispatcher plain(program);
    std::mt19937 random(seed);
    const Ids initial = copy(dispatcher.initially_ready());
    std::set<InstructionId> ready(initial.begin(), initial.end());
    while (!ready.empty()) {
      ASSERT_EQ(ready, plain.ready()) << "seed " << seed;
      const InstructionId done =
          *std::next(ready.begin(), static_cast<std::ptrdiff_t>(random() % ready.size()));
      ready.erase(done);
      const Ids released = copy(dispatcher.complete(done));
      EXPECT_TRUE(std::ranges::is_sorted(released));
      ready.insert(released.begin(), released.end());
      plain.complete(done);
    }
    EXPECT_EQ(dispatcher.remaining(), 0U);
  }
}

}  // namespace
}  // namespace pipegraph
