// Memory of each device from the program alone, without times: lifetimes of tensors, receive slots
// and send buffers, and the bytes of the arena that holds them. The executor's arena, the
// simulator's verdict and the planners' final check all use this function.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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
  Workspace,  ///< recomputed activations of one micro-batch
};
inline constexpr std::size_t k_memory_parts = 7;
std::string_view to_text(MemoryPart part);

/// Bytes that live from the start of one instruction to the end of another, both of the same
/// device.
struct Lifetime {
  MemoryPart part = MemoryPart::Activations;
  StageId stage;
  OperatorId tensor;  ///< -1: the stage as a whole
  MicroBatch samples;
  InstructionId first;  ///< allocated when it starts
  InstructionId last;   ///< released when it ends
  Bytes bytes;
};

struct DeviceMemory {
  Bytes parameters, gradients, optimizer_state;  ///< the whole time
  std::vector<Lifetime> lifetimes;               ///< by `first`
  Bytes peak;       ///< bound without times: what the arena needs, the three above included
  Bytes available;  ///< memory - reserved
  bool fits() const { return peak <= available; }
};

struct MemoryReport {
  std::vector<DeviceMemory> devices;  ///< by device id
  bool fits() const;
  /// "stage 's2' on device d3 needs 17.1 GiB, 16 GiB available"; empty if all fit.
  std::string problem;
};

MemoryReport plan_memory(const Workload& workload, const StageGraph& stages,
                         const Program& program);

}  // namespace pipegraph
