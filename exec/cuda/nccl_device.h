// The communicators of one device, each with a stream of its own: what it sends and receives on
// them, and when that has ended. Of its device's thread.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "core/base/units.h"
#include "exec/cuda/cuda_memory.h"
#include "exec/cuda/event_pool.h"
#include "exec/cuda/nccl_communicator.h"
#include "exec/cuda/nccl_links.h"
#include "exec/cuda/sum_stream.h"
#include "exec/state/failure.h"
#include "exec/transport/transport.h"

namespace pipegraph {

class NcclDevice {
 public:
  /// All must outlive it.
  struct Shared {
    const NcclLinks& links;
    const std::vector<ncclUniqueId>& ids;  ///< by link
    const Failure& failure;                ///< ends waits when it happens
    Seconds deadline;                      ///< of a wait for other devices
  };
  struct Own {
    SumStream& sums;
    CudaMemory* memory;         ///< none: it takes its own
    std::vector<Bytes> staged;  ///< room for what is at a time, the first message too; by link
  };
  /// Joins its links in their order, and uses each pair once. Errors: NcclError, CudaError,
  /// Abandoned.
  NcclDevice(const Shared& shared, DeviceId self, Own own);
  /// Aborts what is under way.
  ~NcclDevice();

  struct Part {
    Half half = Half::Send;
    DeviceId peer;
    std::span<const Piece> pieces;
  };
  /// Sends and receives all parts at once, after the sums that the device has been given. Errors:
  /// NcclError, CudaError, Abandoned.
  void exchange(std::size_t link, std::span<const Part> parts);
  /// Replaces the pieces, taken as floats, by their sum over all members.
  void add_up(std::size_t link, std::span<const Piece> pieces);
  /// Whether the oldest exchange or sum of a link has ended; after a yes, the next one is meant.
  /// Errors: NcclError also of what failed elsewhere.
  bool ended(std::size_t link);

 private:
  /// Where NCCL finds the bytes of several pieces side by side. A launch takes what the one before
  /// had, which has ended by then: both are of one stream.
  class Staging {
   public:
    Staging() = default;
    Staging(std::byte* base, Bytes size) : base_(base), size_(size) {}
    void begin_launch() { used_ = {}; }
    std::byte* take(Bytes bytes);

   private:
    std::byte* base_ = nullptr;
    Bytes size_, used_;
  };
  struct Port {
    std::unique_ptr<NcclCommunicator> comm;
    CudaStream stream;
    Staging staging;
    std::deque<CudaEvent> under_way;
    std::uint32_t looks = 0;  ///< at the oldest of them
  };

  Port& at(std::size_t link) { return ports_[link]; }
  std::byte* allocate(Bytes bytes);
  void join_all();
  void close() noexcept;
  void join(std::size_t link, int rank);
  void warm_up(std::size_t link, int rank);
  void settle(const Port& port) const;
  template <class Done>
  void wait_for_others(const Port& port, const char* what, const Done& done) const;
  void begin(Port& port);
  void end(Port& port);
  int rank_in(std::size_t link, DeviceId device) const;

  Shared shared_;
  DeviceId self_;
  Own own_;
  std::vector<GpuMemory> blocks_;
  EventPool events_;
  std::vector<Port> ports_;  ///< by link; without a communicator where others are members
};

}  // namespace pipegraph
