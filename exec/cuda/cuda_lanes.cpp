#include "exec/cuda/cuda_lanes.h"

#include "core/base/errors.h"
#include "exec/cuda/gpus.h"
#include "exec/transport/copy_pieces.h"

namespace pipegraph {

CudaLanes::CudaLanes(std::vector<int> gpu_of_device)
    : gpu_of_device_(std::move(gpu_of_device)), members_(gpu_of_device_.size()) {
  for (std::size_t d = 0; d < members_.size(); ++d) members_[d].gpu = gpu_of_device_[d];
  connect_gpus(gpu_of_device_);
}

CudaLanes::~CudaLanes() = default;

void CudaLanes::enter(DeviceId device, const DeviceEnd& end) {
  if (connections_ != nullptr) connections_->connect(device, end);
  at(device).sums = &end.sums;
  at(device).times = &end.times;
}

void CudaLanes::leave(DeviceId device) noexcept {
  if (connections_ != nullptr) connections_->disconnect(device);
  // After a failure others may still be copying from its memory.
  for (Member& member : members_)
    for (auto& [channel, lane] : member.lanes) wait_for_end(lane.stream);
  at(device).sums = nullptr;
}

void CudaLanes::begin(const Move& move) {
  Member& receiver = at(move.to);
  const Member& sender = at(move.from);
  check(sender.sums != nullptr, "who sends has not left");
  Lane& lane = receiver.lanes[move.channel];
  if (lane.stream.get() == nullptr) lane.stream = make_stream();
  receiver.times->see_origin(lane.stream.get());
  sender.sums->make_wait(lane.stream.get());
  if (&sender != &receiver) receiver.sums->make_wait(lane.stream.get());
  lane.under_way.push_back(receiver.times->begin(move.receive, lane.stream.get()));
  copy(move, lane.stream.get());
  receiver.times->end(lane.under_way.back(), lane.stream.get());
}

void CudaLanes::copy(const Move& move, cudaStream_t stream) const {
  const int to = gpu(move.to);
  const int from = gpu(move.from);
  for_each_stretch(
      move.source, move.target, [&](std::byte* into, const std::byte* out_of, std::uint64_t count) {
        if (to == from)
          PIPEGRAPH_CUDA(cudaMemcpyAsync(into, out_of, count, cudaMemcpyDeviceToDevice, stream));
        else
          PIPEGRAPH_CUDA(cudaMemcpyPeerAsync(into, to, out_of, from, count, stream));
      });
}

bool CudaLanes::ended(DeviceId receiver, ChannelId channel) {
  Lane& lane = at(receiver).lanes.at(channel);
  EnqueuedWork& oldest = lane.under_way.front();
  if (!StreamTimes::ended(oldest)) return false;
  Member& member = at(receiver);
  member.moved.reset();
  if (StreamTimes::measured(oldest))
    member.moved = {member.times->start_of(oldest), member.times->end_of(oldest)};
  member.times->give_back(std::move(oldest));
  lane.under_way.pop_front();
  return true;
}

}  // namespace pipegraph
