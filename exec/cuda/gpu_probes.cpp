#include "exec/cuda/gpu_probes.h"

#include <memory>
#include <optional>

#include "exec/cuda/cuda_engine.h"
#include "exec/cuda/gpus.h"

namespace pipegraph {

namespace {

/// Computes are events on a stream and nothing else; all messages start and end in one buffer.
class IdleGpuEngine final : public Engine {
 public:
  struct Context {
    CudaLanes& lanes;
    Clock& clock;
  };
  IdleGpuEngine(const Context& context, DeviceId device, Bytes buffer)
      : lanes_(context.lanes), device_(device), times_(context.clock) {
    PIPEGRAPH_CUDA(cudaSetDevice(lanes_.gpu(device)));
    stream_ = make_stream();
    buffer_ = allocate_on_device(buffer);
    if (buffer.count > 0) piece_ = {buffer_.get(), buffer};
    sums_.emplace();
    computes_.emplace(stream_.get(), context.clock, times_);
    lanes_.enter(device, {*sums_, times_});
  }
  ~IdleGpuEngine() override { lanes_.leave(device_); }

  std::size_t most_under_way() const override { return CudaEngine::k_most_under_way; }
  void begin_step(std::int64_t /*step*/) override { times_.begin_step(); }
  void start(InstructionId compute) override {
    computes_->add(compute, [] {});
  }
  std::span<const Completion> poll() override { return computes_->poll(); }
  std::span<const Piece> pieces(InstructionId) override { return {&piece_, 1}; }
  GradientSum reduced(InstructionId) override { return {}; }
  void add(Piece, Piece) override {}
  void copy(Piece, Piece) override {}
  Piece allocate(Bytes) override { return {}; }

 private:
  CudaLanes& lanes_;
  DeviceId device_;
  CudaStream stream_;
  GpuMemory buffer_;
  Piece piece_;
  std::optional<SumStream> sums_;
  StreamTimes times_;
  std::optional<EnqueuedComputes> computes_;
};

}  // namespace

GpuProbes::GpuProbes() : lanes_(choose_gpus(2, GpuSharing::Allowed)) {}

EngineFactory GpuProbes::engines(Bytes buffer) {
  return [this, buffer](DeviceId device, Clock& clock) {
    return std::make_unique<IdleGpuEngine>(IdleGpuEngine::Context{lanes_, clock}, device, buffer);
  };
}

}  // namespace pipegraph
