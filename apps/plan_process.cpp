#include "apps/plan_process.h"

#include <boost/program_options/value_semantic.hpp>
#include <utility>

#include "apps/gpu_flags.h"
#include "exec/transport/in_process.h"

namespace pipegraph {

namespace po = boost::program_options;

namespace {

const std::vector<std::string> k_backends{"cpu", "cuda", "emulated"};

std::vector<std::int32_t> on_one_rank(const Program& program) {
  return std::vector<std::int32_t>(program.device_count(), 0);
}

/// What a pass costs includes the GPU's pauses between its kernels and around them, which only
/// events see.
GpuOptions with_times(GpuOptions options) {
  options.times = options.times.value_or(GpuTimeSource::Events);
  return options;
}

std::unique_ptr<DeviceSet> make_devices(const PlanProcess::Plan& plan,
                                        const MeasuredDevices& measured, Ranks& ranks) {
  auto devices = device_kind(std::string(to_text(measured.backend)))
                     .make({.workload = plan.workload,
                            .stages = plan.stages,
                            .program = plan.program,
                            .collectives = plan.collectives,
                            .gpus = with_times(measured.gpus),
                            .tracing = Tracing::On,
                            .ranks = &ranks,
                            .rank_of_device = on_one_rank(plan.program)});
  if (TrainingDevices* const training = devices->training())
    training->order().optimizer.learning_rate = 0.0;
  return devices;
}

}  // namespace

std::string_view to_text(MeasuredBackend backend) {
  return k_backends[static_cast<std::size_t>(backend)];
}

Costing costing_of(MeasuredBackend backend) {
  return backend == MeasuredBackend::Emulated ? Costing::Timed : Costing::Untimed;
}

void add_measured_devices(Options& options) {
  options.add()("backend", po::value<std::string>()->default_value("cpu")->value_name("NAME"),
                "cpu, cuda (GPUs of this machine), or emulated: the modelled times");
  add_gpu_options(options);
}

MeasuredDevices measured_devices_of(const po::variables_map& values) {
  MeasuredDevices devices{
      .backend = static_cast<MeasuredBackend>(choice_of(values, "backend", k_backends)),
      .gpus = gpu_options(values)};
  if (devices.backend != MeasuredBackend::Cuda) refuse_gpu_options(values);
  return devices;
}

PlanProcess::PlanProcess(const Plan& plan, const MeasuredDevices& measured)
    : devices_(make_devices(plan, measured, ranks_)),
      channels_(plan.program),
      state_(plan.program),
      host_(make_in_process_transport(plan.program, channels_, state_, devices_->mover())),
      between_devices_(devices_->transport({.program = plan.program,
                                            .channels = channels_,
                                            .state = state_,
                                            .ranks = ranks_,
                                            .rank_of_device = on_one_rank(plan.program),
                                            .inner = *host_})) {
  std::vector<DeviceId> devices;
  for (std::size_t i = 0; i < plan.program.device_count(); ++i)
    devices.push_back(make_id<DeviceId>(i));
  Transport& transport = between_devices_ ? *between_devices_ : *host_;
  executor_ = std::make_unique<Executor>(Execution{.program = plan.program,
                                                   .channels = channels_,
                                                   .state = state_,
                                                   .transport = transport,
                                                   .ranks = ranks_,
                                                   .devices = std::move(devices),
                                                   .engines = devices_->engines(),
                                                   .clocks = devices_->clocks(),
                                                   .step_times = devices_->step_times()},
                                         ExecutionOptions{});
  reductions_.emplace(*executor_,
                      LoneReductions::Parts{plan.program, channels_, state_, transport});
}

StepResult PlanProcess::run_step(Tracing tracing) { return executor_->run_step(tracing); }

}  // namespace pipegraph
