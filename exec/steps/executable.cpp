#include "exec/steps/executable.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/errors.h"
#include "exec/operators/operator_shape.h"

namespace pipegraph {

namespace {

void check_precision(Precision precision) {
  if (precision == Precision::Fp32 || precision == Precision::Fp32Tensor) return;
  throw ConfigError({.key = "training.precision"},
                    fmt::format("precision {} cannot be executed", to_text(precision)),
                    "fp32 or fp32_tensor (both computed in fp32), or the backend 'emulated'");
}

void check_stage(const Stage& stage) {
  if (stage.tensor_parallel == 1) return;
  throw ConfigError(stage.position,
                    fmt::format("stage '{}' has tensor_parallel {}, which cannot be executed",
                                stage.name, stage.tensor_parallel),
                    "tensor_parallel 1, or the backend 'emulated'");
}

}  // namespace

void check_trainable(const Workload& workload, const StageGraph& stages) {
  const ComputationGraph& graph = *workload.graph;
  check_precision(workload.training.precision);
  check_executable(graph);
  for (const Stage& stage : stages.stages()) check_stage(stage);
  if (std::none_of(graph.operators().begin(), graph.operators().end(),
                   [](const Operator& op) { return is_loss(op.arithmetic); }))
    throw ConfigError(graph.at(graph.order().back()).position,
                      fmt::format("model '{}' has no loss to train for", graph.name()),
                      "a mean-squared error or cross entropy at its end");
}

}  // namespace pipegraph
