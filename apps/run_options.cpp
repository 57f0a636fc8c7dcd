#include "apps/run_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options/value_semantic.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#include "apps/exit_code.h"
#include "apps/gpu_flags.h"
#include "apps/misbehaviour_option.h"
#include "core/base/errors.h"
#include "core/base/nearest.h"

namespace pipegraph {
namespace {

namespace po = boost::program_options;

constexpr Seconds k_longest_deadline{1e6};
constexpr std::int64_t k_most_steps = 1 << 24;

std::string kinds_text() {
  std::string text;
  for (const DeviceKind& kind : device_kinds())
    text += fmt::format("{}{} ({})", text.empty() ? "" : "; ", kind.name, kind.description);
  return text;
}

std::int32_t count_of(const po::variables_map& values, const std::string& name,
                      std::int64_t least) {
  const auto count = values[name].as<std::int64_t>();
  if (count >= least && count <= k_most_steps) return static_cast<std::int32_t>(count);
  throw ConfigError({.file = "--" + name}, fmt::format("{} is out of range", count),
                    fmt::format("{} to {}", least, k_most_steps));
}

Seconds deadline_of(const po::variables_map& values) {
  const auto fail = [](const std::string& problem) {
    throw ConfigError({.file = "--deadline"}, problem,
                      "a time above 0 and up to 1e6 s (12 days), e.g. '60 s'");
  };
  const Parsed<Seconds> parsed = parse_seconds(values["deadline"].as<std::string>());
  if (const auto* error = std::get_if<QuantityError>(&parsed)) fail(error->problem);
  const auto deadline = std::get<Seconds>(parsed);
  if (!(deadline > Seconds{0})) fail("no time at all");
  if (deadline > k_longest_deadline) fail("nobody waits that long");
  return deadline;
}

StepIssue parse_issue(const std::string& name) {
  const std::vector<std::string> names{"instructions", "steps", "graph"};  // as in StepIssue
  const auto found = std::ranges::find(names, name);
  if (found == names.end())
    throw ConfigError({.file = "--issue"}, fmt::format("work is not issued by '{}'", name),
                      expected_one_of(name, names));
  return static_cast<StepIssue>(found - names.begin());
}

/// A device that never comes back cannot be stopped any other way, and its thread still uses what
/// an orderly end would destroy.
void end_process(const std::string& message) {
  print_message({}, fmt::format("pipegraph: {}", message));
  std::_Exit(ExitFault);
}

}  // namespace

void add_execution_options(Options& options) {
  static const std::string kinds = "what executes: " + kinds_text();
  options.add()("backend", po::value<std::string>()->value_name("NAME"), kinds.c_str());
  options.add()("steps", po::value<std::int64_t>()->default_value(10)->value_name("N"),
                "mini-batches that are timed, 1 to 16777216");
  options.add()("warm-up", po::value<std::int64_t>()->default_value(2)->value_name("N"),
                "mini-batches before them that are not, 0 to 16777216");
  options.add()("trace",
                "note when each instruction starts and ends, in as many further mini-batches");
  options.add()("deadline", po::value<std::string>()->default_value("60 s")->value_name("TIME"),
                "give up when no device has moved for so long, at most 1e6 s");
  options.add()("real-time", "emulated: wait for the modelled times instead of computing them");
  add_gpu_options(options);
  options.add()("issue", po::value<std::string>()->value_name("NAME"),
                "cuda: how GPUs are given their work: instructions (default: each when what it "
                "waits for has ended), steps (by one process: a whole step at once, streams wait "
                "for each other), graph (that as a CUDA graph)");
  options.add()("misbehave", po::value<std::string>()->value_name("LIST"), k_misbehaviour_help);
  options.add()("devices-of-rank", po::value<std::string>()->value_name("LIST"),
                "under mpirun or srun: which devices each rank has, e.g. 0,1/2,3 (default: equal "
                "shares in order)");
  options.add()("no-pinning", "leave it to the system which core each device's thread runs on");
}

JobOptions job_options(const po::variables_map& values) {
  JobOptions options{.deadline = deadline_of(values), .devices_of_rank = {}};
  if (values.count("devices-of-rank") > 0)
    options.devices_of_rank = parse_devices_of_rank(values["devices-of-rank"].as<std::string>());
  return options;
}

ExecutionRequest execution_request(const po::variables_map& values) {
  ExecutionRequest request;
  request.kind =
      &device_kind(values.count("backend") > 0 ? values["backend"].as<std::string>() : "");
  request.steps = count_of(values, "steps", 1);
  request.warm_up = count_of(values, "warm-up", 0);
  if (values.count("trace") > 0) request.tracing = Tracing::On;
  if (values.count("real-time") > 0) request.emulated_time = EmulatedTime::Real;
  if (values.count("no-pinning") > 0) request.options.pinning = Pinning::Never;
  request.gpus = gpu_options(values);
  if (values.count("issue") > 0) request.issue = parse_issue(values["issue"].as<std::string>());
  if (values.count("misbehave") > 0)
    request.misbehaviour = parse_misbehaviour(values["misbehave"].as<std::string>());
  request.options.deadline = deadline_of(values);
  request.options.abandon = end_process;
  return request;
}

}  // namespace pipegraph
