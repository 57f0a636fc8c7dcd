// The engine of a device that is a GPU or shares one: computes are enqueued on a stream, and events
// tell when they have ended. Nothing waits for the GPU but reads and writes between steps.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "exec/cuda/cuda_bf16_device.h"
#include "exec/cuda/cuda_lanes.h"
#include "exec/cuda/cuda_memory.h"
#include "exec/cuda/enqueued_computes.h"
#include "exec/cuda/optimizer_slot.h"
#include "exec/cuda/step_samples.h"
#include "exec/cuda/uploads.h"
#include "exec/passes/device_pieces.h"
#include "exec/passes/pass_runner.h"
#include "exec/passes/poisoning.h"
#include "exec/passes/step_work.h"
#include "exec/passes/training_engine.h"

namespace pipegraph {

struct CudaEngineOptions {
  std::uint64_t seed = 0;  ///< of the initial weights
  MemoryUse memory = MemoryUse::Tight;
  CudaDeviceOptions device;  ///< precision: that of the workload
  GpuAttention attention = GpuAttention::Own;
};

class CudaEngine final : public TrainingEngine {
 public:
  /// What engines of a process share. All outlive them; `order` is read while a step runs and
  /// changes between steps only.
  struct Shared {
    const PassTables& tables;
    const StepOrder& order;
    CudaLanes& lanes;
    WorkMarks* marks = nullptr;  ///< told what is enqueued in traced steps; null: nobody is
  };
  /// `clock` outlives this.
  struct Context {
    Shared shared;
    Clock& clock;
  };
  /// Makes the device's GPU the calling thread's. Errors: CudaError; MachineError of CudaMemory.
  CudaEngine(const Context& context, DeviceId device, const CudaEngineOptions& options);
  ~CudaEngine() override;

  void begin_step(std::int64_t step) override;
  std::size_t most_under_way() const override { return k_most_under_way; }
  void start(InstructionId compute) override;
  /// In traced steps with times of the GPU.
  std::span<const Completion> poll() override { return computes_.poll(); }
  std::span<const Piece> pieces(InstructionId half) override { return pieces_.message(half); }
  GradientSum reduced(InstructionId all_reduce) override { return pieces_.sum(all_reduce); }
  /// Enqueued on a stream of their own; what is posted afterwards comes after them.
  void add(Piece destination, Piece source) override;
  void copy(Piece destination, Piece source) override;
  Piece allocate(Bytes bytes) override;

  const DevicePasses& passes() const override { return passes_; }
  /// By one thread at a time, whichever it is.
  void read(Place from, std::span<float> into) const override;
  void write(Place to, std::span<const float> from) override;

  /// Where computes run.
  cudaStream_t stream() const { return device_.stream(); }
  int gpu() const { return gpu_; }
  /// Enqueues a compute whose end nobody asks for; its GPU is the calling thread's. What it takes
  /// from the host is what the last fill_whole_step() left, when it runs: so it may run again, step
  /// after step.
  void issue(InstructionId compute);
  /// Before the first of these. Errors: CudaError.
  void prepare_whole_steps();
  /// Samples and optimizers' factors of the step that comes; none is running.
  void fill_whole_step();

  DeviceMemoryUse memory_use() const;

  /// A few hide the host behind the GPU; more would only delay what a failure ends.
  static constexpr std::size_t k_most_under_way = 4;

 private:
  /// What whole steps find in memory of the host.
  struct FromHost {
    StepSamples samples;
    std::map<InstructionId, OptimizerSlot> optimizers;
    PinnedMemory pinned;
    bool in_use = false;  ///< while a whole step is issued
  };

  /// Brings what passes read from the data to the GPU.
  struct Reader {
    const StepOrder& order;
    Uploads& uploads;
    cudaStream_t stream;
    const std::unique_ptr<FromHost>& from_host;
    void operator()(const ReadStep& step, void* place) const;
  };

  void enqueue(InstructionId compute);
  void update(InstructionId optimizer);
  OptimizerWork optimizer_work(InstructionId optimizer) const;
  bool issues_whole_step() const { return from_host_ && from_host_->in_use; }
  /// Whether data has 16 bits.
  bool rounds() const { return passes_.tables().element().count < sizeof(float); }
  void round(Stretch parameters);
  void use_cudnn();
  void initialise();
  void wait_for_sums();
  /// What all-reduces of the device ask for, as they follow each other on each lane.
  Bytes gathered() const;
  void poison(Stretch ended);

  Shared shared_;
  int gpu_;
  DevicePasses passes_;
  CudaMemory memory_;
  DevicePieces pieces_;
  Uploads uploads_;
  std::unique_ptr<FromHost> from_host_;
  Bytes workspace_;
  CudaDevice device_;
  mutable SumStream sums_;
  bool summed_ = false;  ///< since computes last waited for sums
  std::optional<CudnnAttention> attention_;
  CudaBf16Device bf16_device_{device_};
  std::variant<PassRunner<CudaDevice, Reader>, PassRunner<CudaBf16Device, Reader>> runner_;
  std::optional<Poisoning> poisoning_;
  PinnedMemory exchange_;  ///< for reads and writes
  StreamTimes times_;
  EnqueuedComputes computes_;
};

/// Engines of one process. Each is entered in `made` under its device; it has room for all devices
/// of the program.
EngineFactory cuda_engines(const CudaEngine::Shared& shared, const CudaEngineOptions& options,
                           std::vector<TrainingEngine*>& made);

}  // namespace pipegraph
