// Measured links of a machine as a cluster file that scenarios can use, and as a table.
#pragma once

#include <string>

#include "apps/text_table.h"
#include "core/profile/cost_file.h"
#include "exec/measure/links.h"

namespace pipegraph {

/// A cluster file of this machine (docs/topologies.md): several GPUs as a node with their links, a
/// single one as a uniform cluster whose devices share it.
std::string cluster_text(const MachineLinks& machine, const MachineGpus& gpus);

/// A row for each link and size: "from", "to", "bytes", "time_us", "bandwidth_gb_per_s".
TextTable table_of_links(const MachineLinks& machine);

}  // namespace pipegraph
