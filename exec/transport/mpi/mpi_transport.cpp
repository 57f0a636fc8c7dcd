#include "exec/transport/mpi/mpi_transport.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/base/errors.h"
#include "exec/transport/in_process.h"
#include "exec/transport/mpi/mpi_exchange.h"
#include "exec/transport/mpi/mpi_news.h"

namespace pipegraph {
namespace {

/// MPI wakes nobody: who waits for another process looks this often.
constexpr Seconds k_between_looks{50e-6};

class MpiTransport : public Transport {
 public:
  MpiTransport(const MpiSession& session, const Program& program, const Channels& channels,
               RunState& state, MpiTransportSettings settings)
      : session_(session),
        program_(program),
        channels_(channels),
        rank_of_device_(std::move(settings.rank_of_device)),
        local_(make_in_process_transport(program, channels, state, settings.mover)),
        devices_(program.device_count()),
        counts_(channels.size()),
        news_(session, program, state,
              {.rank_of_device = rank_of_device_,
               .remote = remote_channels(channels, rank_of_device_),
               .counts = counts_,
               .silence = settings.silence,
               .failed = [this] { close(); }}) {}

  ~MpiTransport() override {
    // After a failure messages are on their way still: what MPI may touch stays.
    for (Device& device : devices_)
      for (std::unique_ptr<MpiExchange>& exchange : device.under_way)
        if (exchange->pending()) static_cast<void>(exchange.release());
  }

  void post(DeviceId self, const MessageHalf& message) override {
    if (closed_.load(std::memory_order_relaxed)) return;
    const Channel& channel = channels_.at(message.channel);
    const DeviceId other = message.half == Half::Send ? channel.to : channel.from;
    const int peer = rank_of_device_[other.index()];
    if (peer == session_.rank()) {
      counts_.something_happened();
      return local_->post(self, message);
    }
    counts_.posted(message.channel);
    at(self).under_way.push_back(std::make_unique<MpiExchange>(comms_, peer, message));
  }

  std::span<const Arrival> poll(DeviceId self) override {
    Device& device = at(self);
    const auto local = local_->poll(self);
    if (!local.empty()) counts_.something_happened();
    if (device.under_way.empty() || closed_.load(std::memory_order_relaxed)) return local;
    device.arrivals.assign(local.begin(), local.end());
    std::erase_if(device.under_way, [&](const std::unique_ptr<MpiExchange>& exchange) {
      const MpiExchange::State state = exchange->look();
      if (state == MpiExchange::State::Arrived) note(device, *exchange);
      return state == MpiExchange::State::Finished;
    });
    return device.arrivals;
  }

  void sleep(DeviceId self, Seconds at_most) override {
    const bool waits = !at(self).under_way.empty();
    local_->sleep(self, waits ? std::min(at_most, k_between_looks) : at_most);
  }

  bool unannounced(DeviceId self) const override { return local_->unannounced(self); }
  bool quiet(DeviceId /*device*/) override { return false; }
  bool quiet_inside(DeviceId device) override { return local_->quiet(device); }
  void watch(std::function<DevicesState()> look) override { news_.watch(std::move(look)); }

  void abort(const Fault& fault) noexcept override {
    news_.tell(fault);
    close();
  }

 private:
  struct alignas(128) Device {
    std::vector<std::unique_ptr<MpiExchange>> under_way;
    std::vector<Arrival> arrivals;
  };

  /// From now on nothing here calls MPI: it would go on with messages whose memory may be gone.
  void close() noexcept {
    closed_.store(true, std::memory_order_relaxed);
    local_->abort({});
  }

  Device& at(DeviceId id) { return devices_[id.index()]; }

  void note(Device& device, const MpiExchange& exchange) {
    const MessageHalf& half = exchange.half();
    counts_.completed(half.channel);
    if (half.half == Half::Recv) {
      const MessageHalf sent = exchange.sent();
      if (sent.bytes != half.bytes || sent.element_bytes != half.element_bytes)
        throw MachineError(size_mismatch(program_, sent, half));
    }
    device.arrivals.push_back({half.instruction, half.token, half.half, exchange.other_posted()});
  }

  const MpiSession& session_;
  const Program& program_;
  const Channels& channels_;
  std::vector<std::int32_t> rank_of_device_;
  std::unique_ptr<Transport> local_;
  std::vector<Device> devices_;
  ChannelCounts counts_;
  MessageCommunicators comms_;
  std::atomic<bool> closed_{false};
  MpiNews news_;  ///< last: its thread ends before what it uses
};

}  // namespace

std::unique_ptr<Transport> make_mpi_transport(const MpiSession& session, const Program& program,
                                              const Channels& channels, RunState& state,
                                              MpiTransportSettings settings) {
  return std::make_unique<MpiTransport>(session, program, channels, state, std::move(settings));
}

}  // namespace pipegraph
