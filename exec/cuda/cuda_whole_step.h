// Whole steps of all devices of one GPU, issued anew each time or captured once and launched as a
// CUDA graph.
#pragma once

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
  /// `issue`: Steps or Graph. Errors: ConfigError if the devices are not all on one GPU.
  CudaWholeStep(const Shared& shared, StepIssue issue);
  ~CudaWholeStep() override;

  /// Not the first step, in which libraries load what they need, and no evaluation.
  bool takes() override;
  void run(Seconds deadline) override;

 private:
  void prepare();
  void capture();
  void wait(Seconds deadline) const;

  Shared shared_;
  StepIssue issue_;
  bool warm_ = false;
  std::vector<CudaEngine*> engines_;
  CudaStream root_;
  CudaEvent ended_;
  std::optional<StepIssuer> issuer_;
  CudaGraphExec graph_;
};

}  // namespace pipegraph
