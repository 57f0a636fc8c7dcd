#include "core/program/footprint.h"

#include <algorithm>
#include <iterator>

namespace pipegraph {

namespace {

void sort_unique(std::vector<OperatorId>& ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

/// What operators keep: tensors, each once and ascending, and bytes given outright.
struct Kept {
  std::vector<OperatorId> tensors;
  Bytes given;
};

Kept kept_by(const ComputationGraph& graph, const std::vector<OperatorId>& operators) {
  Kept kept;
  for (const OperatorId op : operators)
    for (const ComputationGraph::SavedTensor& saved : graph.saved_tensors(op)) {
      if (saved.given)
        kept.given += saved.bytes;
      else
        kept.tensors.push_back(saved.tensor);
    }
  sort_unique(kept.tensors);
  return kept;
}

/// See Footprint::inner_gradients.
Bytes inner_gradients(const ComputationGraph& graph, const Stage& stage) {
  const auto inside = [&](Digraph::Node reader) {
    return std::binary_search(stage.operators.begin(), stage.operators.end(), OperatorId{reader});
  };
  Bytes bytes;
  for (const OperatorId op : stage.operators) {
    const auto readers = graph.edges().successors(op.value);
    if (graph.at(op).parameters.count > 0 && std::any_of(readers.begin(), readers.end(), inside))
      bytes += graph.at(op).output;
  }
  return bytes;
}

}  // namespace

bool Footprint::keeps(OperatorId tensor) const {
  return std::binary_search(tensors.begin(), tensors.end(), tensor);
}

Footprint footprint(const ComputationGraph& graph, const Stage& stage) {
  std::vector<OperatorId> stored;  // the stage's operators that are not recomputed
  std::set_difference(stage.operators.begin(), stage.operators.end(), stage.recompute.begin(),
                      stage.recompute.end(), std::back_inserter(stored));
  Kept kept = kept_by(graph, stored);
  const Kept again = kept_by(graph, stage.recompute);
  for (const OperatorId op : stage.recompute)
    for (const OperatorId input : graph.at(op).inputs)
      if (!std::binary_search(stage.recompute.begin(), stage.recompute.end(), input))
        kept.tensors.push_back(input);
  sort_unique(kept.tensors);
  Footprint result{.tensors = std::move(kept.tensors),
                   .given = kept.given,
                   .workspace = again.given,
                   .inner_gradients = inner_gradients(graph, stage)};
  for (const OperatorId tensor : again.tensors)
    if (!result.keeps(tensor)) result.workspace += graph.at(tensor).output;
  return result;
}

}  // namespace pipegraph
