#include "exec/cpu/cpu_engine.h"

#include <algorithm>

#include "exec/training/initial_weights.h"

namespace pipegraph {

namespace {

float* floats(std::byte* data) { return reinterpret_cast<float*>(data); }
const float* floats(const std::byte* data) { return reinterpret_cast<const float*>(data); }
std::size_t count_of(Bytes bytes) { return static_cast<std::size_t>(bytes.count) / sizeof(float); }

}  // namespace

CpuEngine::CpuEngine(const Context& context, DeviceId device, const CpuEngineOptions& options)
    : context_(context),
      passes_(context.tables, device, arena_kind(options.memory)),
      memory_(passes_.sizes()),
      pieces_(passes_, memory_.bases()),
      runner_(device_, passes_, memory_.bases(), Reader{context.order}) {
  if (options.memory == MemoryUse::Poison)
    poisoning_.emplace(passes_, [this](Stretch ended) { memory_.poison(ended); });
  initialise_weights(options.seed);
}

void CpuEngine::initialise_weights(std::uint64_t seed) {
  for (const StoredOwner& stored : passes_.parameters().stored())
    fill_initial_weights(
        context_.tables.graph(), stored.owner, seed,
        {floats(memory_.address({Area::Parameters, stored.begin})), count_of(stored.bytes)});
}

void CpuEngine::begin_step(std::int64_t /*step*/) {
  for (const Stretch& zeros : zero_at_begin(passes_))
    device_.zero(floats(memory_.address(zeros.begin)),
                 static_cast<std::int64_t>(count_of(zeros.bytes)));
  if (poisoning_) poisoning_->begin_step();
}

std::span<const Completion> CpuEngine::poll() {
  if (taken_.empty()) return {};
  const InstructionId compute = taken_.front();
  taken_.pop_front();
  const Seconds start = context_.clock.ready(compute);
  perform(compute);
  done_ = Completion{compute, start, context_.clock.end(compute, start)};
  return {&*done_, 1};
}

void CpuEngine::perform(InstructionId compute) {
  if (poisoning_) poisoning_->before(compute);
  if (context_.tables.program().at(compute).kind == InstructionKind::Optimizer)
    update(compute);
  else
    runner_.run(compute);
}

void CpuEngine::update(InstructionId optimizer) {
  const StageId stage = context_.tables.program().at(optimizer).stage;
  optimizer_step(device_, context_.tables.model().workload.training.optimizer, context_.order,
                 optimized_tensors<float>(passes_, memory_.bases(), stage));
}

void CpuEngine::add(Piece destination, Piece source) {
  device_.add(floats(source.data), floats(destination.data),
              static_cast<std::int64_t>(count_of(destination.bytes)));
}

void CpuEngine::copy(Piece destination, Piece source) {
  std::copy_n(source.data, destination.bytes.count, destination.data);
}

void CpuEngine::read(Place from, std::span<float> into) const {
  std::copy_n(floats(static_cast<const std::byte*>(memory_.address(from))), into.size(),
              into.begin());
}

void CpuEngine::write(Place to, std::span<const float> from) {
  std::copy(from.begin(), from.end(), floats(memory_.address(to)));
}

EngineFactory cpu_engines(const PassTables& tables, const StepOrder& order,
                          const CpuEngineOptions& options, std::vector<TrainingEngine*>& made) {
  return [&tables, &order, options, &made](DeviceId device, Clock& clock) {
    auto engine =
        std::make_unique<CpuEngine>(CpuEngine::Context{tables, order, clock}, device, options);
    made[device.index()] = engine.get();
    return engine;
  };
}

}  // namespace pipegraph
