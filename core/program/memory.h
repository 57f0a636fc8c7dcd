// Memory of each device from the program alone, without times: lifetimes of tensors, receive slots
// and send buffers, and the bytes of the arena that holds them. The executor's arena, the
// simulator's verdict and the planners' final check all use this (docs/decisions, "Memory").
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/program/moment.h"
#include "core/program/program.h"
#include "core/stage/stage_graph.h"
#include "core/stage/workload.h"

namespace pipegraph {

enum class MemoryPart : std::uint8_t {
  Parameters,
  Gradients,
  OptimizerState,
  Activations,
  ReceiveSlots,
  SendBuffers,
  /// Recomputed activations of a micro-batch; between the parts of a split backward also the
  /// gradients made inside the stage that the weights' part needs.
  Workspace,
};
inline constexpr std::size_t k_memory_parts = 7;
/// "parameters", "gradients", "optimizer_state", "activations", "receive_slots", "send_buffers",
/// "workspace".
std::string_view to_text(MemoryPart part);

/// Bytes by part; they add up to a device's total.
using MemoryParts = std::array<Bytes, k_memory_parts>;
Bytes total(const MemoryParts& parts);

/// Bytes that live from the start of one instruction to the end of another, both of the same
/// device. Two lifetimes can be live at once, whatever the times, only if their moments overlap.
struct Lifetime {
  MemoryPart part = MemoryPart::Activations;
  StageId stage;      ///< that makes the bytes
  OperatorId tensor;  ///< -1: several, or the stage as a whole
  MicroBatch samples;
  InstructionId first;  ///< allocated when it starts
  InstructionId last;   ///< released when it ends
  Moment earliest = 0;  ///< the first and the last moment at which it can be live
  Moment latest = 0;
  Bytes bytes;  ///< not 0
};

struct DeviceMemory {
  Bytes parameters, gradients, optimizer_state;  ///< the whole time
  Bytes peak;  ///< the most that can be live at once, the three above included
  MemoryParts peak_parts{};
  InstructionId peak_at;  ///< a compute around which the peak can occur; -1: the device has none
  Bytes available;        ///< memory - reserved
  bool fits() const { return peak <= available; }
};

struct MemoryReport {
  std::vector<DeviceMemory> devices;  ///< by device id
  bool fits() const;
  /// "stage 's2' on device d3 needs 17.1 GiB, 16 GiB available", for the first that does not fit;
  /// empty if all fit.
  std::string problem;
};

struct MemoryModel;

/// The memory of a program, device by device, so that nothing grows with the product of devices and
/// micro-batches.
class MemoryAnalysis {
 public:
  /// All must outlive this.
  MemoryAnalysis(const Workload& workload, const StageGraph& stages, const Program& program);
  ~MemoryAnalysis();

  MemoryReport report() const;
  DeviceMemory device(DeviceId device) const;
  /// By (earliest, first, part, tensor, samples).
  std::vector<Lifetime> lifetimes(DeviceId device) const;

 private:
  std::unique_ptr<const MemoryModel> model_;
};

/// MemoryAnalysis(...).report().
MemoryReport plan_memory(const Workload& workload, const StageGraph& stages,
                         const Program& program);

/// Start and end of every instruction, by id.
struct InstructionTimes {
  std::span<const Seconds> start, end;
};

/// An allocation or a release of a device as it happened.
struct MemoryEvent {
  Seconds time{0};
  bool releases = false;
  std::uint32_t lifetime = 0;  ///< index into the lifetimes
};

/// All allocations and releases in the order of time. At equal times allocation precedes release,
/// unless the release had to come first whatever the times; so no sum along the way exceeds
/// DeviceMemory::peak.
std::vector<MemoryEvent> memory_events(std::span<const Lifetime> lifetimes,
                                       const InstructionTimes& times);

struct TimedPeak {
  Bytes bytes;                ///< parameters, gradients and state included
  Seconds time{0};            ///< when it is reached first
  InstructionId instruction;  ///< whose start made it; -1: what is there from the beginning
  MemoryParts parts{};
};

/// The peak of a device in one run; never above `memory.peak`.
TimedPeak timed_peak(const DeviceMemory& memory, std::span<const Lifetime> lifetimes,
                     const InstructionTimes& times);

}  // namespace pipegraph
