// Random flows over random links, some at the same moment as others: what backends that share links
// are compared on.
#pragma once

#include <random>
#include <vector>

#include "core/cluster/topology.h"
#include "core/program/program.h"
#include "tests/support/fluid_oracle.h"
#include "tests/support/program_sketch.h"
#include "tests/support/wired_clusters.h"

namespace pipegraph::test {

/// Flow i runs from device 2 i to 2 i + 1 over random links, some at the same moment as others.
struct RandomFlows {
  std::vector<FluidFlow> flows;
  std::vector<double> bandwidth;
  double latency = 0.0;  ///< of every link; passes before a flow's start

  explicit RandomFlows(unsigned seed) {
    std::mt19937 random(seed);
    const auto number = [&](unsigned below) { return static_cast<int>(random() % below); };
    const unsigned links = 2 + seed % 5;
    latency = seed % 2 == 0 ? 0.0 : 1e-6;
    for (unsigned l = 0; l < links; ++l) bandwidth.push_back(1e9 * (1 + number(4)));
    for (int f = 0; f < 14; ++f) {
      FluidFlow flow;
      flow.start = 1e-4 * number(8);
      flow.bytes = 1e5 * (1 + number(10));
      for (unsigned l = 0; l < links; ++l)
        if (number(3) == 0) flow.links.push_back(static_cast<int>(l));
      if (flow.links.empty()) flow.links.push_back(number(links));
      flows.push_back(flow);
    }
  }

  Topology topology() const {
    Wiring wiring{2 * static_cast<int>(flows.size()), {}, {}};
    for (double rate : bandwidth) wiring.links.push_back({"link", {rate}, Seconds{latency}});
    for (std::size_t f = 0; f < flows.size(); ++f) {
      const int from = 2 * static_cast<int>(f);
      wiring.routes[{from, from + 1}] = flows[f].links;
    }
    return wired_cluster(wiring);
  }

  /// A program of these flows, each after a compute as long as its start; `sends` by flow.
  struct Sent {
    Program program;
    std::vector<InstructionId> sends;
  };
  Sent program() const {
    ProgramSketch sketch(2 * static_cast<int>(flows.size()));
    std::vector<InstructionId> sends;
    for (std::size_t f = 0; f < flows.size(); ++f) {
      const int from = 2 * static_cast<int>(f);
      const auto before = sketch.compute(from, flows[f].start);
      sends.push_back(
          sketch.transfer({from, from + 1}, static_cast<std::uint64_t>(flows[f].bytes), {before})
              .send);
    }
    return {std::move(sketch).build(), std::move(sends)};
  }

  /// When each flow ends, by the plain computation.
  std::vector<double> ends() const {
    std::vector<FluidFlow> moving = flows;
    for (FluidFlow& flow : moving) flow.start += latency * static_cast<double>(flow.links.size());
    return fluid_ends(moving, bandwidth);
  }
};

}  // namespace pipegraph::test
