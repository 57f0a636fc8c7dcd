// Tables and texts of what `pipegraph show` shows.
#pragma once

#include <string>
#include <vector>

#include "apps/outcome.h"
#include "apps/text_table.h"

namespace pipegraph {

TextTable graph_table(const ComputationGraph& graph);

/// Times of every operator's passes on device 0 at each number of samples, and their sums.
TextTable costs_table(const Workload& workload, const std::vector<std::int64_t>& samples);

TextTable devices_table(const Topology& topology);
TextTable links_table(const Topology& topology);
/// Routes from device 0 to the others, at most `most` of them.
TextTable routes_table(const Topology& topology, std::size_t most);

/// Instructions by start, device and id; the first k_most_shown if there are more.
TextTable timeline_table(const Program& program, const Timeline& timeline);

}  // namespace pipegraph
