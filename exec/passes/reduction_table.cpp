#include "exec/passes/reduction_table.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/errors.h"
#include "core/run/counterparts.h"
#include "core/stage/parameters.h"

namespace pipegraph {

namespace {

std::vector<OperatorId> owners_of(const ComputationGraph& graph, const StageGraph& stages,
                                  const Reduction& reduction) {
  if (reduction.owner.valid()) return {reduction.owner};
  std::vector<OperatorId> owners = parameter_owners(graph, stages.at(reduction.stage));
  for (const SharedParameters& shared : shared_parameters(graph, stages))
    std::erase(owners, shared.owner);
  return owners;
}

/// Operators of the reduction's stages that use the owner's parameters, ascending.
std::vector<OperatorId> uses_of(const ComputationGraph& graph, const StageGraph& stages,
                                OperatorId owner, const Reduction& reduction) {
  std::vector<OperatorId> uses;
  for (const StageId stage : reduction.stages)
    for (const OperatorId op : stages.at(stage).operators)
      if (graph.parameter_owner(op) == owner) uses.push_back(op);
  std::sort(uses.begin(), uses.end());
  return uses;
}

/// By stage: its last pass that adds to gradients.
std::vector<InstructionId> last_contributions(const Program& program) {
  std::vector<InstructionId> last(program.stage_names().size());
  for (std::size_t n = 0; n < program.size(); ++n) {
    const Instruction& i = program.instructions()[n];
    if (i.kind == InstructionKind::Backward || i.kind == InstructionKind::BackwardWeight)
      last[i.stage.index()] = make_id<InstructionId>(n);
  }
  return last;
}

}  // namespace

ReductionTable::ReductionTable(const Workload& workload, const StageGraph& stages,
                               const Program& program)
    : reductions_(pipegraph::reductions(workload, stages)),
      reduction_of_(program.size(), -1),
      reduced_(workload.graph->size(), 0) {
  for (const Reduction& reduction : reductions_) find_gradients(*workload.graph, stages, reduction);
  if (!reductions_.empty()) assign(program);
}

void ReductionTable::find_gradients(const ComputationGraph& graph, const StageGraph& stages,
                                    const Reduction& reduction) {
  ReducedGradients& gradients = gradients_.emplace_back();
  gradients.owners = owners_of(graph, stages, reduction);
  for (std::size_t o = 0; o < gradients.owners.size(); ++o) {
    reduced_[gradients.owners[o].index()] = 1;
    const auto uses = uses_of(graph, stages, gradients.owners[o], reduction);
    for (std::size_t u = 0; u < uses.size(); ++u) {
      if (u == gradients.uses.size())
        gradients.uses.push_back({stages.stage_of(uses[u]),
                                  std::vector<OperatorId>(gradients.owners.size(), OperatorId{})});
      gradients.uses[u].operators[o] = uses[u];
    }
  }
}

/// Reductions stand in the program as soon as they are complete, those of the same moment in the
/// order of the table; replicas of a stage and tied parameters alike.
void ReductionTable::assign(const Program& program) {
  std::vector<std::pair<InstructionId, std::size_t>> in_order;
  const std::vector<InstructionId> last = last_contributions(program);
  for (std::size_t r = 0; r < reductions_.size(); ++r) {
    InstructionId complete_after;
    for (const StageId stage : reductions_[r].stages)
      complete_after = std::max(complete_after, last[stage.index()]);
    in_order.emplace_back(complete_after, r);
  }
  std::sort(in_order.begin(), in_order.end());
  const Counterparts counterparts(program);
  std::unordered_map<std::size_t, std::size_t> known;  // by collective
  for (std::size_t n = 0; n < program.size(); ++n) {
    const Instruction& i = program.instructions()[n];
    if (i.kind != InstructionKind::AllReduce) continue;
    const std::size_t collective = counterparts.collective(make_id<InstructionId>(n));
    const auto [entry, fresh] = known.try_emplace(collective, known.size());
    check(entry->second < in_order.size(), "an all-reduce adds up something");
    const std::size_t r = in_order[entry->second].second;
    check(reductions_[r].stage == i.stage && reductions_[r].bytes == i.bytes &&
              reductions_[r].devices == program.groups()[i.group.index()].devices,
          "all-reduces stand in the order of the lowering");
    reduction_of_[n] = static_cast<std::int32_t>(r);
  }
}

const ReducedGradients& ReductionTable::of(InstructionId all_reduce) const {
  const std::int32_t reduction = reduction_of_[all_reduce.index()];
  check(reduction >= 0, "an all-reduce adds up something");
  return gradients_[static_cast<std::size_t>(reduction)];
}

}  // namespace pipegraph
