#include "exec/passes/pass_tables.h"

#include <algorithm>
#include <ranges>

#include "core/base/errors.h"

namespace pipegraph {

namespace {

TaskIndex complete_index(const MemoryModel& model) {
  Problems problems;
  TaskIndex index(model.program, model.stages, model.slots, problems);
  check(problems.empty(), "a program that is executed has every pass once");
  return index;
}

void sort_unique(std::vector<OperatorId>& ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

}  // namespace

PassTables::PassTables(const Workload& workload, const StageGraph& stages, const Program& program)
    : model_(workload, stages, program),
      tasks_(complete_index(model_)),
      reductions_(workload, stages, program),
      orders_(stages.size()),
      outside_(stages.size()),
      consumers_(workload.graph->size()),
      recomputed_(workload.graph->size(), 0),
      has_gradient_(workload.graph->size(), 0) {
  const ComputationGraph& graph = *workload.graph;
  for (std::size_t n = 0; n < graph.size(); ++n) {
    const auto op = make_id<OperatorId>(n);
    const StageId stage = stages.stage_of(op);
    shapes_.push_back(operator_shape(graph, op));
    for (const OperatorId input : graph.at(op).inputs) {
      consumers_[input.index()].push_back(op);
      if (stages.stage_of(input) != stage) outside_[stage.index()].push_back(input);
    }
  }
  for (const OperatorId op : graph.order()) orders_[stages.stage_of(op).index()].push_back(op);
  for (std::vector<OperatorId>& tensors : outside_) sort_unique(tensors);
  for (const Stage& stage : stages.stages())
    for (const OperatorId op : stage.recompute) recomputed_[op.index()] = 1;
  find_gradients();
}

void PassTables::find_gradients() {
  for (const OperatorId op : std::views::reverse(graph().order())) {
    const std::vector<OperatorId>& readers = consumers(op);
    const bool from_readers = graph().at(op).output_needs_gradient &&
                              std::any_of(readers.begin(), readers.end(),
                                          [&](OperatorId reader) { return has_gradient(reader); });
    has_gradient_[op.index()] = is_loss(graph().at(op).arithmetic) || from_readers ? 1 : 0;
  }
}

bool PassTables::runs_backward(OperatorId op) const {
  if (!has_gradient(op)) return false;
  const std::vector<InputShape>& inputs = shape(op).inputs;
  return graph().at(op).parameters.count > 0 ||
         std::any_of(inputs.begin(), inputs.end(),
                     [](const InputShape& input) { return input.needs_gradient; });
}

InstructionId PassTables::forward_of(InstructionId pass) const {
  return tasks_.forward(model_.slot_of(program().at(pass)));
}
InstructionId PassTables::gradient_of(InstructionId pass) const {
  return tasks_.gradient(model_.slot_of(program().at(pass)));
}
InstructionId PassTables::weight_of(InstructionId pass) const {
  return tasks_.weight(model_.slot_of(program().at(pass)));
}

}  // namespace pipegraph
