#include "exec/measure/probes.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "exec/executor.h"
#include "exec/measure/statistics.h"
#include "exec/measure/watched_steps.h"
#include "exec/transport/in_process.h"

namespace pipegraph {
namespace {

constexpr std::uint64_t k_bytes_per_step = std::uint64_t{8} << 20;
constexpr std::uint64_t k_fewest_turns = 4;

/// Does nothing for computes; all messages of a device start and end in one buffer.
class IdleEngine : public Engine {
 public:
  IdleEngine(Bytes buffer, Clock& clock) : buffer_(buffer.count), clock_(clock) {
    if (!buffer_.empty()) piece_ = {buffer_.data(), buffer};
  }

  void start(InstructionId compute) override { taken_.push_back(compute); }
  std::span<const Completion> poll() override {
    done_.clear();
    for (const InstructionId id : taken_) {
      const Seconds start = clock_.ready(id);
      done_.push_back({id, start, clock_.end(id, start)});
    }
    taken_.clear();
    return done_;
  }
  std::span<const Piece> pieces(InstructionId) override { return {&piece_, 1}; }
  GradientSum reduced(InstructionId) override { return {}; }
  void add(Piece, Piece) override {}
  void copy(Piece, Piece) override {}
  Piece allocate(Bytes) override { return {}; }

 private:
  std::vector<std::byte> buffer_;
  Piece piece_;
  Clock& clock_;
  std::vector<InstructionId> taken_;
  std::vector<Completion> done_;
};

class IdleThreads final : public ProbeDevices {
 public:
  EngineFactory engines(Bytes buffer) override {
    return [buffer](DeviceId, Clock& clock) { return std::make_unique<IdleEngine>(buffer, clock); };
  }
};

/// Repeats the steps of a program, disturbed ones once more; what one of `parts` equal parts of a
/// step takes.
Measured time_of_part(const Program& program, Bytes buffer, std::uint64_t parts,
                      const ProbeOptions& options) {
  const Channels channels(program);
  RunState state(program);
  SingleRank ranks;
  IdleThreads threads;
  ProbeDevices& probed = options.devices != nullptr ? *options.devices : threads;
  const auto transport = make_in_process_transport(program, channels, state, probed.mover());
  std::vector<DeviceId> devices;
  for (std::size_t i = 0; i < program.device_count(); ++i) devices.push_back(make_id<DeviceId>(i));
  Executor executor({.program = program,
                     .channels = channels,
                     .state = state,
                     .transport = *transport,
                     .ranks = ranks,
                     .devices = devices,
                     .engines = probed.engines(buffer),
                     .clocks = [](DeviceId) { return make_real_clock(); }},
                    options.execution);
  executor.run_step(Tracing::Off);
  WatchedSteps steps(options.scheduling ? options.scheduling
                                        : scheduling_of_devices(program.device_count()));
  steps.run(options.repetitions, [&] { return executor.run_step(Tracing::Off); });
  std::vector<Seconds> times;
  for (const Seconds time : steps.times()) times.push_back(time / static_cast<double>(parts));
  Measured measured = without_gross_outliers(std::move(times), Seconds{0});
  measured.disturbed = !steps.seen().no_verdict().empty();
  return measured;
}

Program idle_computes(std::int32_t count) {
  ProgramBuilder builder(1, {"idle"});
  const DeviceId device{0};
  Instruction compute;
  compute.device = device;
  compute.stage = StageId{0};
  compute.lane = builder.lane({device, LaneKind::Compute, {}, {}});
  for (std::int32_t i = 0; i < count; ++i) {
    compute.samples = {i, i + 1};
    builder.add(compute, {});
  }
  return std::move(builder).build();
}

/// Messages of `size`, each sent back by the device that has received it.
class PingPong {
 public:
  explicit PingPong(Bytes size) : builder_(2, {"ping", "pong"}), size_(size) {}

  Program of(std::uint64_t turns) && {
    InstructionId received;
    for (std::uint64_t turn = 0; turn < turns; ++turn) {
      const DeviceId from{static_cast<std::int32_t>(turn % 2)};
      received = message(from, DeviceId{1 - from.value}, received);
    }
    return std::move(builder_).build();
  }

 private:
  InstructionId message(DeviceId from, DeviceId to, InstructionId after) {
    Instruction half;
    half.stage = StageId{from.value};
    half.samples = {0, 1};
    half.bytes = size_;
    half.kind = InstructionKind::Send;
    half.device = from;
    half.peer = to;
    half.lane = builder_.lane({from, LaneKind::Send, to, {}});
    const std::span<const InstructionId> waits(&after, after.valid() ? 1 : 0);
    builder_.add(half, waits);
    half.kind = InstructionKind::Recv;
    std::swap(half.device, half.peer);
    half.lane = builder_.lane({to, LaneKind::Recv, from, {}});
    return builder_.add(half, {});
  }

  ProgramBuilder builder_;
  Bytes size_;
};

}  // namespace

Measured measure_dispatch(const ProbeOptions& options) {
  return time_of_part(idle_computes(options.computes), Bytes{},
                      static_cast<std::uint64_t>(options.computes), options);
}

std::vector<MeasuredTransfer> measure_transfers(const std::vector<Bytes>& sizes,
                                                const ProbeOptions& options) {
  std::vector<MeasuredTransfer> transfers;
  for (const Bytes size : sizes) {
    const std::uint64_t turns =
        std::clamp(k_bytes_per_step / size.count, k_fewest_turns, options.most_turns);
    transfers.push_back({size, time_of_part(PingPong(size).of(turns), size, turns, options)});
  }
  return transfers;
}

std::vector<Bytes> usual_transfer_sizes() {
  std::vector<Bytes> sizes;
  for (Bytes size{64}; size.count <= (std::uint64_t{16} << 20); size = size * 4)
    sizes.push_back(size);
  return sizes;
}

}  // namespace pipegraph
