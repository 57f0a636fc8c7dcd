#include "models/importers/pipedream_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/files.h"
#include "models/graph_builder.h"
#include "models/importers/measured_work.h"
#include "models/importers/pipedream_lines.h"

namespace pipegraph {
namespace {

constexpr std::uint64_t k_most_bytes = std::uint64_t{64} << 20;

/// Nodes by number, with their edges checked.
struct Wiring {
  std::vector<std::vector<std::size_t>> inputs;
  std::vector<std::size_t> readers;  ///< how many
};

std::size_t node_named(const std::map<std::string, std::size_t>& ids, const std::string& id,
                       const SourcePosition& position) {
  const auto found = ids.find(id);
  if (found == ids.end())
    throw ConfigError(position, fmt::format("there is no node '{}'", id), "a node of the file");
  return found->second;
}

Wiring wire(const ProfiledLines& lines) {
  std::map<std::string, std::size_t> ids;
  for (std::size_t i = 0; i < lines.nodes.size(); ++i)
    if (!ids.emplace(lines.nodes[i].id, i).second)
      throw ConfigError(lines.nodes[i].position,
                        fmt::format("node '{}' given twice", lines.nodes[i].id), "each node once");
  Wiring wiring{std::vector<std::vector<std::size_t>>(lines.nodes.size()),
                std::vector<std::size_t>(lines.nodes.size(), 0)};
  for (const ProfiledEdge& edge : lines.edges) {
    const std::size_t from = node_named(ids, edge.from, edge.position);
    std::vector<std::size_t>& inputs = wiring.inputs[node_named(ids, edge.to, edge.position)];
    if (std::ranges::find(inputs, from) != inputs.end())
      throw ConfigError(edge.position,
                        fmt::format("edge from '{}' to '{}' given twice", edge.from, edge.to),
                        "each edge once");
    inputs.push_back(from);
    ++wiring.readers[from];
  }
  return wiring;
}

/// A file that was cut off loses edges first.
void check_edges(const ProfiledLines& lines, const Wiring& wiring) {
  for (std::size_t i = 0; i < lines.nodes.size() && lines.nodes.size() > 1; ++i)
    if (wiring.inputs[i].empty() && wiring.readers[i] == 0)
      throw ConfigError(lines.nodes[i].position,
                        fmt::format("node '{}' has no edge", lines.nodes[i].id),
                        "an edge of each node: the file may have been cut off");
}

bool left_out(const ProfiledNode& node, const Wiring& wiring, std::size_t i) {
  if (wiring.inputs[i].empty() && node.description.starts_with("Input")) return true;
  return wiring.readers[i] == 0 && node.description.starts_with("__getitem__");
}

std::string name_of(const ProfiledNode& node) {
  const std::string& text = node.description;
  const auto word = std::ranges::find_if(
      text, [](unsigned char c) { return !(std::isalnum(c) != 0 || c == '_'); });
  return word == text.begin() ? node.id : node.id + "." + std::string(text.begin(), word);
}

Operator to_operator(const ProfiledNode& node, const ImportRequest& request) {
  Operator op;
  op.name = name_of(node);
  op.position = node.position;
  op.forward = measured(Seconds{node.forward_ms * 1e-3}, request);
  op.backward = measured(Seconds{node.backward_ms * 1e-3}, request);
  op.output = per_sample(node.activation_bytes, request.profile_samples);
  op.parameters = per_sample(node.parameter_bytes, 1);
  return op;
}

}  // namespace

ComputationGraph import_pipedream_profile(const ImportRequest& request) {
  const std::string file = request.file.string();
  const ProfiledLines lines = read_profiled_lines(read_file(request.file, k_most_bytes), file);
  if (lines.nodes.size() > k_most_operators)
    throw ConfigError({file}, fmt::format("{} nodes", lines.nodes.size()),
                      fmt::format("at most {}", k_most_operators));
  const Wiring wiring = wire(lines);
  check_edges(lines, wiring);
  std::vector<OperatorId> id_of(lines.nodes.size());
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < lines.nodes.size(); ++i) {
    if (!request.as_written && left_out(lines.nodes[i], wiring, i)) continue;
    id_of[i] = make_id<OperatorId>(kept.size());
    kept.push_back(i);
  }
  if (kept.empty()) throw ConfigError({file, 1, 1}, "no nodes", "a PipeDream profile");
  std::vector<Operator> operators;
  for (const std::size_t i : kept) {
    operators.push_back(to_operator(lines.nodes[i], request));
    for (const std::size_t input : wiring.inputs[i])
      if (id_of[input].valid()) operators.back().inputs.push_back(id_of[input]);
  }
  return {request.name, std::move(operators)};
}

}  // namespace pipegraph
