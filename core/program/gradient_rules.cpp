#include "core/program/gradient_rules.h"

#include <algorithm>
#include <unordered_map>

#include "core/program/matching.h"
#include "core/program/reductions.h"

namespace pipegraph {

namespace {

/// All-reduces and optimizer steps of one device that have not been accounted for.
struct Ends {
  std::vector<InstructionId> all_reduces, optimizers;
};

class GradientRules {
 public:
  GradientRules(const Program& program, const TaskIndex& tasks, Problems& problems)
      : program_(program), tasks_(tasks), problems_(problems), ends_(program.device_count()) {
    for (std::size_t n = 0; n < program.size(); ++n) {
      const Instruction& i = program.instructions()[n];
      if (i.kind == InstructionKind::AllReduce)
        ends_[i.device.index()].all_reduces.push_back(make_id<InstructionId>(n));
      else if (i.kind == InstructionKind::Optimizer)
        ends_[i.device.index()].optimizers.push_back(make_id<InstructionId>(n));
    }
  }

  void check_reduction(const Reduction& reduction) {
    for (const DeviceId device : reduction.devices) {
      const InstructionId id = take_all_reduce(reduction, device);
      if (!id.valid()) {
        problems_.add("there is no all-reduce of the {} of {} on d{}", reduction.bytes.count,
                      name(reduction), device.value);
        continue;
      }
      for (const StageId stage : reduction.stages) {
        const std::int32_t replica = tasks_.replica(stage, device);
        if (replica < 0) continue;
        members_[key(stage, device)].push_back({reduction.owner, id});
        check_after(id, tasks_.last_contribution(stage, replica));
      }
    }
  }

  void check_step(const DeviceParameters& parameters) {
    std::vector<InstructionId>& steps = ends_[parameters.device.index()].optimizers;
    const auto found = std::find_if(steps.begin(), steps.end(), [&](InstructionId id) {
      return program_.at(id).stage == parameters.stage;
    });
    if (found == steps.end()) {
      problems_.add("there is no optimizer step of stage {} on d{}", parameters.stage.value,
                    parameters.device.value);
      return;
    }
    const InstructionId id = *found;
    steps.erase(found);
    check_last_on_lane(id);
    bool reduced = false;
    for (const Member& member : members_[key(parameters.stage, parameters.device)]) {
      const std::vector<OperatorId>& owners = parameters.owners;
      if (member.owner.valid() && !std::binary_search(owners.begin(), owners.end(), member.owner))
        continue;
      reduced = true;
      const auto waits = program_.waits_on(id);
      if (!std::binary_search(waits.begin(), waits.end(), member.all_reduce))
        problems_.add("{} does not wait for {}", on_device(program_, id),
                      on_device(program_, member.all_reduce));
    }
    if (!reduced) check_after(id, tasks_.last_contribution(parameters.stage, parameters.replica));
  }

  void check_nothing_left() {
    for (const Ends& ends : ends_) {
      for (const InstructionId id : ends.all_reduces)
        problems_.add("{} reduces nothing of the plan", on_device(program_, id));
      for (const InstructionId id : ends.optimizers)
        problems_.add("{} updates nothing of the plan", on_device(program_, id));
    }
  }

 private:
  struct Member {
    OperatorId owner;
    InstructionId all_reduce;
  };
  static std::uint64_t key(StageId stage, DeviceId device) {
    return static_cast<std::uint64_t>(stage.value) << 32 | static_cast<std::uint32_t>(device.value);
  }
  static std::string name(const Reduction& reduction) {
    return reduction.stage.valid()
               ? fmt::format("bytes of stage {}", reduction.stage.value)
               : fmt::format("tied bytes of operator {}", reduction.owner.value);
  }

  InstructionId take_all_reduce(const Reduction& reduction, DeviceId device) {
    std::vector<InstructionId>& list = ends_[device.index()].all_reduces;
    const auto found = std::find_if(list.begin(), list.end(), [&](InstructionId id) {
      const Instruction& i = program_.at(id);
      return i.stage == reduction.stage && i.bytes == reduction.bytes && i.group.valid() &&
             program_.groups()[i.group.index()].devices == reduction.devices;
    });
    if (found == list.end()) return {};
    const InstructionId id = *found;
    list.erase(found);
    return id;
  }

  /// `id` waits for `last`, or for something behind it on the same lane.
  void check_after(InstructionId id, InstructionId last) {
    if (!last.valid()) return;  // no samples here, or told already
    const auto waits = program_.waits_on(id);
    if (std::any_of(waits.begin(), waits.end(), [&](InstructionId wait) {
          return wait >= last && program_.at(wait).lane == program_.at(last).lane;
        }))
      return;
    problems_.add("{} does not wait for the gradients of {}", on_device(program_, id),
                  on_device(program_, last));
  }

  void check_last_on_lane(InstructionId id) {
    const InstructionId last = tasks_.last_pass(program_.at(id).device);
    if (last > id)
      problems_.add("{} comes before {}", on_device(program_, id), on_device(program_, last));
  }

  const Program& program_;
  const TaskIndex& tasks_;
  Problems& problems_;
  std::vector<Ends> ends_;                                          ///< by device
  std::unordered_map<std::uint64_t, std::vector<Member>> members_;  ///< by stage and device
};

}  // namespace

void check_gradient_rules(const Program& program, const Workload& workload,
                          const StageGraph& stages, const TaskIndex& tasks, Problems& problems) {
  GradientRules rules(program, tasks, problems);
  for (const Reduction& reduction : reductions(workload, stages)) rules.check_reduction(reduction);
  if (workload.training.optimizer != Optimizer::None)
    for (const DeviceParameters& parameters : device_parameters(*workload.graph, stages))
      rules.check_step(parameters);
  rules.check_nothing_left();
}

}  // namespace pipegraph
