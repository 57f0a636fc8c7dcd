// The engine of a device that is a core of this machine: arithmetic in fp32, one compute at a time
// on the device's own thread.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "exec/cpu/cpu_device.h"
#include "exec/cpu/host_memory.h"
#include "exec/cpu/poisoning.h"
#include "exec/passes/pass_runner.h"
#include "exec/passes/training_engine.h"
#include "exec/training/step_runner.h"

namespace pipegraph {

/// Poison: each lifetime has bytes of its own, which are marked when it ends (see Poisoning).
enum class MemoryUse : std::uint8_t { Tight, Poison };

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
  std::span<const Piece> pieces(InstructionId half) override;
  GradientSum reduced(InstructionId all_reduce) override;
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
    void operator()(const ReadStep& step, void* place) const;
  };
  struct Sum {
    std::vector<Addend> addends;
    std::vector<Piece> sum;
    std::deque<std::vector<Piece>> of_addends;  ///< what the addends' spans show
  };

  void initialise_weights(std::uint64_t seed);
  void list_pieces();
  void list_sum(InstructionId all_reduce);
  std::vector<Piece> pieces_of(std::span<const Stretch> stretches) const;
  void perform(InstructionId compute);
  void update(InstructionId optimizer);
  std::size_t place_of(InstructionId id) const { return context_.tables.model().order.place(id); }

  Context context_;
  DevicePasses passes_;
  HostMemory memory_;
  CpuDevice device_;
  PassRunner<CpuDevice, Reader> runner_;
  std::optional<Poisoning> poisoning_;
  std::vector<Piece> message_pieces_;
  std::vector<StepRange> message_ranges_;  ///< by place
  std::deque<Sum> sums_;              // its elements stay where they are: spans point into them
  std::vector<std::int32_t> sum_of_;  ///< by place; -1: no all-reduce
  std::deque<InstructionId> taken_;
  std::optional<Completion> done_;
};

/// Engines of one process. `tables` and `order` as in CpuEngine::Context. If `made` is given, each
/// engine is entered there under its device; it has room for all devices of the program.
EngineFactory cpu_engines(const PassTables& tables, const StepOrder& order,
                          const CpuEngineOptions& options, std::vector<TrainingEngine*>& made);

}  // namespace pipegraph
