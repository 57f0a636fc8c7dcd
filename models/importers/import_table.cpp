#include "models/importers/import_table.h"

#include <array>
#include <string>
#include <vector>

#include "models/importers/pipedream_profile.h"
#include "models/importers/piper_json.h"

namespace pipegraph {
namespace {

constexpr std::int64_t k_most_samples = 1'000'000'000;

constexpr std::array k_importers{
    Importer{"pipedream", "a profile of PipeDream's profiler (graph.txt)", true,
             import_pipedream_profile},
    Importer{"piper", "a layer graph of the Piper planner (JSON)", false, import_piper_json},
};

const Importer& read_format(MapReader& reader) {
  std::vector<std::string> names;
  for (const Importer& importer : importers()) names.emplace_back(importer.name);
  return importers()[reader.required("import").as_choice(names)];
}

Seconds read_time_unit(MapReader& reader, const Importer& importer, const ImportRequest& request) {
  const auto unit = reader.optional("time_unit");
  if (importer.tells_time_unit) {
    if (unit) unit->fail("the format tells its unit of time", "no 'time_unit'");
    return Seconds{1};
  }
  if (request.as_written) {
    if (unit) unit->fail("'time_unit' beside 'as_written'", "one of them");
    return Seconds{1};
  }
  if (!unit)
    reader.value().fail("missing key 'time_unit': the file does not tell the unit of its times",
                        "time_unit: s or ms (files of both kinds exist), or as_written: true");
  const std::array<std::string, 3> names{"s", "ms", "us"};
  const std::array<double, 3> seconds{1.0, 1e-3, 1e-6};
  return Seconds{seconds[unit->as_choice(names)]};
}

std::string stem_of(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  return name.substr(0, name.find('.'));
}

}  // namespace

std::span<const Importer> importers() { return k_importers; }

ComputationGraph read_import(MapReader& reader) {
  const Importer& importer = read_format(reader);
  ImportRequest request;
  request.file = reader.required("file").as_path();
  request.profile_samples = reader.required("profile_samples").as_integer(1, k_most_samples);
  if (const auto launch = reader.optional("launch")) request.launch = launch->as_seconds();
  if (const auto as_written = reader.optional("as_written"))
    request.as_written = as_written->as_bool();
  request.time_unit = read_time_unit(reader, importer, request);
  const auto name = reader.optional("name");
  request.name = name ? name->as_string() : stem_of(request.file);
  reader.finish();
  return importer.read(request);
}

}  // namespace pipegraph
