// A plan on devices of this process whose steps are measured: cores that compute for real, or
// emulated devices whose times are the model's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "apps/options.h"
#include "apps/study.h"
#include "core/run/collective_schedules.h"
#include "core/stage/stage_graph.h"
#include "exec/executor.h"
#include "exec/measure/lone_reductions.h"
#include "exec/steps/training_devices.h"
#include "exec/training/synthetic_data.h"

namespace pipegraph {

/// What is measured, as `--backend` names it.
enum class MeasuredBackend : std::uint8_t { Cpu, Emulated };
std::string_view to_text(MeasuredBackend backend);  ///< "cpu", "emulated"

/// Emulated devices take the modelled times, cores take their own.
Costing costing_of(MeasuredBackend backend);

/// Adds `--backend cpu|emulated`.
void add_measured_backend(Options& options);
/// Errors: ConfigError.
MeasuredBackend measured_backend_of(const boost::program_options::variables_map& values);

class PlanProcess {
 public:
  struct Plan {
    const Workload& workload;
    const StageGraph& stages;
    const Program& program;
    CollectiveOptions collectives;
  };
  /// What `plan` refers to must outlive this. Errors: ConfigError for what cannot be computed.
  PlanProcess(const Plan& plan, MeasuredBackend backend);
  PlanProcess(const PlanProcess&) = delete;
  PlanProcess& operator=(const PlanProcess&) = delete;

  /// One mini-batch of synthetic samples. Optimizer steps do all their work at a learning rate of
  /// 0, so that no number grows however often passes run.
  StepResult run_step(Tracing tracing);
  Executor& executor() { return *executor_; }
  /// Of this plan's all-reduces; lives as long as this.
  LoneReductions& reductions() { return *reductions_; }

 private:
  void make_executor(const Plan& plan, EngineFactory engines, ClockFactory clocks);

  Channels channels_;
  RunState state_;
  SingleRank ranks_;
  std::unique_ptr<Transport> transport_;
  std::optional<SyntheticData> data_;
  std::optional<TrainingDevices> devices_;
  std::unique_ptr<Executor> executor_;
  std::optional<LoneReductions> reductions_;
};

}  // namespace pipegraph
