// Whole steps of all devices of a process, issued anew each time or captured once and launched as a
// CUDA graph, which may span several GPUs.
#pragma once

#include <map>
#include <optional>

#include "exec/cuda/step_issuer.h"
#include "exec/whole_step.h"

namespace pipegraph {

class CudaWholeStep final : public WholeStep {
 public:
  /// All outlive this. `engines`: by device, filled before the first step.
  struct Shared {
    const Program& program;
    const StepOrder& order;
    const CudaLanes& lanes;
    const std::vector<TrainingEngine*>& engines;
  };
  /// `issue`: Steps or Graph. Errors: ConfigError if devices belong to other ranks, or if a graph
  /// is to copy between GPUs that do not reach each other.
  CudaWholeStep(const Shared& shared, StepIssue issue);
  ~CudaWholeStep() override;

  /// Not the first step, in which libraries load what they need, and no evaluation.
  bool takes() override;
  void run(Seconds deadline) override;

 private:
  void prepare();
  void capture();
  void wait(Seconds deadline) const;
  void check_gpus() const;

  Shared shared_;
  StepIssue issue_;
  bool warm_ = false;
  std::vector<CudaEngine*> engines_;
  CudaStream root_;                 ///< of the first device's GPU
  std::map<int, CudaStream> idle_;  ///< by GPU: tells when that has failed
  CudaEvent ended_;
  std::optional<StepIssuer> issuer_;
  CudaGraphExec graph_;
};

}  // namespace pipegraph
