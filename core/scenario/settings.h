// Values of a document set from outside: `--set training.mini_batch=64`.
#pragma once

#include <string>
#include <vector>

#include "core/base/yaml_reader.h"

namespace pipegraph {

/// `document` with each `PATH=VALUE` applied in order; VALUE is YAML. Relative paths of files in a
/// value are relative to the working directory. A plan file whose plan or workload is set loses the
/// plan's objective and search, which were another's. Errors: ConfigError, naming the setting; also
/// for a key that the document's sweep varies.
YamlValue with_settings(const YamlValue& document, const std::vector<std::string>& settings);

}  // namespace pipegraph
