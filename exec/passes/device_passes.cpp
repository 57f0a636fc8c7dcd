#include "exec/passes/device_passes.h"

#include <algorithm>

#include "core/base/errors.h"
#include "core/program/lifetime_collector.h"
#include "exec/memory/arena_check.h"
#include "exec/passes/pass_frame.h"

namespace pipegraph {

namespace {

#ifndef NDEBUG
constexpr std::size_t k_most_checked = 20'000;  // instructions; above, the check takes too long
#endif

std::vector<OperatorId> losses_on(const PassTables& tables, DeviceId device) {
  std::vector<OperatorId> losses;
  for (const Resident& resident : tables.model().residents[device.index()])
    for (const OperatorId op : tables.model().stages.at(resident.stage).operators)
      if (is_loss(tables.graph().at(op).arithmetic)) losses.push_back(op);
  std::sort(losses.begin(), losses.end());
  return losses;
}

Bytes& size_of(AreaSizes& sizes, Area area) { return sizes[static_cast<std::size_t>(area)]; }

}  // namespace

DevicePasses::DevicePasses(const PassTables& tables, DeviceId device, ArenaKind kind)
    : tables_(tables),
      device_(device),
      arena_(LifetimeCollector(tables.model(), device).collect(), kind),
      parameters_(tables, device),
      losses_(losses_on(tables, device)),
      ranges_(tables.model().order.on(device).size()) {
#ifndef NDEBUG
  if (tables.program().size() <= k_most_checked) {
    const std::string problem = arena_problem(tables.program(), arena_);
    check(problem.empty(), problem.c_str());
  }
#endif
  const Bytes parameters = parameters_.bytes();
  size_of(sizes_, Area::Parameters) = size_of(sizes_, Area::Gradients) = parameters;
  size_of(sizes_, Area::State) =
      parameters * state_copies(tables.model().workload.training.optimizer);
  size_of(sizes_, Area::Arena) = arena_.bytes();
  size_of(sizes_, Area::Accumulators) = parameters_.accumulator_bytes();
  size_of(sizes_, Area::Losses) =
      Bytes{sizeof(float) * losses_.size() * static_cast<std::size_t>(tables.mini_batch())};
  if (tables.element().count < sizeof(float))
    size_of(sizes_, Area::Rounded) =
        Bytes{parameters.count / sizeof(float) * tables.element().count};
  const TensorPlaces tensors(tables_, device_, arena_);
  compile_passes(tensors);
  place_messages(tensors);
}

void DevicePasses::compile_passes(const TensorPlaces& tensors) {
  const HeldPlaces held(tables_, tensors);
  size_of(sizes_, Area::Held) = held.bytes();
  const PassPlaces places{tables_, tensors, parameters_, held, losses_};
  Bytes& scratch = size_of(sizes_, Area::Scratch);
  for (const InstructionId id : tables_.model().order.on(device_)) {
    const InstructionKind kind = tables_.program().at(id).kind;
    if (!is_pass(kind)) continue;
    StepBuilder builder = kind == InstructionKind::Forward ? compile_forward(places, id)
                                                           : compile_backward(places, id);
    const StepBuilder::Finished finished = std::move(builder).finish(steps_);
    ranges_[tables_.model().order.place(id)] = finished.range;
    scratch = std::max(scratch, finished.scratch);
  }
}

void DevicePasses::place_messages(const TensorPlaces& tensors) {
  for (const InstructionId id : tables_.model().order.on(device_)) {
    if (!is_transfer(tables_.program().at(id).kind)) continue;
    StepRange& range = ranges_[tables_.model().order.place(id)];
    range.begin = static_cast<std::uint32_t>(stretches_.size());
    Bytes total;
    for (const Stretch& stretch : tensors.message(id)) {
      check(stretch.begin.valid(), "what a message carries has a place");
      total += stretch.bytes;
      stretches_.push_back(stretch);
    }
    check(total == tables_.program().at(id).bytes, "a message has the bytes that it announces");
    range.end = static_cast<std::uint32_t>(stretches_.size());
  }
}

}  // namespace pipegraph
