// One finished run of one plan with everything its report is made from, and what is derived once
// and used by several files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/program/memory.h"
#include "core/report/critical_path.h"
#include "core/report/link_use.h"
#include "core/report/memory_curve.h"
#include "core/report/metrics.h"
#include "core/report/window.h"
#include "core/schedule/schedule.h"

namespace pipegraph {

/// References; all must outlive the report.
struct Run {
  const Workload& workload;
  const StageGraph& stages;
  const Schedule& schedule;
  const Program& program;
  const Timeline& timeline;
  const MemoryReport& memory;
  CollectiveOptions collectives{};
};

/// Devices are those the plan uses, ascending.
struct RunReport {
  explicit RunReport(Run finished);

  Run run;
  ProgramIndex index;
  std::vector<DeviceId> devices;
  Metrics metrics;
  std::vector<MemoryCurve> memory;  ///< by position in `devices`
  std::vector<LinkUse> links;
  CriticalPath path;
  std::optional<Window> window;

  const Topology& topology() const { return *run.workload.topology; }
};

}  // namespace pipegraph
