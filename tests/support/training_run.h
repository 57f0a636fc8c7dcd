// Trains a plan for real on the devices of a backend, in this process, and tells what came out by
// name: for every test that asks whether a way of running a network computes the right thing.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/stage/stage_graph.h"
#include "core/stage/workload.h"
#include "exec/cpu/cpu_engine.h"
#include "exec/steps/plan_step_runner.h"
#include "exec/training/synthetic_data.h"
#include "exec/transport/mover.h"
#include "exec/transport/transport_context.h"

namespace pipegraph::test {

/// Values by "<operator>/<tensor>".
using NamedTensors = std::map<std::string, std::vector<float>>;

/// The devices of a run that are not the cpu's.
class OtherDevices {
 public:
  virtual ~OtherDevices() = default;
  virtual EngineFactory engines() = 0;
  virtual Mover* mover() = 0;
  /// As of Execution.
  virtual WholeStep* whole_step() { return nullptr; }
  virtual StepTimes* step_times() { return nullptr; }
  /// What stands on the transport within the process; null: nothing.
  virtual std::unique_ptr<Transport> transport(const TransportContext& /*context*/) {
    return nullptr;
  }
};
struct TrainingRunOptions;
/// `devices` outlives what is made.
using MakeDevices = std::function<std::unique_ptr<OtherDevices>(TrainingDevices& devices,
                                                                const TrainingRunOptions&)>;

struct TrainingRunOptions {
  MakeDevices make_devices;                              ///< none: the cpu's
  std::span<const Precision> precisions = k_fp32_alone;  ///< that the devices compute in
  std::uint64_t seed = 1;                                ///< of weights and of synthetic samples
  const DataSource* data = nullptr;                      ///< null: synthetic
  OptimizerSettings optimizer{};
  /// Tests use Poison, so that bytes used too long show as NaN.
  MemoryUse memory = MemoryUse::Poison;
  Pinning pinning = Pinning::Never;
  Seconds deadline{60};
};

class TrainingRun {
 public:
  /// Makes engines and threads. Workload, stages and program outlive this. Errors: ConfigError for
  /// what the backend refuses.
  TrainingRun(const Workload& workload, const StageGraph& stages, const Program& program,
              const TrainingRunOptions& options = {});
  ~TrainingRun();

  /// The next mini-batch; the mean of every loss, ascending by operator.
  std::vector<double> step(Tracing tracing = Tracing::Off);
  /// Losses of `steps` steps, those of a step added up.
  std::vector<double> train(int steps);

  /// After the last step. Copies on several devices must be equal bit for bit, else the test fails.
  NamedTensors parameters() const;
  /// Only with Optimizer::None: steps clear gradients.
  NamedTensors gradients() const;
  void set_parameter(const std::string& name, std::span<const float> values);

  PlanStepRunner& runner() { return *runner_; }
  const TrainingDevices& devices() const { return devices_; }
  Executor& executor() { return *executor_; }
  /// Start and end of every instruction of the last traced step.
  const RunRecord& record() const { return *runner_->last().record; }

 private:
  enum class Of : std::uint8_t { Parameters, Gradients };
  NamedTensors collect(Of of) const;

  TrainingRunOptions options_;
  SyntheticData synthetic_;
  TrainingDevices devices_;
  std::unique_ptr<OtherDevices> others_;
  Channels channels_;
  RunState state_;
  SingleRank ranks_;
  std::unique_ptr<Transport> inner_;
  std::unique_ptr<Transport> outer_;
  std::unique_ptr<Executor> executor_;
  std::unique_ptr<PlanStepRunner> runner_;
  std::int32_t mini_batch_;
  std::int64_t steps_ = 0;
};

}  // namespace pipegraph::test
