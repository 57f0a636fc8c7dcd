#include "core/profile/measured_program.h"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <utility>

namespace pipegraph {
namespace {

/// Means by (stage, kind) and share.
class Means {
 public:
  explicit Means(const MeasuredPlan& plan) : plan_(plan) {
    for (const MeasuredInstruction& measured : plan.instructions)
      means_[{measured.stage, measured.kind}][measured.samples] = measured.time.mean;
  }

  const std::map<std::int32_t, Seconds>* of(const std::string& stage, InstructionKind kind) const {
    const auto found = means_.find({stage, kind});
    return found == means_.end() ? nullptr : &found->second;
  }

  [[noreturn]] void refuse(const std::string& stage, const Instruction& instruction) const {
    throw ConfigError(
        {.key = fmt::format("plans: {}", plan_.hash)},
        fmt::format("stage '{}' {} of {} samples was not measured", stage,
                    to_text(instruction.kind), instruction.samples.samples()),
        "a profile of all passes of the plan, or costs: {file: ..., extrapolate: true}");
  }

 private:
  const MeasuredPlan& plan_;
  std::map<std::pair<std::string, InstructionKind>, std::map<std::int32_t, Seconds>> means_;
};

Seconds nearest_in_proportion(const std::map<std::int32_t, Seconds>& by_share,
                              std::int32_t samples) {
  auto nearest = by_share.begin();
  for (auto at = by_share.begin(); at != by_share.end(); ++at)
    if (std::abs(at->first - samples) < std::abs(nearest->first - samples)) nearest = at;
  return nearest->second * (static_cast<double>(samples) / nearest->first);
}

Seconds measured_time(const Means& means, const std::string& stage, const Instruction& instruction,
                      MissingSize missing) {
  const std::int32_t samples = is_pass(instruction.kind) ? instruction.samples.samples() : 0;
  const auto* by_share = means.of(stage, instruction.kind);
  if (by_share == nullptr) {
    if (instruction.kind == InstructionKind::AllReduce) return Seconds{0};
    means.refuse(stage, instruction);
  }
  const auto exact = by_share->find(samples);
  if (exact != by_share->end()) return exact->second;
  if (missing == MissingSize::Refuse) means.refuse(stage, instruction);
  return nearest_in_proportion(*by_share, samples);
}

}  // namespace

Program with_measured_times(const Program& program, const MeasuredPlan& plan, MissingSize missing) {
  const Means means(plan);
  std::vector<Seconds> durations(program.size());
  for (std::size_t i = 0; i < program.size(); ++i) {
    const Instruction& instruction = program.instructions()[i];
    if (is_transfer(instruction.kind)) continue;
    const std::string stage =
        instruction.stage.valid() ? program.stage_names()[instruction.stage.index()] : "";
    durations[i] = measured_time(means, stage, instruction, missing);
  }
  return program.with_durations(durations);
}

Program with_dispatch(const Program& program, Seconds dispatch) {
  std::vector<Seconds> durations(program.size());
  for (std::size_t i = 0; i < program.size(); ++i) {
    const Instruction& instruction = program.instructions()[i];
    durations[i] = instruction.duration;
    if (is_compute(instruction.kind)) durations[i] += dispatch;
  }
  return program.with_durations(durations);
}

}  // namespace pipegraph
