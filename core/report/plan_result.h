// What became of one plan: an entry of summary.json, a row of results.csv.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/plan/plan.h"
#include "core/planners/evaluate.h"
#include "core/report/measured_times.h"
#include "core/report/run_report.h"

namespace pipegraph {

/// What is known of a plan before it runs.
struct PlanShape {
  int depth = 0;
  std::size_t stages = 0;
  std::size_t devices = 0;
  std::optional<std::int32_t> micro_batch_samples;  ///< nothing if stages differ
  std::vector<std::int64_t> in_flight_samples;      ///< by stage: the peak reached
  std::vector<DeviceId> unused_devices;
};
PlanShape plan_shape(const StageGraph& stages, const Schedule& schedule, const Topology& topology,
                     std::int32_t mini_batch);

/// Absent values are null in JSON, empty in CSV.
struct PlanResult {
  std::string name;
  std::string planner;
  PlanKind kind = PlanKind::Graph;
  PlanStatus status = PlanStatus::Ok;
  std::string reason;  ///< empty if ok
  std::optional<bool> fits;
  std::optional<PlanShape> shape;
  std::optional<Metrics> metrics;
  /// By device used, reserved memory included: the timed peak; of a plan that did not run what the
  /// program needs.
  std::vector<Bytes> peak_memory;
  std::optional<SearchReport> search;
  std::optional<Seconds> transfer_time;
  std::optional<Objective> objective;
  std::optional<Seconds> busiest_device;  ///< per sample; of core/report/busiest_device.h
  std::string program_hash;  ///< of core/profile/program_hash.h; empty if there is no program
  std::string costs;         ///< where the times of computes come from; empty if it did not run
  std::string backend;       ///< empty if it did not run
  std::optional<bool> oversubscribed;  ///< more devices than cores; absent where there are no cores
  std::optional<std::size_t> instructions;
  std::optional<Seconds> simulation_time;
  std::optional<MeasuredTimes> measured;  ///< of a plan that was executed
};

/// The figures of a run into `result`: metrics, peaks, fits, instructions.
void add_run(PlanResult& result, const RunReport& report);
/// The figures of an executed plan: the median of its untraced steps takes the place of the
/// timeline's makespan, if there is a timeline.
void add_measured(PlanResult& result, const MeasuredTimes& times, std::int32_t mini_batch);
/// Of a plan that does not fit and was not run: fits, peaks, reason, status.
void add_out_of_memory(PlanResult& result, const MemoryReport& memory, const StageGraph& stages,
                       const Topology& topology);

using PointValue = std::variant<bool, std::int64_t, double, std::string>;
/// A point of the sweep: its keys and values in the order of the scenario; none without a sweep.
struct PointResult {
  std::vector<std::pair<std::string, PointValue>> point;
  std::vector<PlanResult> plans;
};

}  // namespace pipegraph
