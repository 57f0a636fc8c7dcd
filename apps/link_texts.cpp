#include "apps/link_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

constexpr double k_uneven = 1.5;  // from here on links between GPUs are of different kinds

std::string end_text(const std::optional<int>& gpu) {
  return gpu ? fmt::format("gpu{}", *gpu) : "host";
}

/// The mean of several fits.
LinkFit mean_of(const std::vector<LinkFit>& fits) {
  LinkFit mean;
  for (const LinkFit& one : fits) {
    mean.latency += one.latency / static_cast<double>(fits.size());
    mean.bandwidth.value += one.bandwidth.value / static_cast<double>(fits.size());
  }
  return mean;
}

std::string rate_text(const LinkFit& rate) {
  return fmt::format("bandwidth: {}, latency: {}", to_text(rate.bandwidth), to_text(rate.latency));
}

/// The links of a machine by what they join.
struct Groups {
  std::vector<LinkFit> within, with_host;
  /// GPUs that reach each other directly, the lower number first, and both directions' mean.
  std::vector<std::pair<std::pair<int, int>, LinkFit>> pairs;
};

Groups group(const MachineLinks& machine) {
  Groups groups;
  std::vector<std::pair<std::pair<int, int>, LinkFit>> up;
  for (const MeasuredLink& link : machine.links) {
    if (!link.from || !link.to)
      groups.with_host.push_back(fit(link));
    else if (*link.from == *link.to)
      groups.within.push_back(fit(link));
    else if (link.direct && *link.from < *link.to)
      groups.pairs.push_back({{*link.from, *link.to}, fit(link)});
    else if (link.direct)
      up.push_back({{*link.to, *link.from}, fit(link)});
  }
  for (auto& [ends, rate] : groups.pairs)
    for (const auto& [other, back] : up)
      if (other == ends) rate = mean_of({rate, back});
  return groups;
}

std::string mesh_text(const Groups& groups) {
  std::vector<LinkFit> all;
  for (const auto& [ends, rate] : groups.pairs) all.push_back(rate);
  return fmt::format("device_links: {{kind: full_mesh, {}}}\n", rate_text(mean_of(all)));
}

/// Faster pairs have several lanes of the slowest.
std::string pairs_text(const Groups& groups) {
  std::vector<LinkFit> all;
  for (const auto& [ends, rate] : groups.pairs) all.push_back(rate);
  const auto slowest =
      std::ranges::min(all, {}, [](const LinkFit& f) { return f.bandwidth.value; });
  std::string text =
      fmt::format("device_links:\n  kind: pairs\n  bandwidth: {}\n  latency: {}\n  pairs:\n",
                  to_text(slowest.bandwidth), to_text(mean_of(all).latency));
  for (const auto& [ends, rate] : groups.pairs)
    text += fmt::format("    - [{}, {}, {}]\n", ends.first, ends.second,
                        std::lround(rate.bandwidth.value / slowest.bandwidth.value));
  return text;
}

std::string device_links_text(const Groups& groups, std::size_t gpus) {
  if (groups.pairs.empty()) return "";
  const auto [slowest, fastest] = std::ranges::minmax_element(
      groups.pairs, {}, [](const auto& pair) { return pair.second.bandwidth.value; });
  const bool even = fastest->second.bandwidth.value < k_uneven * slowest->second.bandwidth.value;
  const bool all = groups.pairs.size() == gpus * (gpus - 1) / 2;
  return even && all ? mesh_text(groups) : pairs_text(groups);
}

std::string head(const MachineLinks& machine, const MachineGpus& gpus) {
  std::string text = fmt::format(
      "# Links of this machine, measured by pipegraph links: {} x {} ({}),\n# driver {}, {}.\n"
      "# Latency: a copy of 64 B, until the host sees its end. Bandwidth: the largest copy beyond "
      "that.\n# Device memory: what a copy within a GPU reads and writes.\n",
      gpus.count, gpus.name, gpus.clocks, gpus.driver, gpus.libraries);
  for (const MeasuredLink& link : machine.links) {
    const LinkFit rate = fit(link);
    text += fmt::format("#   {} -> {}: {}, {}{}\n", end_text(link.from), end_text(link.to),
                        to_text(rate.latency), to_text(rate.bandwidth),
                        link.direct ? "" : ", by way of the host");
  }
  return text;
}

std::string device_text(const MachineLinks& machine, const Groups& groups) {
  constexpr double k_read_and_written = 2.0;
  const BytesPerSecond copied = mean_of(groups.within).bandwidth;
  const GpuSize least = std::ranges::min(machine.gpus, {}, &GpuSize::memory);
  return fmt::format("device:\n  memory: {}\n  memory_bandwidth: {}\n  multiprocessors: {}\n",
                     to_exact_text(least.memory),
                     to_text(BytesPerSecond{k_read_and_written * copied.value}),
                     least.multiprocessors);
}

}  // namespace

std::string cluster_text(const MachineLinks& machine, const MachineGpus& gpus) {
  check(!machine.gpus.empty(), "a machine with GPUs was measured");
  const Groups groups = group(machine);
  const std::string device = device_text(machine, groups);
  if (machine.gpus.size() == 1) {
    const LinkFit within = mean_of(groups.within);
    return head(machine, gpus) +
           fmt::format(
               "shape: uniform\ndevices: 1          # more of them share the GPU\n"
               "bandwidth: {}\nlatency: {}\n{}",
               to_text(within.bandwidth), to_text(within.latency), device);
  }
  return head(machine, gpus) +
         fmt::format("shape: node_cluster\nnodes: 1\ndevices_per_node: {}\n{}{}host: {{{}}}\n",
                     machine.gpus.size(), device, device_links_text(groups, machine.gpus.size()),
                     rate_text(mean_of(groups.with_host)));
}

TextTable table_of_links(const MachineLinks& machine) {
  constexpr double k_us = 1e6;
  constexpr double k_gb = 1e-9;
  TextTable table({{"from", TextTable::Align::Left},
                   {"to", TextTable::Align::Left},
                   {"bytes"},
                   {"time_us"},
                   {"bandwidth_gb_per_s"}});
  for (const MeasuredLink& link : machine.links)
    for (const MeasuredTransfer& copy : link.copies) {
      const double seconds = copy.time.mean.count();
      table.add_row({end_text(link.from), end_text(link.to), fmt::format("{}", copy.size.count),
                     fmt::format("{:.3f}", seconds * k_us),
                     fmt::format("{:.4g}", static_cast<double>(copy.size.count) / seconds * k_gb)});
    }
  return table;
}

}  // namespace pipegraph
