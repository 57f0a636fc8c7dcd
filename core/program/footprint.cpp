#include "core/program/footprint.h"

#include <algorithm>

namespace pipegraph {

namespace {

void sort_unique(std::vector<OperatorId>& ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

}  // namespace

bool Footprint::keeps(OperatorId tensor) const {
  return std::binary_search(tensors.begin(), tensors.end(), tensor);
}

Footprint footprint(const ComputationGraph& graph, const Stage& stage) {
  Footprint result;
  const auto recomputed = [&](OperatorId op) {
    return std::binary_search(stage.recompute.begin(), stage.recompute.end(), op);
  };
  std::vector<OperatorId> again;  // tensors that recomputation makes
  const auto read_inside = [&](OperatorId op) {
    const auto readers = graph.edges().successors(op.value);
    return std::any_of(readers.begin(), readers.end(), [&](Digraph::Node reader) {
      return std::binary_search(stage.operators.begin(), stage.operators.end(), OperatorId{reader});
    });
  };
  for (const OperatorId op : stage.operators) {
    if (graph.at(op).parameters.count > 0 && read_inside(op))
      result.inner_gradients += graph.at(op).output;
    const bool recompute = recomputed(op);
    for (const ComputationGraph::SavedTensor& saved : graph.saved_tensors(op)) {
      if (saved.given)
        (recompute ? result.workspace : result.given) += saved.bytes;
      else
        (recompute ? again : result.tensors).push_back(saved.tensor);
    }
    if (!recompute) continue;
    for (const OperatorId input : graph.at(op).inputs)
      if (!recomputed(input)) result.tensors.push_back(input);
  }
  sort_unique(result.tensors);
  sort_unique(again);
  for (const OperatorId tensor : again)
    if (!result.keeps(tensor)) result.workspace += graph.at(tensor).output;
  return result;
}

}  // namespace pipegraph
