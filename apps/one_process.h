// An executor with what its devices share: those that this process has of the job.
#pragma once

#include <memory>

#include "apps/execution.h"
#include "exec/executor.h"

namespace pipegraph {

class OneProcess {
 public:
  /// `context` and `devices` outlive it. All ranks of the job make theirs together. Errors: those
  /// of the engines and of the job.
  OneProcess(const DeviceContext& context, DeviceSet& devices, const ExecutionRequest& request);

  Executor& executor() { return executor_; }

 private:
  Channels channels_;
  RunState state_;
  Job::Watch watch_;
  std::unique_ptr<Transport> hosts_, devices_, misbehaving_;
  Executor executor_;
};

}  // namespace pipegraph
