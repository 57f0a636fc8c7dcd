#include "exec/cpu/cpu_engine.h"

#include <algorithm>

#include "core/base/errors.h"
#include "exec/training/initial_weights.h"
#include "exec/training/optimizer_step.h"

namespace pipegraph {

namespace {

float* floats(std::byte* data) { return reinterpret_cast<float*>(data); }
const float* floats(const std::byte* data) { return reinterpret_cast<const float*>(data); }
std::size_t count_of(Bytes bytes) { return static_cast<std::size_t>(bytes.count) / sizeof(float); }

ArenaKind arena_kind(MemoryUse use) {
  return use == MemoryUse::Tight ? ArenaKind::Shared : ArenaKind::Separate;
}

}  // namespace

void CpuEngine::Reader::operator()(const ReadStep& step, void* place) const {
  check(order.data != nullptr, "a step has data");
  const std::int64_t first = order.first_sample + step.first_sample;
  const std::size_t count = count_of(step.bytes);
  if (step.kind == ElementKind::Whole)
    order.data->read(step.op, first, std::span(static_cast<std::int32_t*>(place), count));
  else
    order.data->read(step.op, first, std::span(static_cast<float*>(place), count));
}

CpuEngine::CpuEngine(const Context& context, DeviceId device, const CpuEngineOptions& options)
    : context_(context),
      passes_(context.tables, device, arena_kind(options.memory)),
      memory_(passes_.sizes()),
      runner_(device_, passes_, memory_.bases(), Reader{context.order}) {
  if (options.memory == MemoryUse::Poison) poisoning_.emplace(passes_, memory_);
  initialise_weights(options.seed);
  list_pieces();
}

void CpuEngine::initialise_weights(std::uint64_t seed) {
  for (const StoredOwner& stored : passes_.parameters().stored())
    fill_initial_weights(
        context_.tables.graph(), stored.owner, seed,
        {floats(memory_.address({Area::Parameters, stored.begin})), count_of(stored.bytes)});
}

std::vector<Piece> CpuEngine::pieces_of(std::span<const Stretch> stretches) const {
  std::vector<Piece> pieces;
  for (const Stretch& stretch : stretches)
    pieces.push_back({memory_.address(stretch.begin), stretch.bytes});
  return pieces;
}

void CpuEngine::list_pieces() {
  const auto instructions = context_.tables.model().order.on(passes_.device());
  message_ranges_.resize(instructions.size());
  sum_of_.assign(instructions.size(), -1);
  for (const InstructionId id : instructions) {
    const InstructionKind kind = context_.tables.program().at(id).kind;
    if (kind == InstructionKind::AllReduce) list_sum(id);
    if (!is_transfer(kind)) continue;
    StepRange& range = message_ranges_[place_of(id)];
    range.begin = static_cast<std::uint32_t>(message_pieces_.size());
    const std::vector<Piece> pieces = pieces_of(passes_.message(id));
    message_pieces_.insert(message_pieces_.end(), pieces.begin(), pieces.end());
    range.end = static_cast<std::uint32_t>(message_pieces_.size());
  }
}

void CpuEngine::list_sum(InstructionId all_reduce) {
  const PlacedSum placed = passes_.parameters().sum(all_reduce);
  sum_of_[place_of(all_reduce)] = static_cast<std::int32_t>(sums_.size());
  Sum& sum = sums_.emplace_back();
  sum.sum = pieces_of(placed.sum);
  for (const PlacedAddend& addend : placed.addends) {
    sum.of_addends.push_back(pieces_of(addend.stretches));
    sum.addends.push_back({addend.use, addend.device, sum.of_addends.back()});
  }
}

void CpuEngine::begin_step(std::int64_t /*step*/) {
  const auto clear = [&](Area area) {
    const Bytes size = passes_.sizes()[static_cast<std::size_t>(area)];
    device_.zero(floats(memory_.address({area, {}})), static_cast<std::int64_t>(count_of(size)));
  };
  clear(Area::Accumulators);
  // Optimizer steps clear what they have used.
  if (context_.tables.model().workload.training.optimizer == Optimizer::None)
    clear(Area::Gradients);
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
  const Stretch updated = passes_.parameters().updated_by(stage);
  const Bytes begin = updated.begin.offset();
  const Bytes copy = passes_.parameters().bytes();
  const Training& training = context_.tables.model().workload.training;
  OptimizedTensors<float> tensors;
  tensors.count = static_cast<std::int64_t>(count_of(updated.bytes));
  tensors.parameters = floats(memory_.address(updated.begin));
  tensors.gradients = floats(memory_.address({Area::Gradients, begin}));
  if (state_copies(training.optimizer) > 0)
    tensors.first_state = floats(memory_.address({Area::State, begin}));
  if (state_copies(training.optimizer) > 1)
    tensors.second_state = floats(memory_.address({Area::State, copy + begin}));
  optimizer_step(device_, training.optimizer, context_.order, tensors);
}

std::span<const Piece> CpuEngine::pieces(InstructionId half) {
  const StepRange range = message_ranges_[place_of(half)];
  return std::span(message_pieces_).subspan(range.begin, range.end - range.begin);
}

GradientSum CpuEngine::reduced(InstructionId all_reduce) {
  const Sum& sum = sums_[static_cast<std::size_t>(sum_of_[place_of(all_reduce)])];
  return {sum.addends, sum.sum};
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
