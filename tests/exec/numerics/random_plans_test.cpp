// Random networks under random plans: stages with their own micro-batches and replicas, shared
// devices, recomputation of parts, relayed tensors, every schedule; against one device. Every
// lifetime has bytes of its own that are marked when it ends, so a wrong place shows as NaN.
#include <gtest/gtest.h>

#include <random>

#include "core/schedule/table.h"
#include "models/layers.h"
#include "tests/exec/numerics/trained_plans.h"
#include "tests/support/tiny_clusters.h"
#include "tests/support/tiny_stages.h"

namespace pipegraph::test {
namespace {

class Maker {
 public:
  explicit Maker(unsigned seed) : random_(seed) {}

  ComputationGraph network() {
    GraphBuilder b("random", Precision::Fp32, {});
    std::vector<Tensor> tensors{feature_input(b, "x", 1, 4), feature_input(b, "y", 1, 4)};
    OperatorId tied;
    const int count = between(3, 9);
    for (int i = 0; i < count; ++i) tensors.push_back(operation(b, tensors, i, tied));
    Tensor last = concat(b, "all", {tensors.back(), tensors[tensors.size() - 2]});
    if (!last.needs_gradient) last = linear(b, "late", last, {.columns = 4});
    mean_squared_error(b, "loss", linear(b, "head", last, {.columns = 3}));
    if (chance(3)) cross_entropy(b, "other_loss", tensors[tensors.size() / 2]);
    return std::move(b).finish();
  }

  /// Nothing if the schedule is a deadlock.
  std::unique_ptr<TrainedPlan> plan(const ComputationGraph& graph, std::int32_t mini_batch) {
    const char* names[] = {"1f1b", "gpipe", "kfkb", "zb1p"};
    const std::string schedule_name = names[between(0, 3)];
    auto plan = std::make_unique<TrainedPlan>();
    std::vector<Stage> list = stages(graph);
    if (schedule_name == "kfkb")
      for (Stage& stage : list) stage.k = between(1, 2);
    plan->workload = tiny_workload(graph, ideal_cluster(devices_, round_device()),
                                   {.mini_batch = mini_batch, .optimizer = Optimizer::None});
    const PlanKind kind = chance(2) ? PlanKind::Sequential : PlanKind::Graph;
    const SkipTransfer skip = chance(2) ? SkipTransfer::Relay : SkipTransfer::Direct;
    plan->stages = StageGraph(*plan->workload.graph, list, kind, skip);
    const auto schedule =
        make_schedule(plan->stages, *find_schedule(schedule_name), {.mini_batch = mini_batch});
    if (!std::holds_alternative<Schedule>(schedule)) return nullptr;
    plan->program =
        lower(plan->workload, plan->stages, std::get<Schedule>(schedule), {.overlap = !chance(4)});
    return plan;
  }

 private:
  int between(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1));
  }
  bool chance(int one_in) { return between(1, one_in) == 1; }

  const Tensor& pick(const std::vector<Tensor>& tensors) {
    return tensors[static_cast<std::size_t>(between(
        std::max(0, static_cast<int>(tensors.size()) - 4), static_cast<int>(tensors.size()) - 1))];
  }

  /// Always [1, 4], so that everything fits everywhere.
  Tensor operation(GraphBuilder& b, const std::vector<Tensor>& tensors, int number,
                   OperatorId& tied) {
    const std::string name = fmt::format("op{}", number);
    const Tensor x = pick(tensors);
    const Tensor y = pick(tensors);
    LinearOptions options{.columns = 4,
                          .activation = chance(2) ? Activation::Gelu : Activation::None};
    switch (between(0, 4)) {
      case 0:
        return layer_norm(b, name, x);
      case 1:
        if (x.producer != y.producer) return add(b, name, x, y);
        return linear(b, name, x, options);
      case 2:
        if (x.producer != y.producer) options.residual = y;
        return linear(b, name, x, options);
      case 3: {
        options.bias = false;
        options.tied_to = tied;
        const Tensor result = linear(b, name, x, options);
        if (!tied.valid()) tied = result.producer;
        return result;
      }
      default:
        return linear(b, name, x, options);
    }
  }

  std::vector<Stage> stages(const ComputationGraph& graph) {
    std::vector<Stage> list;
    devices_ = 0;
    for (std::size_t op = 0; op < graph.size(); ++op) {
      if (list.empty() || chance(2)) list.emplace_back();
      list.back().operators.push_back(make_id<OperatorId>(op));
      if (chance(4)) list.back().recompute.push_back(make_id<OperatorId>(op));
    }
    for (Stage& stage : list) {
      stage.name = graph.at(stage.operators.front()).name;
      const int replicas = between(1, 2);
      stage.micro_batch = between(replicas, 5);
      if (devices_ > 1 && chance(3))
        for (int r = 0; r < replicas; ++r) stage.devices.push_back(DeviceId{r});
      else
        for (int r = 0; r < replicas; ++r) stage.devices.push_back(DeviceId{devices_++});
    }
    return list;
  }

  std::mt19937 random_;
  int devices_ = 0;
};

TEST(RandomPlans, AreWithinRoundingOfOneDevice) {
  int plans = 0;
  for (unsigned seed = 0; plans < 150; ++seed) {
    Maker maker(seed);
    const ComputationGraph graph = maker.network();
    const std::int32_t mini_batch = 2 + static_cast<std::int32_t>(seed % 9);
    const auto plan = maker.plan(graph, mini_batch);
    if (plan == nullptr) continue;
    ++plans;
    const Outcome expected = gradients_of(
        graph, on_one_device(graph, {.mini_batch = mini_batch, .micro_batch = mini_batch}));
    TrainingRun run(plan->workload, plan->stages, plan->program);
    const Outcome actual{run.step(), run.gradients()};
    ASSERT_NO_FATAL_FAILURE(expect_near(actual, expected, 2e-5, fmt::format("seed {}", seed)));
  }
}

}  // namespace
}  // namespace pipegraph::test
