#include "exec/measure/machine.h"

#include <fmt/format.h>
#include <sched.h>

#include <fstream>
#include <sstream>

namespace pipegraph {
namespace {

std::int32_t usable() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return 1;
  return CPU_COUNT(&mask);
}

std::string_view trimmed_line(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  const std::size_t first = text.find_first_not_of(" \t:");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

std::string gpu_difference(const MachineGpus& measured, const std::optional<MachineGpus>& here) {
  if (!here) return {};
  if (measured.name != here->name || measured.count != here->count)
    return fmt::format("measured on {} x '{}', here are {} x '{}'", measured.count, measured.name,
                       here->count, here->name);
  if (measured.libraries != here->libraries)
    return fmt::format("measured with {}, here are {}", measured.libraries, here->libraries);
  return {};
}

}  // namespace

std::string processor_name(std::string_view cpuinfo) {
  for (const std::string_view key : {"model name", "Processor", "uarch"}) {
    std::size_t at = cpuinfo.find(key);
    // Only at the start of a line.
    while (at != std::string_view::npos && at > 0 && cpuinfo[at - 1] != '\n')
      at = cpuinfo.find(key, at + 1);
    if (at != std::string_view::npos)
      return std::string(trimmed_line(cpuinfo.substr(at + key.size())));
  }
  return {};
}

Machine this_processor() {
  std::ifstream file("/proc/cpuinfo");
  std::ostringstream text;
  text << file.rdbuf();
  const std::string name = processor_name(text.str());
  return {.cpu = name.empty() ? "unknown" : name, .cores = usable(), .blas = {}, .blas_core = {}};
}

std::string difference(const Machine& measured, const Machine& here) {
  if (measured.cpu != here.cpu)
    return fmt::format("measured on '{}', this is '{}'", measured.cpu, here.cpu);
  if (measured.cores != here.cores)
    return fmt::format("measured on {} cores, here are {}", measured.cores, here.cores);
  if (measured.gpus) return gpu_difference(*measured.gpus, here.gpus);
  if (measured.blas_core != here.blas_core)
    return fmt::format("measured with matrix kernels '{}', here are '{}'", measured.blas_core,
                       here.blas_core);
  return {};
}

}  // namespace pipegraph
