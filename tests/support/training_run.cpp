#include "tests/support/training_run.h"

#include <gtest/gtest.h>

#include <numeric>

#include "core/base/errors.h"
#include "exec/transport/device_ranks.h"
#include "exec/transport/in_process.h"

namespace pipegraph::test {

namespace {

std::vector<DeviceId> all_devices(const Program& program) {
  std::vector<DeviceId> devices;
  for (std::size_t d = 0; d < program.device_count(); ++d) devices.push_back(make_id<DeviceId>(d));
  return devices;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace

TrainingRun::TrainingRun(const Workload& workload, const StageGraph& stages, const Program& program,
                         const TrainingRunOptions& options)
    : options_(options),
      synthetic_(*workload.graph, options.seed),
      devices_(workload, stages, program, options.precisions),
      others_(options.make_devices ? options.make_devices(devices_, options_) : nullptr),
      channels_(program),
      state_(program),
      inner_(make_in_process_transport(program, channels_, state_,
                                       others_ ? others_->mover() : nullptr)),
      outer_(others_ ? others_->transport(
                           {.program = program,
                            .channels = channels_,
                            .state = state_,
                            .ranks = ranks_,
                            .rank_of_device = ranks_of_devices(program.device_count(), 1),
                            .inner = *inner_,
                            .deadline = options.deadline})
                     : nullptr),
      mini_batch_(workload.training.mini_batch) {
  const EngineFactory engines =
      others_ ? others_->engines()
              : cpu_engines(devices_.tables(), devices_.order(),
                            {.seed = options.seed, .memory = options.memory}, devices_.engines());
  executor_ = std::make_unique<Executor>(
      Execution{.program = program,
                .channels = channels_,
                .state = state_,
                .transport = outer_ ? *outer_ : *inner_,
                .ranks = ranks_,
                .devices = all_devices(program),
                .engines = engines,
                .clocks = [](DeviceId) { return make_real_clock(); },
                .whole_step = others_ ? others_->whole_step() : nullptr,
                .step_times = others_ ? others_->step_times() : nullptr},
      ExecutionOptions{.deadline = options.deadline, .pinning = options.pinning});
  runner_ = std::make_unique<PlanStepRunner>(devices_, *executor_, ranks_);
}

TrainingRun::~TrainingRun() = default;

std::vector<double> TrainingRun::step(Tracing tracing) {
  runner_->trace(tracing);
  StepOrder order;
  order.step = steps_ + 1;
  order.first_sample = steps_ * mini_batch_;
  order.data = options_.data != nullptr ? options_.data : &synthetic_;
  order.optimizer = options_.optimizer;
  ++steps_;
  std::vector<double> means;
  for (const LossValue& value : runner_->run(order)) means.push_back(value.mean);
  return means;
}

std::vector<double> TrainingRun::train(int steps) {
  std::vector<double> losses;
  for (int n = 0; n < steps; ++n) {
    const std::vector<double> means = step();
    losses.push_back(std::accumulate(means.begin(), means.end(), 0.0));
  }
  return losses;
}

NamedTensors TrainingRun::collect(Of of) const {
  NamedTensors result;
  const DeviceState& state = runner_->state();
  for (std::size_t t = 0; t < state.tensors().size(); ++t) {
    const StateTensor& tensor = state.tensors()[t];
    if (tensor.name.find(':') != std::string::npos) continue;
    std::vector<float> values(static_cast<std::size_t>(elements(tensor)));
    if (of == Of::Parameters)
      state.read(t, values);
    else
      state.read_gradient(t, values);
    const auto [known, fresh] = result.try_emplace(tensor.name, values);
    EXPECT_TRUE(fresh || same_bits(known->second, values))
        << "copies of " << tensor.name << " differ";
  }
  return result;
}

NamedTensors TrainingRun::parameters() const { return collect(Of::Parameters); }

NamedTensors TrainingRun::gradients() const {
  check(devices_.tables().model().workload.training.optimizer == Optimizer::None,
        "gradients are still there");
  return collect(Of::Gradients);
}

void TrainingRun::set_parameter(const std::string& name, std::span<const float> values) {
  DeviceState& state = runner_->state();
  for (std::size_t t = 0; t < state.tensors().size(); ++t)
    if (state.tensors()[t].name == name) state.write(t, values);
}

}  // namespace pipegraph::test
