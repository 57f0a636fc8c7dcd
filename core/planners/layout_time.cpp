#include "core/planners/layout_time.h"

#include <limits>

#include "core/collective/collective_time.h"
#include "core/planners/least_memory.h"
#include "core/program/reductions.h"
#include "core/stage/stage_costs.h"

namespace pipegraph {

LayoutTimes::LayoutTimes(const Workload& workload, const PlannerOptions& options,
                         const SearchInput& input)
    : workload_(workload),
      options_(options),
      input_(input),
      schedule_(find_schedule(options.schedule)),
      collective_(find_collective(options.evaluation.collectives.algorithm)),
      known_(schedule_ != nullptr && options.schedule != "interleaved_1f1b" &&
             collective_ != nullptr && options.evaluation.overlap && options.receive_slots == 0 &&
             options.evaluation.links == LinkRates::Own),
      homogeneous_(workload.topology->homogeneous()),
      routes_(*workload.topology) {
  for (const Device& device : workload.topology->devices()) known_ = known_ && device.overlap;
}

std::optional<LayoutFigures> LayoutTimes::figures(const Layout& layout) {
  if (!known_) return std::nullopt;
  return figures(StageGraph(*workload_.graph, layout.stages, layout.kind, options_.skip_transfer),
                 layout.extra_in_flight);
}

std::optional<LayoutFigures> LayoutTimes::figures(const StageGraph& stages,
                                                  std::int64_t extra_in_flight) {
  if (!known_ || !iteration_time_is_known(stages)) return std::nullopt;
  const auto costs = costs_of(stages);
  if (!costs) return std::nullopt;
  const auto orders = schedule_->order_stages(
      stages, {.mini_batch = workload_.training.mini_batch, .extra_in_flight = extra_in_flight});
  LayoutFigures found{std::numeric_limits<double>::infinity(),
                      exceeds_memory(workload_, stages, orders),
                      exceeds_memory(workload_, stages, orders, 0.5)};
  if (found.too_large) return found;
  if (const auto time = iteration_time(*workload_.graph, stages, orders, *costs))
    found.seconds = time->count();
  return found;
}

std::optional<IterationCosts> LayoutTimes::costs_of(const StageGraph& stages) {
  IterationCosts costs;
  costs.pass = [this, &stages](StageId stage, std::int32_t replica, Pass of, std::int32_t samples) {
    const Stage& own = stages.at(stage);
    return pass(own, of, samples, own.devices[static_cast<std::size_t>(replica)]);
  };
  costs.message = [this](DeviceId from, DeviceId to, Bytes bytes) {
    return routes_.between(from, to).time(bytes.as_double());
  };
  for (const Reduction& reduction : reductions(workload_, stages)) {
    if (reduction.devices.size() > collective_->most_members) return std::nullopt;
    costs.reductions.push_back({reduction.stages, all_reduce(reduction.devices, reduction.bytes)});
  }
  costs.optimizer = [this, &stages](StageId stage, std::int32_t replica) {
    const Stage& own = stages.at(stage);
    return optimizer_time(
        workload_.training, parameters_of(*workload_.graph, own),
        workload_.topology->device(own.devices[static_cast<std::size_t>(replica)]));
  };
  return costs;
}

Seconds LayoutTimes::pass(const Stage& stage, Pass pass, std::int32_t samples, DeviceId device) {
  const bool whole = pass == Pass::Forward || pass == Pass::Backward;
  if (!homogeneous_ || !whole || !stage.recompute.empty())
    return pass_time(workload_, stage, pass, samples, device);
  const ByOperator& by_operator = times(pass, samples);
  double total = 0.0;
  for (const OperatorId op : stage.operators) total += by_operator[op.index()];
  return Seconds{total};
}

const LayoutTimes::ByOperator& LayoutTimes::times(Pass pass, std::int32_t samples) {
  ByOperator& result = times_[{pass, samples}];
  if (!result.empty()) return result;
  std::vector<double> by_class(workload_.graph->size(), -1.0);
  for (std::size_t i = 0; i < workload_.graph->size(); ++i) {
    double& seconds = by_class[input_.cost_class[i]];
    if (seconds < 0.0)
      seconds = workload_.costs->time(make_id<OperatorId>(i), pass, samples, input_.rate).count();
    result.push_back(seconds);
  }
  return result;
}

Seconds LayoutTimes::all_reduce(const std::vector<DeviceId>& devices, Bytes bytes) {
  const auto [place, added] = reductions_.try_emplace({devices, bytes});
  if (added)
    place->second = collective_time(
        collective_->steps(bytes.as_double(), collective_members(devices, *workload_.topology)),
        devices, *workload_.topology);
  return place->second;
}

}  // namespace pipegraph
