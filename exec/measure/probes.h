// What the executor itself costs on this machine: handling an instruction, and bringing a message
// from one device to another of this process. Measured with the executor's own loop, on threads or
// on devices of another kind.
#pragma once

#include <cstdint>
#include <vector>

#include "core/profile/cost_file.h"
#include "exec/engine.h"
#include "exec/measure/step_watch.h"
#include "exec/options.h"
#include "exec/transport/mover.h"

namespace pipegraph {

/// Two devices whose computes do nothing and whose messages all start and end in one buffer of a
/// device; outlives its engines.
class ProbeDevices {
 public:
  virtual ~ProbeDevices() = default;
  virtual EngineFactory engines(Bytes buffer) = 0;
  /// What moves messages between them; null if the host reaches their memory.
  virtual Mover* mover() { return nullptr; }
};

struct ProbeOptions {
  std::int32_t repetitions = 9;     ///< undisturbed ones if possible, after one that does not count
  std::int32_t computes = 20'000;   ///< of a repetition
  std::uint64_t most_turns = 1000;  ///< messages of a repetition; fewer large ones
  ProbeDevices* devices = nullptr;  ///< null: threads of this process
  ExecutionOptions execution;
  SchedulingReader scheduling = nullptr;  ///< null: as the devices of the probe allow
};

/// Time of a compute that has nothing to do, from being ready to releasing the next one.
Measured measure_dispatch(const ProbeOptions& options);

/// Time of a message from device to device, its handling at both ends included, by going to and
/// fro. Where there is a single core the devices take turns on it, which is what it then costs.
std::vector<MeasuredTransfer> measure_transfers(const std::vector<Bytes>& sizes,
                                                const ProbeOptions& options);

/// 64 B to 16 MiB, fourfold each.
std::vector<Bytes> usual_transfer_sizes();

}  // namespace pipegraph
