// Every published profile is planned in a few seconds: at every change with `graphpipe` and
// `pipedream`, every night (PIPEGRAPH_ALL_PLANNERS in the environment) with all planners.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "bench/baselines/planner_cases.h"
#include "core/planners/table.h"
#include "models/importers/pipedream_profile.h"
#include "models/importers/piper_json.h"

namespace pipegraph::test {
namespace {

/// Processor time, whatever else the machine does; most need less than a tenth of it.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double k_limit_s = 100.0;  // instrumented code takes several times as long
#else
constexpr double k_limit_s = 10.0;
#endif

bool with_all_planners() { return std::getenv("PIPEGRAPH_ALL_PLANNERS") != nullptr; }

/// Planners that do not look for what fits.
bool cuts_by_time_alone(std::string_view planner) {
  return planner == "balanced" || planner == "bapipe" || planner == "uniform";
}

ComputationGraph import_profile(const std::filesystem::path& file) {
  const std::string name = file.stem().stem().string();
  if (file.extension() == ".txt")
    return import_pipedream_profile({.name = name, .file = file, .profile_samples = 128});
  // bert32a100 is in seconds, the others in milliseconds.
  return import_piper_json(
      {.name = name, .file = file, .time_unit = name == "bert32a100" ? Seconds{1} : Seconds{1e-3}});
}

class PublishedProfiles : public testing::TestWithParam<const char*> {};

TEST_P(PublishedProfiles, ArePlannedWithinALimitOfProcessorTime) {
  const auto file = std::filesystem::path(PIPEGRAPH_PROFILES) / GetParam();
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no published profile " << file;
  const Workload workload =
      bench::on_summit(import_profile(file), {.devices = 16, .samples_per_device = 64});
  for (const PlannerEntry& entry : planner_table()) {
    if (entry.name == "exhaustive") continue;  // for a dozen operators
    if (!with_all_planners() && entry.name != "graphpipe" && entry.name != "pipedream") continue;
    MapReader nothing(YamlValue::parse("{}", "test"), "a plan");
    const std::clock_t begin = std::clock();
    const PlannerResult result =
        entry.configure(nothing)(workload, {.name = "p", .kind = entry.kind});
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    RecordProperty(std::string(entry.name) + "_s", std::to_string(seconds));
    EXPECT_LT(seconds, k_limit_s) << entry.name;
    if (const auto* no = std::get_if<Infeasible>(&result)) {
      EXPECT_TRUE(cuts_by_time_alone(entry.name)) << entry.name << ": " << no->reason;
      EXPECT_NE(no->reason.find(" available"), std::string::npos) << entry.name << no->reason;
      continue;
    }
    EXPECT_TRUE(evaluate(workload, std::get<Plan>(result)).ok()) << entry.name;
  }
}

std::string test_name(const testing::TestParamInfo<const char*>& file) {
  std::string name = file.param;
  name = name.substr(0, name.find('.'));
  std::ranges::replace(name, '/', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(
    , PublishedProfiles,
    testing::Values("pipedream/alexnet.graph.txt", "pipedream/densenet121.graph.txt",
                    "pipedream/gnmt.graph.txt", "pipedream/gnmt_large.graph.txt",
                    "pipedream/inception_v3.graph.txt", "pipedream/nasnetalarge.graph.txt",
                    "pipedream/nasnetamobile.graph.txt", "pipedream/resnet101.graph.txt",
                    "pipedream/resnet18.graph.txt", "pipedream/resnet50.graph.txt",
                    "pipedream/resnext101.graph.txt", "pipedream/resnext50.graph.txt",
                    "pipedream/squeezenet1_0.graph.txt", "pipedream/vgg16.graph.txt",
                    "piper/bert32a100.json", "piper/gnmt.json", "piper/resnet.json"),
    test_name);

}  // namespace
}  // namespace pipegraph::test
