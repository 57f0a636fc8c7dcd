#include "core/program/plan_rules.h"

#include <algorithm>

#include "core/program/flows.h"
#include "core/program/gradient_rules.h"
#include "core/program/matching.h"
#include "core/program/task_index.h"

namespace pipegraph {

namespace {

bool waits_for(const Program& program, InstructionId id, InstructionId other) {
  const auto waits = program.waits_on(id);
  return other.valid() && std::binary_search(waits.begin(), waits.end(), other);
}

/// Whether the instruction hands out activations (Forward) or gradients of a stage.
bool produces(const Instruction& i, Direction direction) {
  if (i.kind == InstructionKind::Recv) return i.gradients == (direction == Direction::Backward);
  if (direction == Direction::Forward) return i.kind == InstructionKind::Forward;
  return i.kind == InstructionKind::Backward || i.kind == InstructionKind::BackwardInput;
}

/// Checks the waits of passes and sends.
class WaitRules {
 public:
  WaitRules(const Program& program, const StageFlows& flows, const TaskSlots& slots,
            const TaskIndex& tasks, Problems& problems)
      : program_(program), flows_(flows), slots_(slots), tasks_(tasks), problems_(problems) {}

  void check(InstructionId id) {
    const Instruction& i = program_.at(id);
    if (i.kind == InstructionKind::Send) return check_send(id);
    if (!is_pass(i.kind)) return;
    const std::int32_t replica = tasks_.replica(i.stage, i.device);
    if (replica < 0) return;  // told already
    const std::size_t slot = slots_.slot_at(i.stage, i.samples.first, replica);
    if (i.kind == InstructionKind::BackwardWeight) {
      if (!waits_for(program_, id, tasks_.gradient(slot)))
        problems_.add("{} does not wait for its input's part", on_device(program_, id));
      return;
    }
    const bool forward = i.kind == InstructionKind::Forward;
    if (!forward && !waits_for(program_, id, tasks_.forward(slot)))
      problems_.add("{} does not wait for its forward", on_device(program_, id));
    const Direction direction = forward ? Direction::Forward : Direction::Backward;
    for (const StageFlow& flow : flows_.to(i.stage, direction)) check_flow(id, flow, direction);
  }

 private:
  /// The samples of all that the pass waits for and the flow's producer made must be its own.
  void check_flow(InstructionId id, const StageFlow& flow, Direction direction) {
    const MicroBatch samples = program_.at(id).samples;
    std::int64_t covered = 0;
    for (const InstructionId wait : program_.waits_on(id)) {
      const Instruction& source = program_.at(wait);
      if (source.stage != flow.producer || !produces(source, direction)) continue;
      const MicroBatch common = intersection(source.samples, samples);
      if (common.empty()) continue;
      covered += common.samples();
      if (source.kind == InstructionKind::Recv && !carries(source, flow, common))
        problems_.add("{} does not carry all tensors that {} needs", on_device(program_, wait),
                      on_device(program_, id));
    }
    if (covered == samples.samples()) return;
    problems_.add("{} waits for {} of its {} samples from stage {}", on_device(program_, id),
                  covered, samples.samples(), flow.producer.value);
  }

  bool carries(const Instruction& recv, const StageFlow& flow, MicroBatch samples) const {
    if (flow.tensors.empty()) return true;
    if (!recv.payload.valid()) return false;
    const Payload& payload = program_.payloads()[recv.payload.index()];
    const MicroBatch relative{samples.first - recv.samples.first,
                              samples.last - recv.samples.first};
    return std::all_of(flow.tensors.begin(), flow.tensors.end(), [&](OperatorId tensor) {
      return std::any_of(payload.begin(), payload.end(), [&](const PayloadPart& part) {
        return part.tensor == tensor && intersection(part.samples, relative) == relative;
      });
    });
  }

  void check_send(InstructionId id) {
    const Instruction& send = program_.at(id);
    const Direction direction = send.gradients ? Direction::Backward : Direction::Forward;
    for (const InstructionId wait : program_.waits_on(id)) {
      const Instruction& source = program_.at(wait);
      if (is_pass(source.kind) && source.stage == send.stage && produces(source, direction) &&
          intersection(source.samples, send.samples) == send.samples)
        return;
    }
    problems_.add("{} does not wait for the pass that makes it", on_device(program_, id));
  }

  const Program& program_;
  const StageFlows& flows_;
  const TaskSlots& slots_;
  const TaskIndex& tasks_;
  Problems& problems_;
};

}  // namespace

void check_plan_rules(const Program& program, const Workload& workload, const StageGraph& stages,
                      Problems& problems) {
  if (program.stage_names().size() != stages.size())
    return problems.add("the program has {} stages, the plan {}", program.stage_names().size(),
                        stages.size());
  const TaskSlots slots(stages, workload.training.mini_batch);
  const TaskIndex tasks(program, stages, slots, problems);
  const StageFlows flows(*workload.graph, stages);
  WaitRules rules(program, flows, slots, tasks, problems);
  for (std::size_t n = 0; n < program.size() && !problems.full(); ++n)
    rules.check(make_id<InstructionId>(n));
  check_gradient_rules(program, workload, stages, tasks, problems);
}

}  // namespace pipegraph
