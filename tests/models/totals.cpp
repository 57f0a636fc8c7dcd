#include "tests/models/totals.h"

#include <map>

namespace pipegraph::test {

Bytes activation_bytes(const ComputationGraph& graph) {
  std::map<std::pair<std::int32_t, bool>, Bytes> kept;
  for (OperatorId id : graph.order())
    for (const auto& tensor : graph.saved_tensors(id))
      kept[{tensor.tensor.value, tensor.given}] = tensor.bytes;
  Bytes total;
  for (const auto& [key, bytes] : kept) total += bytes;
  return total;
}

const Operator& find_operator(const ComputationGraph& graph, std::string_view name) {
  return graph.at(graph.find(name).value());
}

std::vector<std::string> input_names(const ComputationGraph& graph, std::string_view name) {
  std::vector<std::string> names;
  for (OperatorId input : find_operator(graph, name).inputs) names.push_back(graph.at(input).name);
  return names;
}

}  // namespace pipegraph::test
