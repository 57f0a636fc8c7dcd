#include "exec/steps/executable.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/base/errors.h"
#include "exec/operators/operator_shape.h"

namespace pipegraph {

namespace {

void check_precision(Precision precision, std::span<const Precision> precisions) {
  if (std::ranges::find(precisions, precision) != precisions.end()) return;
  std::string names;
  for (const Precision other : precisions)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", to_text(other));
  throw ConfigError(
      {.key = "training.precision"},
      fmt::format("these devices do not compute in precision {}", to_text(precision)),
      fmt::format("one of {}, or another backend: 'cuda' computes in bf16, 'emulated' "
                  "takes any",
                  names));
}

void check_stage(const Stage& stage) {
  if (stage.tensor_parallel == 1) return;
  throw ConfigError(stage.position,
                    fmt::format("stage '{}' has tensor_parallel {}, which cannot be executed",
                                stage.name, stage.tensor_parallel),
                    "tensor_parallel 1, or the backend 'emulated'");
}

}  // namespace

void check_trainable(const Workload& workload, const StageGraph& stages,
                     std::span<const Precision> precisions) {
  const ComputationGraph& graph = *workload.graph;
  check_precision(workload.training.precision, precisions);
  check_executable(graph, element_size(workload.training.precision));
  for (const Stage& stage : stages.stages()) check_stage(stage);
  if (std::none_of(graph.operators().begin(), graph.operators().end(),
                   [](const Operator& op) { return is_loss(op.arithmetic); }))
    throw ConfigError(graph.at(graph.order().back()).position,
                      fmt::format("model '{}' has no loss to train for", graph.name()),
                      "a mean-squared error or cross entropy at its end");
}

}  // namespace pipegraph
