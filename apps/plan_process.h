// A plan on devices of this process whose steps are measured: cores or GPUs that compute for real,
// or emulated devices whose times are the model's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/device_kinds.h"
#include "apps/options.h"
#include "apps/study.h"
#include "exec/executor.h"
#include "exec/measure/lone_reductions.h"

namespace pipegraph {

/// What is measured, as `--backend` names it.
enum class MeasuredBackend : std::uint8_t { Cpu, Cuda, Emulated };
std::string_view to_text(MeasuredBackend backend);  ///< "cpu", "cuda", "emulated"

/// Emulated devices take the modelled times, cores and GPUs take their own.
Costing costing_of(MeasuredBackend backend);

struct MeasuredDevices {
  MeasuredBackend backend = MeasuredBackend::Cpu;
  GpuOptions gpus;
};

/// Adds `--backend cpu|cuda|emulated`, and the options of GPUs.
void add_measured_devices(Options& options);
/// Errors: ConfigError.
MeasuredDevices measured_devices_of(const boost::program_options::variables_map& values);

class PlanProcess {
 public:
  struct Plan {
    const Workload& workload;
    const StageGraph& stages;
    const Program& program;
    CollectiveOptions collectives;
  };
  /// What `plan` refers to must outlive this. Errors: ConfigError for what cannot be computed;
  /// MachineError if this machine has no such devices.
  PlanProcess(const Plan& plan, const MeasuredDevices& measured);
  PlanProcess(const PlanProcess&) = delete;
  PlanProcess& operator=(const PlanProcess&) = delete;

  /// One mini-batch of synthetic samples. Optimizer steps do all their work at a learning rate of
  /// 0, so that no number grows however often passes run.
  StepResult run_step(Tracing tracing);
  Executor& executor() { return *executor_; }
  /// Of this plan's all-reduces; lives as long as this.
  LoneReductions& reductions() { return *reductions_; }
  /// How many devices compute side by side.
  std::size_t units() const { return devices_->units(); }
  std::string time_source() const { return devices_->time_source(); }
  /// What the devices have to say, a line each.
  std::vector<std::string> notes() const { return devices_->notes(); }

 private:
  SingleRank ranks_;
  std::unique_ptr<DeviceSet> devices_;
  Channels channels_;
  RunState state_;
  std::unique_ptr<Transport> host_, between_devices_;  ///< the latter where devices have one
  std::unique_ptr<Executor> executor_;
  std::optional<LoneReductions> reductions_;
};

}  // namespace pipegraph
