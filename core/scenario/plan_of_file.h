// `{file: plan.yaml, ...}` in `plans:`, with what the scenario changes in the file's plan.
#pragma once

#include "core/base/yaml_reader.h"

namespace pipegraph {

/// The plan of the file that `value` names. Beside `file` may stand `name`, and what scheduling and
/// lowering the same stages again can change: `kind`, `schedule`, `extra_in_flight`,
/// `skip_transfer`, `receive_slots`, and for all stages `micro_batch`, `k`, `in_flight` and
/// `recompute`. Another schedule drops the file's `k`, `in_flight` and `extra_in_flight`, which
/// were chosen for its own. A changed plan has neither the file's objective nor its search.
/// Errors: ConfigError for other keys, or a file that is no plan.
YamlValue plan_of_file(const YamlValue& value);

}  // namespace pipegraph
