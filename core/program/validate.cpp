#include "core/program/validate.h"

#include <array>

#include "core/program/matching.h"
#include "core/program/plan_rules.h"
#include "core/program/verdict.h"

namespace pipegraph {

namespace {

/// Whether an instruction may stand on this lane of its device.
bool belongs(const Instruction& i, const Lane& lane) {
  if (lane.device != i.device) return false;
  switch (lane.kind) {
    case LaneKind::Compute:
      return true;
    case LaneKind::Send:
      return i.kind == InstructionKind::Send && lane.peer == i.peer;
    case LaneKind::Recv:
      return i.kind == InstructionKind::Recv && lane.peer == i.peer;
    case LaneKind::Collective:
      return i.kind == InstructionKind::AllReduce && lane.group == i.group;
  }
  return false;
}

void check_places(const Program& program, Problems& problems) {
  for (std::size_t n = 0; n < program.size(); ++n) {
    const auto id = make_id<InstructionId>(n);
    const Instruction& i = program.at(id);
    if (!belongs(i, program.lanes()[i.lane.index()]))
      problems.add("{} stands on lane '{}'", on_device(program, id),
                   to_text(program.lanes()[i.lane.index()]));
    for (const InstructionId wait : program.waits_on(id))
      if (program.at(wait).device != i.device)
        problems.add("{} waits for {}, of another device", on_device(program, id),
                     on_device(program, wait));
  }
}

ValidationReport report(const Program& program, Problems& problems) {
  check_places(program, problems);
  const Matching matching(program, problems);
  VerdictAndCycle decided = decide(program, matching);
  ValidationReport result;
  result.verdict = decided.verdict;
  result.cycle = std::move(decided.cycle);
  result.cycle_text = std::move(decided.text);
  return result;
}

}  // namespace

std::string_view to_text(Verdict verdict) {
  static constexpr std::array<std::string_view, 4> k_names{"strict", "lanes", "buffered",
                                                           "deadlock"};
  return k_names[static_cast<std::size_t>(verdict)];
}

ValidationReport validate(const Program& program) {
  Problems problems;
  ValidationReport result = report(program, problems);
  result.problems = std::move(problems).take();
  return result;
}

ValidationReport validate(const Program& program, const Workload& workload,
                          const StageGraph& stages) {
  Problems problems;
  ValidationReport result = report(program, problems);
  check_plan_rules(program, workload, stages, problems);
  result.problems = std::move(problems).take();
  return result;
}

}  // namespace pipegraph
