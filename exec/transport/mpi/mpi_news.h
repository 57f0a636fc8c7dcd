// What ranks tell each other while a step runs: that they are alive and how far their devices have
// come, whether they wait and for what, and the first failure. A thread of its own listens and
// speaks, so that a rank is heard while its devices compute, and a rank that has stopped is told
// from one that is slow.
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
#include "exec/transport/rank_quiescence.h"

namespace pipegraph {

class MpiNews {
 public:
  struct Settings {
    std::vector<std::int32_t> rank_of_device;
    std::vector<RemoteChannel> remote;
    const ChannelCounts& counts;  ///< of this process; outlives the news
    /// A rank that is not heard of for this long is reported as a failure.
    Seconds silence{45};
    /// Called, by the thread, after a failure was reported here or heard of.
    std::function<void()> failed;
  };

  /// All must outlive it.
  MpiNews(const MpiSession& session, const Program& program, RunState& state, Settings settings);
  ~MpiNews();

  /// What the devices of this process do, asked by the thread; null: nobody knows.
  void watch(std::function<DevicesState()> look);
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
  void watch_for_quiescence();
  void look();
  RankReport own_report() const;
  std::string own_progress() const;
  Fault fault_of_all() const;
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
  SteadyTime watched_;         ///< for silence
  RankQuiescence quiescence_;  ///< of all ranks; rank 0 finds out
  std::uint64_t heard_ = 0;    ///< the round of rank 0
  std::function<DevicesState()> look_;
  DevicesState seen_ = DevicesState::Busy;  ///< by the last looks
  std::uint64_t activity_ = 0;              ///< at that time
  std::mutex mutex_;
  std::condition_variable changed_;
  bool told_ = false;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace pipegraph
