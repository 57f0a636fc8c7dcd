#include "apps/run_text.h"

#include <fmt/ranges.h>

#include "apps/exit_code.h"
#include "core/base/errors.h"
#include "core/base/files.h"
#include "core/program/text.h"
#include "core/program/validate.h"

namespace pipegraph {
namespace {

Program read_program(const RunText& text, const Topology& topology) {
  const std::string name = text.file.string();
  Program program = parse_program(read_file(text.file), name);
  const ValidationReport report = validate(program);
  if (!report.problems.empty())
    throw ConfigError({.file = name}, fmt::format("{}", fmt::join(report.problems, "; ")),
                      "a program whose halves and members match");
  if (!report.ok() && text.ignored != PlanRunner::Ignored::Deadlocks)
    throw ConfigError({.file = name},
                      fmt::format("{}: {}", to_text(report.verdict), report.cycle_text),
                      "a program that can end, or --no-validate to see where it gets stuck");
  if (program.device_count() > topology.size())
    throw ConfigError({.file = name},
                      fmt::format("{} devices are more than the cluster's {}",
                                  program.device_count(), topology.size()),
                      "a larger cluster");
  return program;
}

std::string times_text(const char* what, const Quartiles& times) {
  return fmt::format("{}: median {}, quartiles {} and {}\n", what, to_text(times.median),
                     to_text(times.lower), to_text(times.upper));
}

}  // namespace

int run_text(const RunText& text, const ExecutionRequest& request, const Console& console) {
  const Setup setup = set_up(text.study.points.point(0));
  const Program program = read_program(text, *setup.workload.topology);
  const StageGraph no_stages;
  const Executed executed =
      execute({.workload = setup.workload,
               .stages = no_stages,
               .program = program,
               .collectives = evaluation_options(setup.scenario.simulation).collectives,
               .emulated_time = request.emulated_time},
              request, [] {});
  std::string result = fmt::format("{} instructions, {} steps\n", program.size(), request.steps);
  result += times_text("a step", executed.times.untraced);
  if (executed.times.traced) result += times_text("traced", *executed.times.traced);
  if (request.job->reports()) print_result(console, result);
  return ExitDone;
}

}  // namespace pipegraph
