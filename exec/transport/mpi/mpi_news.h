// What ranks tell each other while a step runs: that they are alive and how far their devices have
// come, and the first failure. A thread of its own listens and speaks, so that a rank is heard
// while its devices compute, and a rank that has stopped is told from one that is slow.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/program/program.h"
#include "exec/state/run_state.h"
#include "exec/transport/mpi/mpi_communicator.h"
#include "exec/transport/mpi/mpi_session.h"

namespace pipegraph {

class MpiNews {
 public:
  struct Settings {
    std::vector<std::int32_t> rank_of_device;
    /// A rank that is not heard of for this long is reported as a failure.
    Seconds silence{45};
    /// Called, by the thread, after a failure was reported here or heard of.
    std::function<void()> failed;
  };

  /// All must outlive it.
  MpiNews(const MpiSession& session, const Program& program, RunState& state, Settings settings);
  ~MpiNews();

  /// Tells all other ranks of a failure here, for at most a second. Any thread.
  void tell(const Fault& fault) noexcept;

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;
  struct Mail {
    std::string bytes;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  struct Peer {
    int rank = 0;
    SteadyTime heard;
    Mail progress;  ///< at most one on its way
    Mail fault;
  };

  void work();
  void listen();
  void take(int from, const std::string& message);
  void speak();
  void tell_all(const Fault& fault);
  void watch_for_silence();
  std::string own_progress() const;
  std::string devices_of(int rank) const;

  const MpiSession& session_;
  MpiCommunicator comm_;
  const Program& program_;
  RunState& state_;
  Settings settings_;
  std::vector<LaneId> own_lanes_;
  std::vector<std::vector<LaneId>> lanes_of_rank_;
  std::vector<std::unique_ptr<Peer>> peers_;
  SteadyTime spoke_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool told_ = false;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace pipegraph
