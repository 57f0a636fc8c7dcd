#include "apps/show_texts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/program/text.h"
#include "core/report/window.h"

namespace pipegraph {
namespace {

constexpr auto k_left = TextTable::Align::Left;

/// A sum of rounded numbers, without the digits that rounding made.
std::string rounded(double value) { return fmt::format("{:.12g}", value); }

/// A number that reads back, empty where it is infinite.
std::string number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }

template <class Tag>
std::string number(Id<Tag> id) {
  return id.valid() ? fmt::format("{}", id.value) : "";
}

std::string memory_text(const Device& device) {
  return device.unlimited_memory() ? "" : fmt::format("{}", device.memory.count);
}

}  // namespace

TextTable graph_table(const ComputationGraph& graph) {
  TextTable table({{"operator"},
                   {"name", k_left},
                   {"inputs", k_left},
                   {"output_bytes"},
                   {"saved_bytes"},
                   {"parameters_bytes"},
                   {"tied_to", k_left},
                   {"forward_flops"},
                   {"backward_flops"}});
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto id = make_id<OperatorId>(i);
    const Operator& op = graph.at(id);
    std::vector<std::string> inputs;
    for (const OperatorId input : op.inputs) inputs.push_back(graph.at(input).name);
    Bytes saved;
    for (const auto& tensor : graph.saved_tensors(id)) saved += tensor.bytes;
    table.add_row({number(id), op.name, fmt::format("{}", fmt::join(inputs, " ")),
                   fmt::format("{}", op.output.count), fmt::format("{}", saved.count),
                   fmt::format("{}", op.parameters.count),
                   op.tied_to.valid() ? graph.at(op.tied_to).name : "",
                   number(flops(op.forward).count), number(flops(op.backward).count)});
  }
  return table;
}

TextTable costs_table(const Workload& workload, const std::vector<std::int64_t>& samples) {
  TextTable table({{"samples"}, {"name", k_left}, {"forward_s"}, {"backward_s"}});
  const ComputeRate rate =
      compute_rate(workload.topology->device(DeviceId{0}), workload.training.precision);
  for (const std::int64_t count : samples) {
    Seconds forward{0}, backward{0};
    for (std::size_t i = 0; i < workload.graph->size(); ++i) {
      const auto id = make_id<OperatorId>(i);
      const Seconds ahead = workload.costs->time(id, Pass::Forward, count, rate);
      const Seconds back = workload.costs->time(id, Pass::Backward, count, rate);
      forward += ahead;
      backward += back;
      table.add_row({fmt::format("{}", count), workload.graph->at(id).name, number(ahead.count()),
                     number(back.count())});
    }
    table.add_row(
        {fmt::format("{}", count), "(all)", number(forward.count()), number(backward.count())});
  }
  return table;
}

TextTable devices_table(const Topology& topology) {
  TextTable table({{"device"},
                   {"name", k_left},
                   {"node"},
                   {"socket"},
                   {"memory_bytes"},
                   {"reserved_bytes"},
                   {"memory_bandwidth_bytes_per_s"},
                   {"slowdown"}});
  for (std::size_t i = 0; i < topology.size(); ++i) {
    const Device& device = topology.devices()[i];
    table.add_row({fmt::format("{}", i), device.name, fmt::format("{}", device.node),
                   fmt::format("{}", device.socket), memory_text(device),
                   fmt::format("{}", device.reserved.count), number(device.memory_bandwidth.value),
                   number(device.slowdown)});
  }
  return table;
}

TextTable links_table(const Topology& topology) {
  TextTable table({{"link"}, {"name", k_left}, {"bandwidth_bytes_per_s"}, {"latency_s"}});
  for (std::size_t i = 0; i < topology.links().size(); ++i) {
    const Link& link = topology.links()[i];
    table.add_row({fmt::format("{}", i), link.name, number(link.bandwidth.value),
                   number(link.latency.count())});
  }
  return table;
}

TextTable routes_table(const Topology& topology, std::size_t most) {
  TextTable table({{"from"}, {"to"}, {"latency_s"}, {"bandwidth_bytes_per_s"}, {"links", k_left}});
  for (std::size_t i = 1; i < std::min(topology.size(), most + 1); ++i) {
    const auto to = make_id<DeviceId>(i);
    const Route route = topology.route(DeviceId{0}, to);
    std::vector<std::string> links;
    for (const LinkId link : route.links) links.push_back(topology.link(link).name);
    table.add_row({"0", number(to), rounded(route.latency.count()),
                   number(topology.bandwidth(route).value),
                   fmt::format("{}", fmt::join(links, " "))});
  }
  return table;
}

TextTable timeline_table(const Program& program, const Timeline& timeline) {
  TextTable table({{"start_s"},
                   {"end_s"},
                   {"ready_s"},
                   {"device"},
                   {"lane", k_left},
                   {"instruction"},
                   {"what", k_left},
                   {"bytes"}});
  std::vector<std::size_t> order(program.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto& instructions = program.instructions();
  const auto place = [&](std::size_t i) {
    return std::tuple(timeline.start[i], instructions[i].device, i);
  };
  const std::size_t shown = std::min(order.size(), k_most_shown);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                    [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
  for (std::size_t n = 0; n < shown; ++n) {
    const std::size_t i = order[n];
    const Instruction& instruction = instructions[i];
    table.add_row({number(timeline.start[i].count()), number(timeline.end[i].count()),
                   number(timeline.ready[i].count()), number(instruction.device),
                   to_text(program.lanes()[instruction.lane.index()]), fmt::format("{}", i),
                   to_text(instruction), fmt::format("{}", instruction.bytes.count)});
  }
  return table;
}

}  // namespace pipegraph
