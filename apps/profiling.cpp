#include "apps/profiling.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <tuple>

#include "apps/cuda_module.h"
#include "apps/this_machine.h"
#include "core/profile/program_hash.h"
#include "exec/measure/machine.h"
#include "exec/measure/probes.h"

namespace pipegraph {
namespace {

constexpr std::int32_t k_optimizer_repetitions = 20;

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
}

/// Entries of `fresh` in place of those of `into` that are of the same thing, others appended.
template <class Entry, class Key>
void merge_entries(std::vector<Entry>& into, const std::vector<Entry>& fresh, const Key& key) {
  for (const Entry& entry : fresh) {
    const auto same =
        std::ranges::find_if(into, [&](const Entry& known) { return key(known) == key(entry); });
    if (same == into.end())
      into.push_back(entry);
    else
      *same = entry;
  }
}

/// GPUs take microseconds for what threads do in less than one.
ProbeOptions probing(ProbeDevices& gpus) {
  ProbeOptions options{.devices = &gpus};
  options.computes /= 10;
  options.most_turns /= 10;
  return options;
}

MeasuredBandwidth measure_optimizer(MeasuredBackend backend, Optimizer optimizer) {
  return backend == MeasuredBackend::Cuda
             ? cuda_module().optimizer_bandwidth(optimizer, k_optimizer_repetitions)
             : measure_optimizer_bandwidth(state_copies(optimizer), k_optimizer_repetitions);
}

}  // namespace

CostFile new_cost_file(const ComputationGraph& graph, MeasuredBackend backend,
                       Precision precision) {
  CostFile file;
  file.model = graph.name();
  file.model_hash = model_hash(graph);
  file.backend = to_text(backend);
  file.precision = precision;
  file.version = PIPEGRAPH_VERSION;
  file.date = today();
  file.machine = this_machine();
  if (backend == MeasuredBackend::Cuda) file.machine.gpus = cuda_module().gpus();
  file.overlap = backend != MeasuredBackend::Cpu;
  return file;
}

void measure_machine(CostFile& file, MeasuredBackend backend, const Training& training) {
  if (backend == MeasuredBackend::Emulated) return;
  const auto gpus = backend == MeasuredBackend::Cuda ? cuda_module().probe_devices() : nullptr;
  const ProbeOptions options = gpus ? probing(*gpus) : ProbeOptions{};
  const Measured dispatch = measure_dispatch(options);
  file.dispatch = dispatch.mean;
  if (dispatch.disturbed) file.disturbed.emplace_back("dispatch");
  file.transfers = measure_transfers(usual_transfer_sizes(), options);
  if (training.optimizer == Optimizer::None) return;
  const MeasuredBandwidth bandwidth = measure_optimizer(backend, training.optimizer);
  file.optimizer_bandwidth = bandwidth.value;
  if (bandwidth.disturbed) file.disturbed.emplace_back("optimizer_bandwidth");
}

std::vector<MeasuredOperator> measure_operators(const ComputationGraph& graph,
                                                MeasuredBackend backend,
                                                const OperatorProfileOptions& options) {
  return backend == MeasuredBackend::Cuda ? cuda_module().profile_operators(graph, options)
                                          : profile_operators(graph, options);
}

std::string note_of_disturbance(const CostFile& file) {
  const std::size_t disturbed = disturbed_entries_of(file);
  if (disturbed == 0) return {};
  const std::size_t all =
      entries_of(file) + (file.dispatch ? 1 : 0) + (file.optimizer_bandwidth ? 1 : 0);
  return fmt::format(
      "the machine did other things while {} of {} costs were measured, though each was repeated: "
      "they are marked 'disturbed'",
      disturbed, all);
}

std::vector<std::int64_t> usual_sample_counts(std::int64_t most) {
  std::vector<std::int64_t> counts;
  for (std::int64_t count = 1; count < most; count *= 2) counts.push_back(count);
  counts.push_back(most);
  return counts;
}

CostFile merged(CostFile into, const CostFile& fresh, const std::string& name) {
  // First: models of another precision have another hash.
  if (into.backend == fresh.backend &&
      !same_arithmetic(into, fresh.precision.value_or(Precision::Fp32)))
    throw ConfigError({.file = name},
                      fmt::format("holds times in {}, these are in {}",
                                  to_text(into.precision.value_or(Precision::Fp32)),
                                  to_text(fresh.precision.value_or(Precision::Fp32))),
                      "another file, or no --merge");
  if (into.model_hash != fresh.model_hash)
    throw ConfigError({.file = name},
                      fmt::format("holds the costs of another model, '{}'", into.model),
                      "another file, or no --merge");
  if (into.backend != fresh.backend)
    throw ConfigError(
        {.file = name},
        fmt::format("holds times of '{}', these are of '{}'", into.backend, fresh.backend),
        "another file, or no --merge");
  if (const std::string other = difference(into.machine, fresh.machine); !other.empty())
    throw ConfigError({.file = name}, other, "another file, or no --merge");
  merge_entries(into.operators, fresh.operators, [](const MeasuredOperator& measured) {
    return std::tuple(measured.name, measured.pass, measured.samples);
  });
  merge_entries(into.plans, fresh.plans, [](const MeasuredPlan& plan) { return plan.hash; });
  if (!fresh.transfers.empty()) into.transfers = fresh.transfers;
  if (fresh.dispatch) into.dispatch = fresh.dispatch;
  into.disturbed = fresh.disturbed;
  if (fresh.optimizer_bandwidth) into.optimizer_bandwidth = fresh.optimizer_bandwidth;
  into.overlap = fresh.overlap;
  into.precision = fresh.precision;
  into.date = fresh.date;
  into.version = fresh.version;
  return into;
}

}  // namespace pipegraph
