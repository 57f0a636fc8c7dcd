// The engine of a device that is a core of this machine: arithmetic in fp32, one compute at a time
// on the device's own thread.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "exec/cpu/cpu_device.h"
#include "exec/cpu/host_memory.h"
#include "exec/passes/device_pieces.h"
#include "exec/passes/pass_runner.h"
#include "exec/passes/poisoning.h"
#include "exec/passes/step_work.h"
#include "exec/passes/training_engine.h"

namespace pipegraph {

struct CpuEngineOptions {
  std::uint64_t seed = 0;  ///< of the initial weights
  MemoryUse memory = MemoryUse::Tight;
};

class CpuEngine final : public TrainingEngine {
 public:
  /// `tables`, `clock` and `order` outlive this; `order` is read while a step runs and changes
  /// between steps only.
  struct Context {
    const PassTables& tables;
    const StepOrder& order;
    Clock& clock;
  };
  CpuEngine(const Context& context, DeviceId device, const CpuEngineOptions& options);

  void begin_step(std::int64_t step) override;
  void start(InstructionId compute) override { taken_.push_back(compute); }
  std::span<const Completion> poll() override;
  std::span<const Piece> pieces(InstructionId half) override { return pieces_.message(half); }
  GradientSum reduced(InstructionId all_reduce) override { return pieces_.sum(all_reduce); }
  void add(Piece destination, Piece source) override;
  void copy(Piece destination, Piece source) override;
  Piece allocate(Bytes bytes) override { return {memory_.allocate(bytes), bytes}; }

  const DevicePasses& passes() const override { return passes_; }
  void read(Place from, std::span<float> into) const override;
  void write(Place to, std::span<const float> from) override;

 private:
  /// Reads what passes need from the data.
  struct Reader {
    const StepOrder& order;
    void operator()(const ReadStep& step, void* place) const { read_samples(order, step, place); }
  };

  void initialise_weights(std::uint64_t seed);
  void perform(InstructionId compute);
  void update(InstructionId optimizer);

  Context context_;
  DevicePasses passes_;
  HostMemory memory_;
  DevicePieces pieces_;
  CpuDevice device_;
  PassRunner<CpuDevice, Reader> runner_;
  std::optional<Poisoning> poisoning_;
  std::deque<InstructionId> taken_;
  std::optional<Completion> done_;
};

/// Engines of one process. `tables` and `order` as in CpuEngine::Context. If `made` is given, each
/// engine is entered there under its device; it has room for all devices of the program.
EngineFactory cpu_engines(const PassTables& tables, const StepOrder& order,
                          const CpuEngineOptions& options, std::vector<TrainingEngine*>& made);

}  // namespace pipegraph
