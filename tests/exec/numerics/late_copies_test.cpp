// Messages that a mover copies some time after it was told to: devices go on meanwhile, and results
// are those of copies made at once.
#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "exec/transport/copy_pieces.h"
#include "tests/exec/numerics/small_networks.h"
#include "tests/exec/numerics/trained_plans.h"

namespace pipegraph::test {
namespace {

/// Copies when it is asked for the third time.
class LateMover final : public Mover {
 public:
  explicit LateMover(std::size_t devices) : moves_(devices) {}
  void posting(DeviceId /*self*/) override {}
  void begin(const Move& move) override {
    moves_[move.to.index()][move.channel].push_back({move, 0});
  }
  bool ended(DeviceId receiver, ChannelId channel) override {
    std::deque<Waiting>& waiting = moves_[receiver.index()].at(channel);
    if (++waiting.front().asked < 3) return false;
    copy_pieces(waiting.front().move.source, waiting.front().move.target);
    waiting.pop_front();
    return true;
  }

 private:
  struct Waiting {
    Move move;
    int asked = 0;
  };
  std::vector<std::map<ChannelId, std::deque<Waiting>>> moves_;  ///< by receiver: its thread only
};

class LateDevices final : public OtherDevices {
 public:
  LateDevices(TrainingDevices& devices, const TrainingRunOptions& options)
      : devices_(devices), options_(options), mover_(devices.engines().size()) {}
  EngineFactory engines() override {
    return cpu_engines(devices_.tables(), devices_.order(),
                       {.seed = options_.seed, .memory = options_.memory}, devices_.engines());
  }
  Mover* mover() override { return &mover_; }

 private:
  TrainingDevices& devices_;
  const TrainingRunOptions& options_;
  LateMover mover_;
};

TrainingRunOptions with_late_copies() {
  TrainingRunOptions options;
  options.make_devices = [](TrainingDevices& devices, const TrainingRunOptions& of_run) {
    return std::make_unique<LateDevices>(devices, of_run);
  };
  return options;
}

TEST(LateCopies, ChangeNoBitOfAPipeline) {
  const ComputationGraph graph = skipping_network();
  for (const char* schedule : {"1f1b", "gpipe", "zb1p"}) {
    const PlanSketch plan =
        cut_before(graph, {"fc1", "fc2", "fc3", "join"}, {.schedule = schedule});
    expect_same_bits(gradients_of(graph, plan, with_late_copies()), gradients_of(graph, plan),
                     schedule);
  }
}

TEST(LateCopies, ChangeNoBitOfSumsOverReplicas) {
  const ComputationGraph graph = dense_chain();
  const PlanSketch plan =
      replicated(cut_before(graph, {"fc2"}, {.mini_batch = 16, .micro_batch = 4}), {3, 2});
  expect_same_bits(gradients_of(graph, plan, with_late_copies()), gradients_of(graph, plan),
                   "replicas");
}

}  // namespace
}  // namespace pipegraph::test
