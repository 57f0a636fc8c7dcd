// Which computes of a device may be handed to its engine before the dispatcher has released them:
// on an engine that keeps their order by itself (a stream), a compute need not wait until the host
// has seen the end of the computes before it, only of everything else that it waits for.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/program/program.h"

namespace pipegraph {

class IssueAhead {
 public:
  /// At most `most_under_way` computes are with the engine at a time. `program` outlives this.
  IssueAhead(const Program& program, DeviceId device, std::size_t most_under_way);

  /// Nothing has been started.
  void begin_step();
  /// The next compute in the order of the device, if it may be started now; else invalid.
  InstructionId next() const;
  /// It is the next one.
  void started(InstructionId compute);
  bool has_started(InstructionId compute) const;
  /// Any instruction of the device.
  void completed(InstructionId done);

 private:
  std::size_t place(InstructionId compute) const;

  const Program& program_;
  std::size_t most_under_way_;
  std::vector<InstructionId> computes_;  ///< of the device, ascending
  /// By the instruction that is waited for, which is no compute: who waits, by place.
  std::vector<std::pair<InstructionId, std::uint32_t>> waiting_;
  std::vector<std::uint32_t> waits_;    ///< by place: for how many such instructions
  std::vector<std::uint32_t> missing_;  ///< by place: how many of them have not completed
  std::size_t started_ = 0;
  std::size_t completed_ = 0;  ///< computes
};

}  // namespace pipegraph
