#include "sim/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <new>

#include "core/base/errors.h"
#include "core/run/counting_backend.h"
#include "sim/child_process.h"
#include "sim/shared_results.h"
#include "sim/simgrid_backend.h"

namespace pipegraph {
namespace {

/// Everything in the input that SimGrid would abort on.
void check_input(const Program& program, const Topology& topology,
                 const SimulationOptions& options) {
  check(program.device_count() <= topology.size(), "the topology has the program's devices");
  check_collectives(program, options.collectives);
  for (const Link& link : topology.links()) {
    check(link.bandwidth.value > 0.0, "a link's bandwidth is positive");
    check(std::isfinite(link.latency.count()) && link.latency.count() >= 0.0,
          "a link's latency is finite and not negative");
  }
  for (const Instruction& instruction : program.instructions())
    check(std::isfinite(instruction.duration.count()) && instruction.duration.count() >= 0.0,
          "a compute's time is finite and not negative");
}

void copy_numbers(const std::vector<Seconds>& from, std::span<double> to) {
  std::ranges::transform(from, to.begin(), [](Seconds time) { return time.count(); });
}

RunRecord drive_counting(const Program& program, Backend& backend,
                         const SimulationOptions& options) {
  if (options.completed == nullptr) return drive(program, backend, options.dispatching);
  CountingBackend counting(backend, *options.completed);
  return drive(program, counting, options.dispatching);
}

/// What the child does; its exit code.
int simulate_in_child(const Program& program, const Topology& topology,
                      const SimulationOptions& options, SharedResults& results) {
  try {
    // Never deleted: taking SimGrid down takes long, and it must not be done amid an error.
    auto& backend = *new SimGridBackend(program, topology, options);
    const RunRecord record = drive_counting(program, backend, options);
    copy_numbers(record.start, results.start());
    copy_numbers(record.end, results.end());
    std::ranges::copy(backend.network().link_bytes(), results.link_bytes().begin());
    results.finish(backend.network().counts(), backend.network().factors());
    return 0;
  } catch (const std::bad_alloc&) {
    results.fail(ChildStatus::MachineError, "out of memory");
  } catch (const std::exception& error) {
    results.fail(ChildStatus::InternalError, error.what());
  }
  return 1;
}

[[noreturn]] void throw_failure(const ChildEnd& child, const SharedResults& results) {
  const std::string printed =
      child.output.empty() ? "" : fmt::format("; it printed:\n{}", child.output);
  switch (results.status()) {
    case ChildStatus::MachineError:
      throw MachineError(fmt::format("the simulation failed: {}{}", results.failure(), printed));
    case ChildStatus::InternalError:
      throw InternalError(fmt::format("the simulation failed: {}{}", results.failure(), printed));
    case ChildStatus::Unfinished:
    case ChildStatus::Finished:
      break;
  }
  if (child.exited)
    throw InternalError(
        fmt::format("the simulation ended early with exit code {}{}", child.code, printed));
  if (child.code == SIGKILL)
    throw MachineError(fmt::format(
        "the simulation was killed, most likely because memory ran out (it had used {}){}",
        to_text(child.peak_memory), printed));
  throw InternalError(fmt::format("the simulation died of signal {} ({}){}", child.code,
                                  strsignal(child.code), printed));
}

std::vector<Seconds> as_seconds(std::span<const double> numbers) {
  std::vector<Seconds> times;
  times.reserve(numbers.size());
  for (double number : numbers) times.emplace_back(number);
  return times;
}

}  // namespace

SimulationResult simulate(const Program& program, const Topology& topology,
                          const SimulationOptions& options) {
  check_input(program, topology, options);
  const auto begin = std::chrono::steady_clock::now();
  SharedResults shared(program.size(), topology.links().size());
  const ChildEnd child =
      run_in_child([&] { return simulate_in_child(program, topology, options, shared); });
  if (!child.exited || child.code != 0 || shared.status() != ChildStatus::Finished)
    throw_failure(child, shared);
  RunRecord record(0);
  record.start = as_seconds(shared.start());
  record.end = as_seconds(shared.end());
  SimulationResult result;
  result.outcome = conclude(program, std::move(record));
  result.link_bytes.assign(shared.link_bytes().begin(), shared.link_bytes().end());
  result.factors = shared.factors();
  result.counts = shared.counts();
  result.instructions = program.size();
  result.cpu_time = child.cpu_time;
  result.peak_memory = child.peak_memory;
  result.wall_time = std::chrono::steady_clock::now() - begin;
  return result;
}

}  // namespace pipegraph
