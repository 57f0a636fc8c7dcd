#include "exec/cuda/gpu_links.h"

#include <chrono>
#include <numeric>

#include "exec/cuda/gpus.h"
#include "exec/cuda/handles.h"
#include "exec/measure/statistics.h"

namespace pipegraph {

namespace {

constexpr std::uint64_t k_most_moved = std::uint64_t{1} << 30;  // of one size
constexpr std::int32_t k_fewest_repetitions = 3;

/// A block of memory on a GPU, or pinned on the host.
class Ground {
 public:
  Ground(std::optional<int> gpu, Bytes bytes) : gpu_(gpu) {
    if (!gpu) {
      pinned_ = allocate_pinned(bytes);
      return;
    }
    const OnGpu here(*gpu);
    memory_ = allocate_on_device(bytes);
  }
  std::optional<int> gpu() const { return gpu_; }
  std::byte* data() const { return gpu_ ? memory_.get() : pinned_.get(); }

 private:
  std::optional<int> gpu_;
  GpuMemory memory_;
  PinnedMemory pinned_;
};

cudaMemcpyKind kind_of(const Ground& from, const Ground& to) {
  if (!from.gpu()) return cudaMemcpyHostToDevice;
  return to.gpu() ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost;
}

/// Copies from one place to another on a stream of the receiver's GPU, or of the sender's if the
/// host receives.
class Link {
 public:
  Link(const Ground& from, const Ground& to)
      : from_(from),
        to_(to),
        here_(to.gpu() ? *to.gpu() : *from.gpu()),
        stream_(make_stream()),
        ended_(make_event()) {}

  Seconds time(Bytes bytes) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    copy(bytes);
    PIPEGRAPH_CUDA(cudaEventRecord(ended_.get(), stream_.get()));
    while (!PIPEGRAPH_CUDA_ENDED(cudaEventQuery(ended_.get()))) {
    }
    return Clock::now() - begin;
  }

 private:
  void copy(Bytes bytes) {
    const auto from = from_.gpu();
    const auto to = to_.gpu();
    if (from && to && *from != *to)
      PIPEGRAPH_CUDA(
          cudaMemcpyPeerAsync(to_.data(), *to, from_.data(), *from, bytes.count, stream_.get()));
    else
      PIPEGRAPH_CUDA(cudaMemcpyAsync(to_.data(), from_.data(), bytes.count, kind_of(from_, to_),
                                     stream_.get()));
  }

  const Ground& from_;
  const Ground& to_;
  OnGpu here_;
  CudaStream stream_;
  CudaEvent ended_;
};

bool is_direct(std::optional<int> from, std::optional<int> to) {
  if (!from || !to || *from == *to) return true;
  int can = 0;
  PIPEGRAPH_CUDA(cudaDeviceCanAccessPeer(&can, *to, *from));
  return can != 0;
}

MeasuredLink measure(std::optional<int> from, std::optional<int> to, const LinkOptions& options) {
  MeasuredLink link{.from = from, .to = to, .direct = is_direct(from, to), .copies = {}};
  const Bytes largest = link_sizes().back();
  const Ground source(from, largest);
  const Ground target(to, largest);
  Link copies(source, target);
  for (const Bytes size : link_sizes()) {
    copies.time(size);
    const auto affordable = static_cast<std::int32_t>(
        std::min<std::uint64_t>(k_most_moved / size.count, std::uint64_t{1} << 20));
    std::vector<Seconds> times(static_cast<std::size_t>(
        std::clamp(affordable, k_fewest_repetitions, options.repetitions)));
    for (Seconds& time : times) time = copies.time(size);
    link.copies.push_back({size, without_gross_outliers(std::move(times), Seconds{0})});
  }
  return link;
}

GpuSize size_of(int gpu) {
  const OnGpu here(gpu);
  std::size_t free = 0;
  std::size_t total = 0;
  PIPEGRAPH_CUDA(cudaMemGetInfo(&free, &total));
  GpuSize size{.memory = Bytes{total}};
  PIPEGRAPH_CUDA(
      cudaDeviceGetAttribute(&size.multiprocessors, cudaDevAttrMultiProcessorCount, gpu));
  return size;
}

}  // namespace

MachineLinks measure_gpu_links(const LinkOptions& options) {
  choose_gpus(1, GpuSharing::Allowed);  // says what is missing
  int count = 0;
  PIPEGRAPH_CUDA(cudaGetDeviceCount(&count));
  std::vector<int> gpus(static_cast<std::size_t>(count));
  std::iota(gpus.begin(), gpus.end(), 0);
  connect_gpus(gpus);
  MachineLinks machine;
  const auto add = [&](std::optional<int> from, std::optional<int> to) {
    machine.links.push_back(measure(from, to, options));
    options.advanced();
  };
  for (const int gpu : gpus) {
    machine.gpus.push_back(size_of(gpu));
    add(std::nullopt, gpu);
    add(gpu, std::nullopt);
    for (const int peer : gpus) add(gpu, peer);
  }
  return machine;
}

}  // namespace pipegraph
