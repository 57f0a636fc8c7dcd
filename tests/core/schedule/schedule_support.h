// Schedules of tiny graphs, in the terms of the tests.
#pragma once

#include <random>
#include <variant>

#include "core/schedule/orders.h"
#include "core/schedule/table.h"
#include "tests/support/tiny_graphs.h"
#include "tests/support/tiny_stages.h"

namespace pipegraph::test {

/// The schedule; throws std::bad_variant_access on a deadlock.
inline Schedule schedule_of(const StageGraph& stages, std::string_view name,
                            const ScheduleOptions& options) {
  return std::get<Schedule>(make_schedule(stages, *find_schedule(name), options));
}

inline std::vector<std::int64_t> in_flight_peaks(const Schedule& schedule) {
  std::vector<std::int64_t> peaks;
  for (const StageSchedule& stage : schedule.stages) peaks.push_back(stage.in_flight_peak);
  return peaks;
}

/// A chain of `stages` stages on a device each.
inline StageGraph chain(int stages, std::int32_t micro_batch = 1, std::int32_t k = 1,
                        PlanKind kind = PlanKind::Graph) {
  const ComputationGraph graph = chain_graph(stages);
  std::vector<Stage> list = stage_per_operator(graph, micro_batch);
  for (Stage& stage : list) stage.k = k;
  return StageGraph(graph, list, kind);
}

/// `count` operators, each reading every one before it with a chance of a third.
inline ComputationGraph random_graph(std::mt19937& random, int count) {
  std::vector<Operator> operators;
  for (int i = 0; i < count; ++i) {
    operators.push_back(tiny_operator("o" + std::to_string(i), {}));
    for (int j = 0; j < i; ++j)
      if (random() % 3 == 0) operators.back().inputs.push_back(OperatorId{j});
  }
  return {"random", operators};
}

inline std::string tokens(const std::vector<Task>& tasks) {
  std::string text;
  for (const Task& task : tasks) text += (text.empty() ? "" : " ") + to_text(task);
  return text;
}

}  // namespace pipegraph::test
