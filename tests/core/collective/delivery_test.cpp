// Carries the step lists out on counted contributions, in many legal orders of start and end, and
// checks that every member ends with each member's contribution exactly once in every chunk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "core/collective/collective.h"

namespace pipegraph {
namespace {

using Contributions = std::vector<int>;     // by contributing member: how often it is in the sum
using Vector = std::vector<Contributions>;  // by chunk
using Memory = std::vector<Vector>;         // by member

Memory own_contributions(std::size_t members, std::size_t chunks) {
  Memory memory(members, Vector(chunks, Contributions(members, 0)));
  for (std::size_t m = 0; m < members; ++m)
    for (Contributions& chunk : memory[m]) chunk[m] = 1;
  return memory;
}

void receive(const CollectiveStep& step, const Vector& message, Vector& into) {
  for (std::int32_t c = step.chunks.first; c < step.chunks.last; ++c) {
    Contributions& sum = into[static_cast<std::size_t>(c)];
    const Contributions& arrived = message[static_cast<std::size_t>(c)];
    if (step.effect == StepEffect::Replace) {
      sum = arrived;
    } else {
      for (std::size_t m = 0; m < sum.size(); ++m) sum[m] += arrived[m];
    }
  }
}

/// Starts and ends steps in a random order that respects `after`; a message is read at its start.
class Delivery {
 public:
  Delivery(const StepList& list, std::size_t members, unsigned seed)
      : list_(list),
        memory_(own_contributions(members, static_cast<std::size_t>(list.chunks))),
        message_(list.steps.size()),
        state_(list.steps.size(), State::Waiting),
        random_(seed) {}

  const Memory& run() {
    for (std::size_t done = 0; done < list_.steps.size();) done += act() ? 1 : 0;
    return memory_;
  }

 private:
  enum class State { Waiting, Moving, Done };

  bool may_start(std::size_t i) const {
    for (std::int32_t before : list_.steps[i].after)
      if (state_[static_cast<std::size_t>(before)] != State::Done) return false;
    return true;
  }

  /// One random start or end; whether it was an end.
  bool act() {
    const std::size_t i = random_() % list_.steps.size();
    const CollectiveStep& step = list_.steps[i];
    if (state_[i] == State::Waiting && may_start(i)) {
      message_[i] = memory_[static_cast<std::size_t>(step.from)];
      state_[i] = State::Moving;
    } else if (state_[i] == State::Moving) {
      receive(step, message_[i], memory_[static_cast<std::size_t>(step.to)]);
      state_[i] = State::Done;
      message_[i].clear();
      return true;
    }
    return false;
  }

  const StepList& list_;
  Memory memory_;
  std::vector<Vector> message_;
  std::vector<State> state_;
  std::mt19937 random_;
};

struct Case {
  std::string algorithm;
  std::vector<std::int32_t> node;
};

std::string name_of(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.algorithm;
  for (std::int32_t node : info.param.node) name += "_" + std::to_string(node);
  return name;
}

class CollectiveDelivery : public testing::TestWithParam<Case> {};

TEST_P(CollectiveDelivery, GivesEveryMemberEachContributionOnce) {
  const CollectiveMembers members{GetParam().node};
  const StepList list = find_collective(GetParam().algorithm)->steps(1.0, members);
  for (unsigned seed = 0; seed < 20; ++seed) {
    Delivery delivery(list, members.size(), seed);
    for (const Vector& vector : delivery.run())
      for (const Contributions& chunk : vector) ASSERT_THAT(chunk, testing::Each(1));
  }
}

/// Aggregated forms only say how long it takes.
bool can_be_carried_out(const CollectiveEntry& entry) {
  const StepList list = entry.steps(1.0, {{0, 0, 1, 1}});
  return list.steps.front().effect != StepEffect::Folded;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const CollectiveEntry& entry : collective_table()) {
    if (!can_be_carried_out(entry)) continue;
    const std::string algorithm(entry.name);
    for (std::size_t size : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U})
      all.push_back({algorithm, std::vector<std::int32_t>(size, 0)});
    all.push_back({algorithm, {0, 0, 1, 1}});
    all.push_back({algorithm, {0, 1, 0, 1, 2, 2}});
    all.push_back({algorithm, {3, 3, 3, 1, 1, 1}});
    all.push_back({algorithm, {0, 0, 0, 1, 1}});
  }
  return all;
}

TEST(CollectiveTable, MessageByMessageFormsCanBeCarriedOut) {
  std::size_t carried_out = 0;
  for (const CollectiveEntry& entry : collective_table())
    carried_out += can_be_carried_out(entry) ? 1 : 0;
  EXPECT_EQ(carried_out, collective_table().size() - 2);  // all but the two aggregated forms
}

INSTANTIATE_TEST_SUITE_P(, CollectiveDelivery, testing::ValuesIn(cases()), name_of);

}  // namespace
}  // namespace pipegraph
