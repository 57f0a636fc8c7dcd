// The lanes between the devices of one process that are GPUs, or share one: a stream for each
// directed pair, on the receiver's GPU, that copies from device to device. Devices go on issuing
// meanwhile, and look at events to learn what has arrived.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "exec/cuda/stream_times.h"
#include "exec/cuda/sum_stream.h"
#include "exec/transport/mover.h"

namespace pipegraph {

class CudaMemory;
class DevicePieces;

/// What a device has of its own; all outlives its connections. Without pieces its messages lie in
/// one each, without memory what connects it takes some of its own.
struct DeviceEnd {
  SumStream& sums;
  StreamTimes& times;
  const DevicePieces* pieces = nullptr;
  CudaMemory* memory = nullptr;
};

/// What connects devices besides, made and given up on their own threads.
class DeviceConnections {
 public:
  virtual ~DeviceConnections() = default;
  virtual void connect(DeviceId device, const DeviceEnd& end) = 0;
  /// Nothing of the device is under way afterwards.
  virtual void disconnect(DeviceId device) noexcept = 0;
  /// The memory that it takes on a device that is connected, as it follows from the program.
  virtual Bytes memory_of(DeviceId device) const = 0;
  /// Whether it adds up a group's gradients, so that devices need not gather them.
  virtual bool adds_up(GroupId group) const = 0;
};

class CudaLanes final : public Mover {
 public:
  /// -1: the device is not of this process.
  explicit CudaLanes(std::vector<int> gpu_of_device);
  ~CudaLanes() override;

  int gpu(DeviceId device) const { return at(device).gpu; }
  const std::vector<int>& gpus() const { return gpu_of_device_; }

  /// Told of devices from now on; null: nothing is. While no device is there.
  void connect_with(DeviceConnections* connections) { connections_ = connections; }

  /// A device takes part until it leaves. Its thread. Errors: those of what connects devices.
  void enter(DeviceId device, const DeviceEnd& end);
  /// Its memory and streams may go afterwards: nothing copies any more. No device is running.
  void leave(DeviceId device) noexcept;

  /// Of what connects devices; nothing without.
  Bytes connection_memory(DeviceId device) const {
    return connections_ == nullptr ? Bytes{} : connections_->memory_of(device);
  }
  bool connections_add_up(GroupId group) const {
    return connections_ != nullptr && connections_->adds_up(group);
  }

  void posting(DeviceId self) override { at(self).sums->publish(); }
  void begin(const Move& move) override;
  bool ended(DeviceId receiver, ChannelId channel) override;
  std::optional<MoveTimes> times(DeviceId receiver) const override { return at(receiver).moved; }

 private:
  struct Lane {
    CudaStream stream;
    std::deque<EnqueuedWork> under_way;  ///< by move
  };
  struct Member {
    int gpu = 0;
    SumStream* sums = nullptr;
    StreamTimes* times = nullptr;
    std::optional<MoveTimes> moved;   ///< of the last that ended
    std::map<ChannelId, Lane> lanes;  ///< those it receives on; its thread only
  };

  Member& at(DeviceId device) { return members_[device.index()]; }
  const Member& at(DeviceId device) const { return members_[device.index()]; }
  void copy(const Move& move, cudaStream_t stream) const;

  std::vector<int> gpu_of_device_;
  std::vector<Member> members_;
  DeviceConnections* connections_ = nullptr;
};

}  // namespace pipegraph
