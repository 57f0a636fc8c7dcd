#include "core/report/run_report.h"

#include <utility>

namespace pipegraph {

RunReport::RunReport(Run finished)
    : run(std::move(finished)),
      index(run.program),
      devices(run.stages.devices()),
      metrics(compute_metrics(index, run.timeline, devices, run.workload.training.mini_batch)),
      links(link_use(run.program, topology(), metrics.iteration_time, run.collectives)),
      path(critical_path(index, run.timeline, topology())),
      window(choose_window(run.timeline)) {
  const MemoryAnalysis analysis(run.workload, run.stages, run.program);
  memory.reserve(devices.size());
  for (DeviceId device : devices)
    memory.push_back(memory_curve(run.memory.devices[device.index()], analysis.lifetimes(device),
                                  topology().device(device).reserved, run.timeline));
}

}  // namespace pipegraph
