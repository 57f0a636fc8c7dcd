// Foreign formats of profiled networks, by name, and how a scenario names one:
//   {import: pipedream, file: vgg16.graph.txt, profile_samples: 64}
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "core/base/yaml_reader.h"
#include "core/model/computation_graph.h"

namespace pipegraph {

/// The whole of an import but the file's content.
struct ImportRequest {
  std::string name;  ///< of the model; empty: the file's name up to its first dot
  std::filesystem::path file;
  std::int64_t profile_samples = 1;  ///< that the file's times and sizes stand for
  Seconds launch{0};        ///< part of every measured pass that does not grow with the samples
  bool as_written = false;  ///< read as the format's own tool reads it
  Seconds time_unit{1};     ///< of the file's times, where it does not say
};

struct Importer {
  std::string_view name;         ///< as in YAML
  std::string_view description;  ///< one line
  bool tells_time_unit = true;   ///< else `time_unit` or `as_written` is required
  ComputationGraph (*read)(const ImportRequest& request);
};

std::span<const Importer> importers();

/// Reads `{import, file, profile_samples, name, launch, as_written, time_unit}`, keys that `reader`
/// has been asked for before included, and the file. Errors: ConfigError in the scenario or, with
/// line and column, in the imported file.
ComputationGraph read_import(MapReader& reader);

}  // namespace pipegraph
