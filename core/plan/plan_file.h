// A plan's file: the plan, and the model, cluster and training it is for, so that it can be run
// again by itself.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/base/yaml_reader.h"
#include "core/plan/plan.h"
#include "core/stage/workload.h"

namespace pipegraph {

inline constexpr int k_plan_format = 1;

/// What a plan is for. `model` and `cluster` are YAML: reading them is not core's.
struct PlanOrigin {
  YamlValue model;
  YamlValue cluster;
  Training training;
  std::optional<YamlValue> costs{};  ///< measured ones to simulate with: a path, or a map
};

struct PlanDocument {
  YamlValue plan;  ///< for read_plan
  PlanOrigin origin;
};

/// Whether a document is a plan file (it has the keys `format` and `plan`), or the beginning of
/// one.
bool is_plan_document(const YamlValue& document);

/// Errors: ConfigError for another format, unknown or missing keys, a file that was cut.
PlanDocument read_plan_document(const YamlValue& document);

/// The text of a plan file, with an end that tells a cut file from a whole one. Files that the
/// origin's model and cluster name are written into it; a cost file by absolute path.
std::string plan_file_text(const Plan& plan, const ComputationGraph& graph,
                           const PlanOrigin& origin);

/// `{file: F, ...}` as the content of F (which may name another file) with the keys beside `file`
/// replacing its own. A cluster gets the file's stem as `name` if it has none; an import keeps its
/// file, by absolute path. Other values stay as they are.
YamlValue with_file_inlined(const YamlValue& value);

/// The `costs:` of a scenario or plan file, a path or a map, with its file by absolute path.
YamlValue with_absolute_costs(const YamlValue& costs);

}  // namespace pipegraph
