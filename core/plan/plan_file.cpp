// A plan file: format, model, cluster, training, plan, and an end by which a cut one is known.
#include "core/plan/plan_file.h"

#include <fmt/format.h>

#include "core/base/yaml_scalar.h"
#include "core/plan/plan_text.h"
#include "core/plan/training_text.h"

namespace pipegraph {
namespace {

/// Every line of `text` moved to the right.
std::string indented(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    result += fmt::format("  {}\n", text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return result;
}

/// A file that was cut behind a line may read like a whole one, with defaults for what is missing.
void check_whole(MapReader& reader) {
  const auto last = reader.optional("ends_with");
  const auto end = reader.optional("end");
  if (end && !end->as_bool()) end->fail("says nothing", "true, or no such key");
  if (!last) return;
  last->as_choice(std::vector<std::string>{"end"});
  if (!end)
    last->fail("the key 'end' is missing: the file was cut",
               "the whole file; or no 'ends_with', if nothing else is missing");
}

}  // namespace

bool is_plan_document(const YamlValue& document) {
  return document.is_map() && document.find("format") &&
         (document.find("plan") || document.find("ends_with"));
}

PlanDocument read_plan_document(const YamlValue& document) {
  MapReader reader(document, "a plan file");
  const YamlValue format = reader.required("format");
  if (format.as_integer() != k_plan_format)
    format.fail(fmt::format("format {} is not known", format.as_integer()),
                fmt::format("format: {}", k_plan_format));
  check_whole(reader);
  PlanDocument result{.plan = reader.required("plan"),
                      .origin = {.model = reader.required("model"),
                                 .cluster = reader.required("cluster"),
                                 .training = read_training(reader.required("training")),
                                 .costs = reader.optional("costs")}};
  reader.finish();
  return result;
}

std::string plan_file_text(const Plan& plan, const ComputationGraph& graph,
                           const PlanOrigin& origin) {
  std::string text = fmt::format("format: {}\nends_with: end\n", k_plan_format);
  text += "model:\n" + indented(with_file_inlined(origin.model).to_yaml_text());
  text += "cluster:\n" + indented(with_file_inlined(origin.cluster).to_yaml_text());
  text += fmt::format("training: {}\n", to_yaml_text(origin.training));
  if (origin.costs)
    text += "costs:\n" + indented(with_absolute_costs(*origin.costs).to_yaml_text());
  return text + "plan:\n" + indented(to_yaml_text(plan, graph)) + "end: true\n";
}

YamlValue with_absolute_costs(const YamlValue& costs) {
  const auto absolute = [](const YamlValue& path) {
    return to_yaml_scalar(std::filesystem::absolute(path.as_path()).string());
  };
  if (!costs.is_map()) return YamlValue::parse(absolute(costs), costs.position().file);
  const auto file = costs.find("file");
  return file ? costs.with("file", absolute(*file), "costs") : costs;
}

YamlValue with_file_inlined(const YamlValue& value) {
  constexpr int k_most_files = 16;  // of files that name each other
  YamlValue result = value;
  std::string stem;
  for (int hops = 0; result.is_map() && result.find("file"); ++hops) {
    const YamlValue file = result.find("file").value();
    const std::filesystem::path path = file.as_path();
    if (result.find("import"))
      return result.with("file", to_yaml_scalar(std::filesystem::absolute(path).string()),
                         "import");
    if (hops == k_most_files)
      file.fail("too many files refer to each other", "a file without 'file'");
    result = file.load_named().merged_with(result.without("file"));
    if (stem.empty()) stem = path.stem().string();
  }
  // A cluster is called like its file; inlined, it has to say so.
  const bool nameless = !stem.empty() && result.find("shape") && !result.find("name");
  return nameless ? result.with("name", to_yaml_scalar(stem), "file") : result;
}

}  // namespace pipegraph
