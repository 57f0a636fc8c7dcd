// The lanes between the devices of one process that are GPUs, or share one: a stream for each
// directed pair, on the receiver's GPU, that copies from device to device. Devices go on issuing
// meanwhile, and look at events to learn what has arrived.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "exec/cuda/event_pool.h"
#include "exec/cuda/sum_stream.h"
#include "exec/transport/mover.h"

namespace pipegraph {

class CudaLanes final : public Mover {
 public:
  explicit CudaLanes(std::vector<int> gpu_of_device);
  ~CudaLanes() override;

  int gpu(DeviceId device) const { return at(device).gpu; }
  const std::vector<int>& gpus() const { return gpu_of_device_; }

  /// A device takes part until it leaves; `sums` is its own. Its thread.
  void enter(DeviceId device, SumStream& sums) { at(device).sums = &sums; }
  /// Its memory and streams may go afterwards: nothing copies any more. No device is running.
  void leave(DeviceId device) noexcept;

  void posting(DeviceId self) override { at(self).sums->publish(); }
  void begin(const Move& move) override;
  bool ended(DeviceId receiver, ChannelId channel) override;

 private:
  struct Lane {
    CudaStream stream;
    std::deque<CudaEvent> under_way;  ///< one for each move
  };
  struct Member {
    int gpu = 0;
    SumStream* sums = nullptr;
    EventPool events;
    std::map<ChannelId, Lane> lanes;  ///< those it receives on; its thread only
  };

  Member& at(DeviceId device) { return members_[device.index()]; }
  const Member& at(DeviceId device) const { return members_[device.index()]; }
  void copy(const Move& move, cudaStream_t stream) const;

  std::vector<int> gpu_of_device_;
  std::vector<Member> members_;
};

}  // namespace pipegraph
