#include "apps/loaded_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/base/files.h"
#include "core/base/yaml_reader.h"
#include "core/plan/plan_file.h"
#include "core/plan/plan_reader.h"
#include "core/profile/program_hash.h"
#include "core/report/results_folder.h"
#include "core/report/timeline_reader.h"
#include "core/scenario/scenario.h"
#include "models/model_reader.h"
#include "topologies/cluster_reader.h"

namespace pipegraph {
namespace {

using Json = nlohmann::json;

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& problem,
                       const std::string& expected) {
  throw ConfigError({.file = file.string()}, problem, expected);
}

[[noreturn]] void fail_to_parse(const std::filesystem::path& file, const std::string& text,
                                std::size_t byte) {
  const std::string_view before = std::string_view(text).substr(0, byte > 0 ? byte - 1 : 0);
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t begin = before.rfind('\n') + 1;  // 0 if there is none
  throw ConfigError({.file = file.string(),
                     .line = static_cast<int>(line),
                     .column = static_cast<int>(before.size() - begin) + 1},
                    byte > text.size() ? "the file is cut" : "this is not JSON",
                    "the whole file as pipegraph wrote it");
}

Json read_json(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error& error) {
    fail_to_parse(file, text, error.byte);
  }
  if (!json.is_object() || json.value("format", Json()) != 1)
    fail(file, "is not a JSON file of format 1", "a file that pipegraph wrote");
  return json;
}

std::string text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

double number_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number() ? found->get<double>() : 0.0;
}

/// Why the plan's figures prove nothing; empty if they do, or if it was simulated.
std::string no_verdict_of(const Json& plan) {
  const auto measured = plan.find("measured");
  return measured != plan.end() && measured->is_object() ? text_of(*measured, "no_verdict")
                                                         : std::string();
}

LoadedPlan plan_of_json(const Json& json, const std::filesystem::path& folder,
                        const std::filesystem::path& summary) {
  const std::string name = json.is_object() ? text_of(json, "name") : "";
  if (name.empty()) fail(summary, "has a plan without a name", "a file that pipegraph wrote");
  LoadedPlan plan{.name = name,
                  .status = text_of(json, "status"),
                  .throughput_samples_per_s = number_of(json, "throughput_samples_per_s"),
                  .program_hash = text_of(json, "program_hash"),
                  .backend = text_of(json, "backend"),
                  .no_verdict = no_verdict_of(json),
                  .folder = folder / "plans" / folder_name(name)};
  if (const double time = number_of(json, "iteration_time_s"); time > 0.0)
    plan.iteration_time = Seconds{time};
  return plan;
}

/// The plan of a plan file with costs that ask for nothing: times come from a timeline.
struct PlanOfFile {
  Workload workload;
  Plan plan;
};

PlanOfFile read_plan_file(const std::filesystem::path& file) {
  const YamlValue document = YamlValue::load(file);
  if (!is_plan_document(document)) fail(file, "is not a plan file", "a file that pipegraph wrote");
  const PlanDocument parts = read_plan_document(document);
  PlanOfFile result;
  Workload& workload = result.workload;
  workload.graph = std::make_shared<const ComputationGraph>(
      read_model(parts.origin.model, parts.origin.training.precision));
  workload.topology = std::make_shared<const Topology>(read_cluster(parts.origin.cluster));
  workload.costs = std::make_shared<const FreeCosts>();
  workload.training = parts.origin.training;
  result.plan = read_plan(parts.plan, workload).plan;
  return result;
}

}  // namespace

LoadedResults load_results(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder))
    fail(folder, "is not a folder", "a results folder of simulate or run");
  if (text_of(read_json(folder / "pipegraph.json"), "program") != "pipegraph")
    fail(folder, "is not of pipegraph's making", "a results folder of simulate or run");
  const std::filesystem::path file = folder / "summary.json";
  const Json summary = read_json(file);
  LoadedResults results{.folder = folder, .scenario = text_of(summary, "scenario"), .plans = {}};
  const Json points = summary.value("points", Json::array());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Json& point = points[i];
    if (!point.is_object()) fail(file, "has a point that is none", "a file that pipegraph wrote");
    const Json keys = point.value("point", Json::object());
    const bool swept = !keys.empty();
    for (const Json& plan : point.value("plans", Json::array())) {
      results.plans.push_back(
          plan_of_json(plan, swept ? folder / "points" / fmt::to_string(i) : folder, file));
      if (swept)
        results.plans.back().name = fmt::format("{} {}", keys.dump(), results.plans.back().name);
    }
  }
  return results;
}

std::shared_ptr<const ComputationGraph> load_model(const LoadedPlan& plan) {
  const std::filesystem::path file = plan.folder / "plan.yaml";
  if (!std::filesystem::exists(file)) return nullptr;
  return read_plan_file(file).workload.graph;
}

std::optional<LoadedTimeline> load_timeline(const LoadedPlan& plan) {
  const std::filesystem::path file = plan.folder / "plan.yaml";
  const std::filesystem::path rows = plan.folder / "timeline.csv";
  if (!std::filesystem::exists(file) || !std::filesystem::exists(rows)) return std::nullopt;
  PlanOfFile read = read_plan_file(file);
  // Only the scenario says whether communication overlaps; the hash tells which it was.
  for (const bool overlap : {true, false}) {
    PreparedPlan prepared = prepare(read.workload, read.plan, {.overlap = overlap});
    if (!prepared.program) break;
    const bool same =
        plan.program_hash.empty() ||
        program_hash(read.workload, prepared.stages, *prepared.program) == plan.program_hash;
    if (!same) continue;
    Timeline timeline = read_timeline_csv(rows, *prepared.program);
    return LoadedTimeline{read.workload, std::move(prepared), std::move(timeline)};
  }
  fail(file, "does not give the program that summary.json names", "files of one version and run");
}

}  // namespace pipegraph
