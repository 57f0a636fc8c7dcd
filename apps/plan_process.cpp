#include "apps/plan_process.h"

#include <boost/program_options/value_semantic.hpp>
#include <string>
#include <utility>
#include <vector>

#include "exec/cpu/cpu_engine.h"
#include "exec/emulated/emulated_clocks.h"
#include "exec/emulated/emulated_engine.h"
#include "exec/transport/in_process.h"

namespace pipegraph {

namespace po = boost::program_options;

namespace {
const std::vector<std::string> k_backends{"cpu", "emulated"};
}  // namespace

std::string_view to_text(MeasuredBackend backend) {
  return k_backends[static_cast<std::size_t>(backend)];
}

Costing costing_of(MeasuredBackend backend) {
  return backend == MeasuredBackend::Cpu ? Costing::Untimed : Costing::Timed;
}

void add_measured_backend(Options& options) {
  options.add()("backend", po::value<std::string>()->default_value("cpu")->value_name("NAME"),
                "cpu, or emulated: the modelled times");
}

MeasuredBackend measured_backend_of(const po::variables_map& values) {
  return static_cast<MeasuredBackend>(choice_of(values, "backend", k_backends));
}

PlanProcess::PlanProcess(const Plan& plan, MeasuredBackend backend)
    : channels_(plan.program),
      state_(plan.program),
      transport_(make_in_process_transport(plan.program, channels_, state_)) {
  if (backend == MeasuredBackend::Emulated) {
    make_executor(plan, emulated_engines(),
                  emulated_clocks(plan.program, *plan.workload.topology, plan.collectives,
                                  EmulatedTime::Virtual));
    return;
  }
  data_.emplace(*plan.workload.graph, 0);
  devices_.emplace(plan.workload, plan.stages, plan.program);
  devices_->order().data = &*data_;
  devices_->order().optimizer.learning_rate = 0.0;
  make_executor(plan, cpu_engines(devices_->tables(), devices_->order(), {}, devices_->engines()),
                [](DeviceId) { return make_real_clock(); });
}

void PlanProcess::make_executor(const Plan& plan, EngineFactory engines, ClockFactory clocks) {
  std::vector<DeviceId> devices;
  for (std::size_t i = 0; i < plan.program.device_count(); ++i)
    devices.push_back(make_id<DeviceId>(i));
  executor_ = std::make_unique<Executor>(Execution{.program = plan.program,
                                                   .channels = channels_,
                                                   .state = state_,
                                                   .transport = *transport_,
                                                   .ranks = ranks_,
                                                   .devices = std::move(devices),
                                                   .engines = std::move(engines),
                                                   .clocks = std::move(clocks)},
                                         ExecutionOptions{});
  reductions_.emplace(*executor_,
                      LoneReductions::Parts{plan.program, channels_, state_, *transport_});
}

StepResult PlanProcess::run_step(Tracing tracing) { return executor_->run_step(tracing); }

}  // namespace pipegraph
