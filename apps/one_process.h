// An executor with what its devices share, all of them in this process.
#pragma once

#include <memory>
#include <optional>

#include "apps/device_kinds.h"
#include "exec/emulated/misbehaving_transport.h"
#include "exec/executor.h"

namespace pipegraph {

class OneProcess {
 public:
  /// `program` and `devices` outlive it. Errors: those of the engines.
  OneProcess(const Program& program, DeviceSet& devices, const ExecutionOptions& options,
             const std::optional<Misbehaviour>& misbehaviour = {});

  Executor& executor() { return executor_; }
  Ranks& ranks() { return ranks_; }

 private:
  Channels channels_;
  RunState state_;
  SingleRank ranks_;
  std::unique_ptr<Transport> in_process_, misbehaving_;
  Executor executor_;
};

}  // namespace pipegraph
