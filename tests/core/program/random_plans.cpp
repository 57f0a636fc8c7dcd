#include "tests/core/program/random_plans.h"

#include <fmt/format.h>

#include <algorithm>

namespace pipegraph::test {

namespace {

class Maker {
 public:
  Maker(std::mt19937& random, const RandomPlanOptions& options)
      : random_(random), options_(options) {}

  std::optional<TinyPlan> make() {
    const ComputationGraph graph = this->graph();
    const std::int32_t mini_batch = between(1, 24);
    PlanKind kind = chance(3) ? PlanKind::Sequential : PlanKind::Graph;
    const SkipTransfer skip = chance(2) ? SkipTransfer::Relay : SkipTransfer::Direct;
    schedule_ = options_.schedules[static_cast<std::size_t>(
        between(0, static_cast<int>(options_.schedules.size()) - 1))];
    std::vector<Stage> list = stages(graph);
    if (schedule_ == "interleaved_1f1b") {
      kind = PlanKind::Sequential;
      if (!deal_out(list)) return std::nullopt;
    }
    Device device = round_device();
    Training training{.mini_batch = mini_batch};
    training.optimizer = static_cast<Optimizer>(between(0, 3));
    training.precision = chance(2) ? Precision::Bf16 : Precision::Fp32;
    Topology cluster = ideal_cluster(devices_, device);
    const Workload workload = tiny_workload(graph, cluster, training);
    StageGraph stage_graph(*workload.graph, list, kind, skip);
    const bool knows_extra = schedule_ != "gpipe" && schedule_ != "interleaved_1f1b";
    const std::int64_t extra = between(0, 3);
    auto schedule =
        make_schedule(stage_graph, *find_schedule(schedule_),
                      {.mini_batch = mini_batch, .extra_in_flight = knows_extra ? extra : 0});
    if (!std::holds_alternative<Schedule>(schedule)) return std::nullopt;
    const LoweringOptions lowering{.receive_slots = options_.receive_slots, .overlap = !chance(4)};
    Program program = lower(workload, stage_graph, std::get<Schedule>(schedule), lowering);
    return TinyPlan{workload, std::move(stage_graph), std::get<Schedule>(std::move(schedule)),
                    std::move(program)};
  }

 private:
  int between(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1));
  }
  bool chance(int one_in) { return between(1, one_in) == 1; }

  ComputationGraph graph() {
    std::vector<Operator> operators;
    const int count = between(1, 9);
    for (int i = 0; i < count; ++i) {
      std::vector<OperatorId> inputs;
      for (int j = std::max(0, i - 4); j < i; ++j)
        if (chance(2)) inputs.push_back(OperatorId{j});
      if (inputs.empty() && i > 0 && !chance(4)) inputs.push_back(OperatorId{i - 1});
      TinyOperator costs;
      costs.output = Bytes{static_cast<std::uint64_t>(4 * between(0, 64))};
      costs.parameters = Bytes{static_cast<std::uint64_t>(chance(3) ? 0 : 4 * between(1, 50))};
      if (chance(4)) costs.saved = Bytes{static_cast<std::uint64_t>(4 * between(0, 99))};
      operators.push_back(tiny_operator(fmt::format("op{}", i), inputs, costs));
      operators.back().output_needs_gradient = !chance(5);
      const OperatorId owner{between(0, i)};
      if (owner.value < i && chance(4) && !operators[owner.index()].tied_to.valid()) {
        operators.back().tied_to = owner;
        operators.back().parameters = operators[owner.index()].parameters;
      }
    }
    return {"random", operators};
  }

  std::vector<Stage> stages(const ComputationGraph& graph) {
    std::vector<Stage> list;
    for (std::size_t op = 0; op < graph.size(); ++op) {
      if (list.empty() || chance(2)) list.emplace_back();
      list.back().operators.push_back(make_id<OperatorId>(op));
      if (chance(4)) list.back().recompute.push_back(make_id<OperatorId>(op));
    }
    for (std::size_t s = 0; s < list.size(); ++s) {
      Stage& stage = list[s];
      stage.name = fmt::format("s{}", s);
      const int replicas = between(1, 3);
      stage.micro_batch = between(replicas, 6);
      stage.k = schedule_ == "kfkb" ? between(1, 3) : 1;
      if (options_.share_devices && devices_ > 0 && chance(3)) {
        for (int d = 0; d < std::min(replicas, devices_); ++d) stage.devices.push_back(DeviceId{d});
      } else {
        for (int r = 0; r < replicas; ++r) stage.devices.push_back(DeviceId{devices_++});
      }
    }
    return list;
  }

  /// Two or more stages for each device group, in turns; false if the stages do not go evenly.
  bool deal_out(std::vector<Stage>& list) {
    const auto stages = static_cast<int>(list.size());
    const int groups = between(1, std::max(1, stages / 2));
    if (stages < 2 || stages % groups != 0) return false;
    const std::int32_t replicas = between(1, 3);
    const std::int32_t micro_batch = between(replicas, 6);
    devices_ = groups * replicas;
    for (int s = 0; s < stages; ++s) {
      Stage& stage = list[static_cast<std::size_t>(s)];
      stage.micro_batch = micro_batch;
      stage.devices.clear();
      for (std::int32_t r = 0; r < replicas; ++r)
        stage.devices.push_back(DeviceId{s % groups * replicas + r});
    }
    return true;
  }

  std::mt19937& random_;
  const RandomPlanOptions& options_;
  int devices_ = 0;
  std::string schedule_;
};

}  // namespace

std::optional<TinyPlan> random_plan(std::mt19937& random, const RandomPlanOptions& options) {
  return Maker(random, options).make();
}

}  // namespace pipegraph::test
