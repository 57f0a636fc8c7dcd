// This process as a part of the job that runs a program: alone, or one of the ranks that mpirun or
// srun started. Which devices are its own, how its devices reach the others, who reports.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/console.h"
#include "core/program/program.h"
#include "exec/state/run_state.h"
#include "exec/transport/channels.h"
#include "exec/transport/mover.h"
#include "exec/transport/ranks.h"
#include "exec/transport/transport.h"

namespace pipegraph {

struct JobOptions {
  Seconds deadline{60};  ///< for ranks that do not take part
  /// Devices of each rank; empty: device i of N belongs to rank floor(i R / N).
  std::vector<std::vector<DeviceId>> devices_of_rank;
};

/// "0,1/2/3": devices 0 and 1 are those of rank 0, and so on. Errors: ConfigError.
std::vector<std::vector<DeviceId>> parse_devices_of_rank(const std::string& text);

class Job {
 public:
  /// Begins MPI if a launcher started this process as one of several. Errors: MachineError;
  /// ConfigError if that is so and this program was built without MPI.
  explicit Job(JobOptions options);
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  Ranks& ranks();
  /// Whether this is the rank that prints and writes results.
  bool reports() { return ranks().rank() == 0; }
  /// Errors: ConfigError if there are more ranks than devices, or devices_of_rank does not name
  /// each device of the program once.
  std::vector<DeviceId> devices(const Program& program);
  /// By device. Errors: the same.
  std::vector<std::int32_t> rank_of_device(const Program& program);
  /// Where in the list of usable cores this rank's devices begin, when ranks share it. All ranks
  /// call it together.
  std::size_t first_core(const Program& program);
  /// `mover`: of messages within this process whose memory the host does not reach; null: none.
  std::unique_ptr<Transport> transport(const Program& program, const Channels& channels,
                                       RunState& state, Mover* mover);
  /// While it lives, ranks that wait for each other end when this failure happens.
  class Watch {
   public:
    Watch(Job& job, const Failure& failure) : job_(job) { job_.watch(&failure); }
    ~Watch() { job_.watch(nullptr); }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    Job& job_;
  };
  /// All ranks call it together before they run `text`, which must be the same on all. Errors:
  /// ConfigError that names the first rank that differs, and in what. If another rank found
  /// something wrong before it came here, what is thrown only ends guard().
  void agree(const std::string& what, const std::string& text);

  /// Runs a verb on every rank so that bad input is told once, and a failure by the rank that
  /// noticed it first. Returns the exit code. Errors: those of `verb`, if this rank is to tell.
  int guard(const std::function<int()>& verb, const Console& console);

 private:
  void watch(const Failure* failure);

  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pipegraph
