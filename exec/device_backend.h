// What stands between the dispatcher of one device and its engine, its messages and its clock.
#pragma once

#include <optional>
#include <vector>

#include "core/program/program.h"
#include "core/run/backend.h"
#include "core/run/run_program.h"
#include "exec/all_reduce.h"
#include "exec/clock.h"
#include "exec/engine.h"
#include "exec/issue_ahead.h"
#include "exec/issue_order.h"
#include "exec/state/run_state.h"
#include "exec/waiter.h"

namespace pipegraph {

/// All must outlive the backend; used by the device's thread only.
struct DeviceParts {
  DeviceId device;
  const Program& program;
  const Channels& channels;
  RunState& state;
  Transport& transport;
  Engine& engine;
  Clock& clock;
};

class DeviceBackend : public Backend {
 public:
  DeviceBackend(const DeviceParts& parts, const Waiter& waiter);

  /// A step begins; `record`: where to note starts and ends, null if nowhere.
  void begin_step(RunRecord* record);

  /// Starts computes, posts messages. Errors: what engine and transport throw.
  void start(InstructionId id) override;
  /// Never empty. Errors: those, Abandoned, and MachineError of Waiter::pause.
  std::span<const Completion> wait() override;

  /// What engine or transport were last called for; invalid while waiting. For error messages.
  InstructionId current() const { return current_; }

 private:
  void start_compute(InstructionId id);
  void issue_ahead();
  void communicate(InstructionId id);
  void post(InstructionId half);
  void start_all_reduce(InstructionId id);
  void begin_in_turn();
  std::size_t receive();  ///< how many arrivals there were
  void compute();
  void release_held();
  void complete(const Completion& done);
  void complete(const Arrival& half, Seconds posted);  ///< posted: by both ends
  void complete(InstructionId id, Seconds start);
  void report(const Completion& done);
  void pause();

  DeviceParts parts_;
  Waiter waiter_;
  AllReducer all_reducer_;
  std::optional<IssueAhead> ahead_;  ///< if the engine takes more than one compute at a time
  std::optional<IssueOrder> turns_;  ///< if the transport demands it
  RunRecord* record_ = nullptr;
  std::vector<Seconds> posted_;       ///< by lane: when its instruction was posted
  std::size_t computing_ = 0;         ///< computes that the engine has taken and not completed
  std::vector<Completion> held_;      ///< whose end is not reached yet
  std::vector<Completion> fresh_;     ///< completed, not reported yet
  std::vector<Completion> reported_;  ///< by the last wait
  InstructionId current_;
};

}  // namespace pipegraph
