// The `training:` of scenarios and plan files.
#pragma once

#include <string>

#include "core/base/yaml_reader.h"
#include "core/stage/workload.h"

namespace pipegraph {

/// `{mini_batch: 128, precision: fp32, optimizer: sgd}`; only mini_batch is required. Errors:
/// ConfigError.
Training read_training(const YamlValue& value);

/// The same as one line, without a newline.
std::string to_yaml_text(const Training& training);

}  // namespace pipegraph
