// A results folder read back, for verbs that compare: each plan that ran with its figures, and as
// far as its files are there its program and timeline.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/planners/evaluate.h"
#include "core/run/timeline.h"
#include "core/stage/workload.h"

namespace pipegraph {

/// A program lowered again from plan.yaml, and what was measured or simulated of it.
struct LoadedTimeline {
  Workload workload;
  PreparedPlan prepared;
  Timeline timeline;  ///< NaN for instructions outside the window
};

struct LoadedPlan {
  std::string name;  ///< with the point of a sweep in front
  std::string status;
  std::optional<Seconds> iteration_time;  ///< absent unless it ran
  double throughput_samples_per_s = 0.0;
  std::string program_hash;  ///< empty in folders of older versions
  std::string backend;
  std::string no_verdict;  ///< why its figures prove nothing; empty if they do
  std::filesystem::path folder;
};

struct LoadedResults {
  std::filesystem::path folder;
  std::string scenario;
  std::vector<LoadedPlan> plans;
};

/// Errors: ConfigError if the folder is not one of ours or its summary.json is damaged.
LoadedResults load_results(const std::filesystem::path& folder);

/// The model in plan.yaml; nothing if that file is not there. Errors: ConfigError if it is damaged.
std::shared_ptr<const ComputationGraph> load_model(const LoadedPlan& plan);

/// Nothing if plan.yaml or timeline.csv are not there. Errors: ConfigError if they are damaged, or
/// plan.yaml does not give the program of `plan.program_hash`.
std::optional<LoadedTimeline> load_timeline(const LoadedPlan& plan);

}  // namespace pipegraph
