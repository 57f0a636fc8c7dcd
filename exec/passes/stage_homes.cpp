#include "exec/passes/stage_homes.h"

#include <algorithm>

#include "core/base/errors.h"

namespace pipegraph {

StageHomes::StageHomes(const PassTables& tables, StageId stage, DeviceId device) {
  find_read_here(tables, stage, device);
  const Footprint& footprint = tables.model().footprints[stage.index()];
  const std::vector<OperatorId>& operators = tables.model().stages.at(stage).operators;
  Bytes kept, workspace;
  for (const OperatorId op : operators) {
    const Bytes size = tables.graph().at(op).output;
    if (!footprint.keeps(op)) {
      check(tables.is_recomputed(op), "what is not kept is recomputed");
      recomputed_[op] = outputs_[op] = {Block::Workspace, workspace};
      workspace += size;
    }
    if (is_read_here(op)) {
      outputs_[op] = {Block::Apart, {}};
    } else if (footprint.keeps(op)) {
      outputs_[op] = {Block::Kept, kept};
      kept += size;
    }
  }
  Bytes given;
  for (const OperatorId op : operators) {
    Bytes& before = tables.is_recomputed(op) ? workspace : kept;
    internals_[op] = {tables.is_recomputed(op) ? Block::Workspace : Block::Kept, before};
    before += tables.graph().at(op).internal;
    if (!tables.is_recomputed(op)) given += tables.graph().at(op).internal;
  }
  check(given == footprint.given && workspace == footprint.workspace,
        "blocks are as large as the memory function says");
  place_inner_gradients(tables, stage);
}

void StageHomes::place_inner_gradients(const PassTables& tables, StageId stage) {
  const Footprint& footprint = tables.model().footprints[stage.index()];
  Bytes before = footprint.workspace;
  for (const OperatorId op : tables.model().stages.at(stage).operators) {
    const std::vector<OperatorId>& readers = tables.consumers(op);
    const bool read_inside = std::any_of(readers.begin(), readers.end(), [&](OperatorId reader) {
      return tables.model().stages.stage_of(reader) == stage;
    });
    if (!read_inside || tables.graph().at(op).parameters.count == 0) continue;
    inner_gradients_[op] = {Block::Workspace, before};
    before += tables.graph().at(op).output;
  }
  check(before == footprint.workspace + footprint.inner_gradients,
        "gradients inside a stage take what the memory function says");
}

void StageHomes::find_read_here(const PassTables& tables, StageId stage, DeviceId device) {
  for (const StageFlow& flow : tables.model().flows.from(stage, Direction::Forward))
    if (tables.model().replica_on(device, flow.consumer) >= 0)
      read_here_.insert(read_here_.end(), flow.tensors.begin(), flow.tensors.end());
  std::sort(read_here_.begin(), read_here_.end());
  read_here_.erase(std::unique(read_here_.begin(), read_here_.end()), read_here_.end());
}

bool StageHomes::is_read_here(OperatorId tensor) const {
  return std::binary_search(read_here_.begin(), read_here_.end(), tensor);
}

}  // namespace pipegraph
