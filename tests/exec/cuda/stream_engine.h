// An engine for programs that are of no plan: each compute keeps its stream busy for its planned
// time, each message is a few bytes of device memory. Streams, events, lanes and the way back to
// the host are those of training.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "exec/cuda/cuda_lanes.h"
#include "exec/cuda/enqueued_computes.h"
#include "exec/cuda/gpus.h"
#include "exec/cuda/host_launch.h"
#include "exec/engine.h"

namespace pipegraph::test {

class StreamEngine final : public Engine {
 public:
  StreamEngine(const Program& program, CudaLanes& lanes, DeviceId device, Clock& clock)
      : program_(program),
        lanes_(lanes),
        device_(device),
        gpu_(make_current(lanes.gpu(device))),
        stream_(make_stream()),
        times_(clock),
        computes_(stream_.get(), clock, times_) {
    lanes_.enter(device, {sums_, times_});
  }
  ~StreamEngine() override { lanes_.leave(device_); }

  void begin_step(std::int64_t /*step*/) override { times_.begin_step(); }
  std::size_t most_under_way() const override { return 3; }
  void start(InstructionId compute) override {
    computes_.add(compute, [&] {
      const Seconds duration = program_.at(compute).duration;
      PIPEGRAPH_CUDA(launch_on_host(stream_.get(), "compute",
                                    [duration] { std::this_thread::sleep_for(duration); }));
    });
  }
  std::span<const Completion> poll() override { return computes_.poll(); }

  std::span<const Piece> pieces(InstructionId half) override {
    auto& [memory, pieces] = messages_[half];
    if (pieces.empty()) {
      const Bytes bytes{std::min<std::uint64_t>(program_.at(half).bytes.count, 64)};
      memory = allocate_on_device(bytes);
      pieces = {{memory.get(), bytes}};
      if (program_.at(half).kind == InstructionKind::Send) fill(pieces.front());
    }
    return pieces;
  }
  GradientSum reduced(InstructionId /*all_reduce*/) override { return {}; }
  void add(Piece /*destination*/, Piece /*source*/) override {}
  void copy(Piece /*destination*/, Piece /*source*/) override {}
  Piece allocate(Bytes /*bytes*/) override { return {}; }

 private:
  struct Message {
    GpuMemory memory;
    std::vector<Piece> pieces;
  };
  static int make_current(int gpu) {
    PIPEGRAPH_CUDA(cudaSetDevice(gpu));
    return gpu;
  }
  void fill(const Piece& piece) const {
    PIPEGRAPH_CUDA(cudaMemsetAsync(piece.data, 1, piece.bytes.count, stream_.get()));
    PIPEGRAPH_CUDA(cudaStreamSynchronize(stream_.get()));
  }

  const Program& program_;
  CudaLanes& lanes_;
  DeviceId device_;
  int gpu_;
  CudaStream stream_;
  SumStream sums_;
  std::map<InstructionId, Message> messages_;
  StreamTimes times_;
  EnqueuedComputes computes_;
};

}  // namespace pipegraph::test
