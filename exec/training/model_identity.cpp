#include "exec/training/model_identity.h"

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <string_view>

namespace pipegraph {
namespace {

constexpr std::size_t k_shown_differences = 3;

std::string_view name_of(Arithmetic kind) {
  switch (kind) {
    case Arithmetic::Opaque:
      return "opaque";
    case Arithmetic::Input:
      return "input";
    case Arithmetic::Linear:
      return "linear";
    case Arithmetic::Relu:
      return "relu";
    case Arithmetic::Gelu:
      return "gelu";
    case Arithmetic::LayerNorm:
      return "layer_norm";
    case Arithmetic::Softmax:
      return "softmax";
    case Arithmetic::Attention:
      return "attention";
    case Arithmetic::Embedding:
      return "embedding";
    case Arithmetic::PositionEmbedding:
      return "position_embedding";
    case Arithmetic::EmbeddingBag:
      return "embedding_bag";
    case Arithmetic::Concat:
      return "concat";
    case Arithmetic::Add:
      return "add";
    case Arithmetic::MeanOverSequence:
      return "mean_over_sequence";
    case Arithmetic::DotInteraction:
      return "dot_interaction";
    case Arithmetic::MeanSquaredError:
      return "mean_squared_error";
    case Arithmetic::CrossEntropy:
      return "cross_entropy";
  }
  return "unknown";
}

std::string line_of(const ComputationGraph& graph, const Operator& op) {
  const OperatorArithmetic& does = op.arithmetic;
  std::string line = fmt::format("{}: {}(", op.name, name_of(does.kind));
  for (std::size_t i = 0; i < op.inputs.size(); ++i)
    line += (i > 0 ? ", " : "") + graph.at(op.inputs[i]).name;
  line += fmt::format(") rows {}, columns {}", does.rows, does.columns);
  const auto add = [&](std::string_view what, std::int64_t value) {
    if (value != 0) fmt::format_to(std::back_inserter(line), ", {} {}", what, value);
  };
  add("heads", does.heads);
  add("table rows", does.table_rows);
  add("indices", does.indices);
  if (does.causal) line += ", causal";
  if (does.bias) line += ", bias";
  if (does.activation == Activation::Relu) line += ", relu";
  if (does.activation == Activation::Gelu) line += ", gelu";
  if (does.pooling == Pooling::Sum) line += ", sum";
  if (op.tied_to.valid()) line += ", tied to " + graph.at(op.tied_to).name;
  return line;
}

std::string name_in(const std::string& line) { return line.substr(0, line.find(": ")); }

using Lines = std::map<std::string, std::string>;

Lines by_name(const ModelIdentity& model) {
  Lines lines;
  for (const std::string& line : model.operators)
    lines.emplace(name_in(line), line.substr(std::min(line.size(), line.find(": ") + 2)));
  return lines;
}

}  // namespace

ModelIdentity identity_of(const ComputationGraph& graph) {
  ModelIdentity model;
  for (const Operator& op : graph.operators()) model.operators.push_back(line_of(graph, op));
  return model;
}

std::string hash_text(const ModelIdentity& model) {
  std::uint64_t hash = 0xCBF29CE484222325;
  const auto add = [&](char byte) {
    hash = (hash ^ static_cast<std::uint8_t>(byte)) * 0x100000001B3;
  };
  for (const std::string& line : model.operators) {
    for (const char byte : line) add(byte);
    add('\n');
  }
  return fmt::format("{:016x}", hash);
}

std::vector<std::string> differences(const ModelIdentity& saved, const ModelIdentity& present) {
  const Lines before = by_name(saved), now = by_name(present);
  std::vector<std::string> found;
  for (const auto& [name, line] : before) {
    const auto here = now.find(name);
    if (here == now.end())
      found.push_back(fmt::format("operator '{}' of the checkpoint is not in this model", name));
    else if (here->second != line)
      found.push_back(fmt::format("operator '{}' is '{}' in the checkpoint and '{}' in this model",
                                  name, line, here->second));
  }
  for (const auto& [name, line] : now)
    if (!before.contains(name))
      found.push_back(fmt::format("operator '{}' of this model is not in the checkpoint", name));
  if (found.size() > k_shown_differences + 1) {
    const std::size_t more = found.size() - k_shown_differences;
    found.resize(k_shown_differences);
    found.push_back(fmt::format("and {} more differences", more));
  }
  return found;
}

}  // namespace pipegraph
