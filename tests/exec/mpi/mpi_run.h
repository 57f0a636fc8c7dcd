// A run of a program on emulated devices spread over the ranks of this job.
#pragma once

#include <memory>

#include "core/cluster/topology.h"
#include "exec/emulated/emulated_clocks.h"
#include "exec/emulated/emulated_engine.h"
#include "exec/executor.h"
#include "exec/transport/device_ranks.h"
#include "exec/transport/mpi/mpi_ranks.h"
#include "exec/transport/mpi/mpi_transport.h"

namespace pipegraph::test {

/// The one session of the process.
const MpiSession& session();

class MpiRun {
 public:
  struct Settings {
    EngineFactory engines = emulated_engines();
    Seconds deadline{20};
    Seconds silence{10};
    EmulatedTime time = EmulatedTime::Virtual;
    RankClocks rank_clocks = RankClocks::AsFound;
  };

  /// `program` and `topology` must outlive it. All ranks make theirs together.
  MpiRun(const Program& program, const Topology& topology, const Settings& settings)
      : channels_(program),
        state_(program),
        ranks_(session(), settings.deadline),
        rank_of_device_(ranks_of_devices(program.device_count(), session().size())),
        transport_(make_mpi_transport(session(), program, channels_, state_,
                                      {rank_of_device_, settings.silence})) {
    ranks_.watch(&state_.failure);
    executor_ = std::make_unique<Executor>(
        Execution{.program = program,
                  .channels = channels_,
                  .state = state_,
                  .transport = *transport_,
                  .ranks = ranks_,
                  .devices = devices_of_rank(rank_of_device_, session().rank()),
                  .engines = settings.engines,
                  .clocks = emulated_clocks(program, topology, {}, settings.time)},
        ExecutionOptions{.deadline = settings.deadline,
                         .pinning = Pinning::Never,
                         .rank_clocks = settings.rank_clocks});
  }

  Executor& executor() { return *executor_; }
  Transport& transport() { return *transport_; }
  const Channels& channels() const { return channels_; }
  RunState& state() { return state_; }

 private:
  Channels channels_;
  RunState state_;
  MpiRanks ranks_;
  std::vector<std::int32_t> rank_of_device_;
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<Executor> executor_;
};

}  // namespace pipegraph::test
