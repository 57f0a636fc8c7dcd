#include "exec/cuda/gpu_profile.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <span>

#include "exec/cuda/cuda_bf16_device.h"
#include "exec/cuda/gpus.h"
#include "exec/measure/operator_bench.h"
#include "exec/measure/operator_times.h"
#include "exec/measure/statistics.h"
#include "exec/measure/watched_rounds.h"
#include "exec/training/synthetic_data.h"

namespace pipegraph {

namespace {

/// Memory of the current GPU, filled by way of pinned memory.
class GpuStore {
 public:
  explicit GpuStore(cudaStream_t stream) : stream_(stream) {}

  template <class T>
  T* put(const std::vector<T>& numbers) {
    const Bytes bytes{numbers.size() * sizeof(T)};
    GpuMemory& memory = memory_.emplace_back(allocate_on_device(bytes));
    if (bytes.count == 0) return nullptr;
    const PinnedMemory staged = allocate_pinned(bytes);
    std::memcpy(staged.get(), numbers.data(), bytes.count);
    upload(memory.get(), staged.get(), bytes);
    PIPEGRAPH_CUDA(cudaStreamSynchronize(stream_));
    return reinterpret_cast<T*>(memory.get());
  }

  /// What was filled in the round before has arrived.
  void begin_round() { filled_ = 0; }
  template <class T, class Read>
  void fill(std::span<T> place, const Read& read) {
    // Every round fills the same places in the same order.
    if (filled_ == staged_.size()) staged_.push_back(allocate_pinned(Bytes{place.size_bytes()}));
    std::byte* const staged = staged_[filled_++].get();
    read(std::span<T>(reinterpret_cast<T*>(staged), place.size()));
    upload(place.data(), staged, Bytes{place.size_bytes()});
  }

 private:
  void upload(void* to, const std::byte* from, Bytes bytes) const {
    PIPEGRAPH_CUDA(cudaMemcpyAsync(to, from, bytes.count, cudaMemcpyHostToDevice, stream_));
  }

  cudaStream_t stream_;
  std::deque<GpuMemory> memory_;
  std::vector<PinnedMemory> staged_;
  std::size_t filled_ = 0;
};

/// Moments on a stream by the GPU's clock; used again in every round.
class Marks {
 public:
  Marks(cudaStream_t stream, std::size_t count) : stream_(stream) {
    for (std::size_t i = 0; i < count; ++i) events_.push_back(make_event(EventTiming::On));
  }
  void begin() { next_ = 0; }
  void mark() { PIPEGRAPH_CUDA(cudaEventRecord(events_[next_++].get(), stream_)); }
  void wait() const { PIPEGRAPH_CUDA(cudaStreamSynchronize(stream_)); }
  /// From the mark before this one.
  Seconds until(std::size_t mark) const {
    constexpr double k_seconds_per_ms = 1e-3;
    float ms = 0.0F;
    PIPEGRAPH_CUDA(cudaEventElapsedTime(&ms, events_[mark - 1].get(), events_[mark].get()));
    return Seconds{static_cast<double>(ms) * k_seconds_per_ms};
  }

 private:
  cudaStream_t stream_;
  std::vector<CudaEvent> events_;
  std::size_t next_ = 0;
};

/// A GPU's stream with the device of operators on it.
template <ArithmeticDevice D>
struct Bench;
template <>
struct Bench<CudaDevice> {
  CudaDevice gpu;
  CudaDevice& device = gpu;
};
template <>
struct Bench<CudaBf16Device> {
  CudaDevice gpu;
  CudaBf16Device device{gpu};
};

struct BenchedGraph {
  const ComputationGraph& graph;
  std::vector<OperatorId> ids;
  Precision precision = Precision::Fp32;
};

template <ArithmeticDevice D>
class OperatorRounds {
 public:
  OperatorRounds(const BenchedGraph& subject, std::int64_t samples)
      : data_(subject.graph, 0),
        bench_{CudaDevice({.precision = product_precision(subject.precision)})},
        store_(bench_.gpu.stream()),
        marks_(bench_.gpu.stream(), 3 * subject.ids.size() + 1) {
    for (const OperatorId id : subject.ids)
      benches_.emplace_back(typename GpuBench::Context{bench_.device, store_, data_},
                            benched(subject.graph, id, samples, element_size(subject.precision)));
  }

  /// Forward through all operators and backward again; the times of each.
  std::vector<OperatorPassTimes> run() {
    store_.begin_round();
    marks_.begin();
    marks_.mark();
    for (auto& bench : benches_) {
      bench.run_forward();
      marks_.mark();
    }
    for (auto bench = benches_.rbegin(); bench != benches_.rend(); ++bench) {
      bench->run_backward_input();
      marks_.mark();
      bench->run_backward_weight();
      marks_.mark();
    }
    marks_.wait();
    return times();
  }

 private:
  using GpuBench = OperatorBench<D, GpuStore>;

  std::vector<OperatorPassTimes> times() const {
    const std::size_t count = benches_.size();
    std::vector<OperatorPassTimes> times(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t backward = count + 2 * (count - 1 - i);
      times[i].add_forward(marks_.until(i + 1));
      times[i].add_backward(marks_.until(backward + 1), marks_.until(backward + 2));
    }
    return times;
  }

  SyntheticData data_;
  Bench<D> bench_;
  GpuStore store_;
  std::deque<GpuBench> benches_;
  Marks marks_;
};

/// Elements of an array that is a thousandth of the GPU's memory, which no cache holds.
std::int64_t large_array() {
  std::size_t free = 0;
  std::size_t total = 0;
  PIPEGRAPH_CUDA(cudaMemGetInfo(&free, &total));
  return static_cast<std::int64_t>(total / 1024 / sizeof(float));
}

template <ArithmeticDevice D>
std::vector<MeasuredOperator> profile_on(const BenchedGraph& subject,
                                         const OperatorProfileOptions& options) {
  std::vector<MeasuredOperator> measured;
  for (const std::int64_t samples : options.samples) {
    OperatorRounds<D> rounds(subject, samples);
    for (std::int32_t i = 0; i < options.warm_up; ++i) rounds.run();
    const std::vector<OperatorPassTimes> times =
        all_of(watched_rounds(options.repetitions, [&] { return rounds.run(); }));
    for (std::size_t i = 0; i < times.size(); ++i)
      for (MeasuredOperator& one :
           times[i].summed_up(subject.graph.at(subject.ids[i]).name, samples))
        measured.push_back(std::move(one));
    options.advanced();
  }
  return measured;
}

}  // namespace

std::vector<MeasuredOperator> profile_gpu_operators(const ComputationGraph& graph,
                                                    const OperatorProfileOptions& options) {
  check(!options.samples.empty(), "something is to be measured");
  const ProductPrecision precision = product_precision(options.precision);
  check_executable(graph, element_size(options.precision));
  const OnGpu first(choose_gpus(1, GpuSharing::Allowed).front());
  const auto order = graph.order();
  const BenchedGraph subject{graph, {order.begin(), order.end()}, options.precision};
  return precision == ProductPrecision::Bf16 ? profile_on<CudaBf16Device>(subject, options)
                                             : profile_on<CudaDevice>(subject, options);
}

MeasuredBandwidth measure_gpu_optimizer(Optimizer optimizer, std::int32_t repetitions) {
  const OnGpu first(choose_gpus(1, GpuSharing::Allowed).front());
  const std::int64_t count = large_array();
  CudaDevice device;
  GpuStore store(device.stream());
  const std::vector<float> zeros(static_cast<std::size_t>(count));
  const OptimizedTensors<float> tensors{.count = count,
                                        .parameters = store.put(zeros),
                                        .gradients = store.put(zeros),
                                        .first_state = store.put(zeros),
                                        .second_state = store.put(zeros)};
  const StepOrder order;
  Marks marks(device.stream(), 2);
  const auto step = [&] {
    marks.begin();
    marks.mark();
    cuda_optimizer_step(device, optimizer, order, tensors);
    marks.mark();
    marks.wait();
    return marks.until(1);
  };
  step();
  auto rounds = watched_rounds(repetitions, step);
  const double bytes = 2.0 * static_cast<double>(2 + state_copies(optimizer)) *
                       static_cast<double>(count) * sizeof(float);
  const Seconds mean = without_gross_outliers(std::move(rounds.results)).mean;
  return {.value = {bytes / mean.count()}, .disturbed = rounds.disturbed};
}

}  // namespace pipegraph
