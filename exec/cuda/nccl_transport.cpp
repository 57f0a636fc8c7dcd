#include "exec/cuda/nccl_transport.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/base/errors.h"
#include "exec/cuda/gpus.h"
#include "exec/cuda/nccl_device.h"
#include "exec/cuda/nccl_links.h"
#include "exec/cuda/nccl_staging.h"

namespace pipegraph {

namespace {

/// Of halves that only tell the other end; the rest is the place in Device::announced.
constexpr std::uint32_t k_announcement = 1U << 31;

class NcclTransport final : public Transport, public DeviceConnections {
 public:
  NcclTransport(const TransportContext& context, CudaLanes& lanes, const NcclSettings& settings)
      : context_(context),
        lanes_(lanes),
        settings_(settings),
        links_(links_of(context, lanes, settings)),
        ids_(share_ids(context, links_)),
        devices_(context.program.device_count()) {
    for (Device& device : devices_) device.links.resize(links_.list().size());
    lanes_.connect_with(this);
  }
  ~NcclTransport() override { lanes_.connect_with(nullptr); }

  void connect(DeviceId device, const DeviceEnd& end) override {
    std::vector<Bytes> staged(links_.list().size());
    if (end.pieces != nullptr)
      staged = staged_bytes({context_.program, context_.channels, links_, settings_.sums}, device,
                            *end.pieces);
    for (std::size_t link = 0; link < staged.size(); ++link)
      if (links_.list()[link].rank_of(device)) {
        staged[link] = std::max(staged[link], warm_up_bytes(links_.list()[link]));
        at(device).staged += staged[link];
      }
    at(device).nccl.emplace(
        NcclDevice::Shared{links_, ids_, context_.state.failure, context_.deadline}, device,
        NcclDevice::Own{end.sums, end.memory, std::move(staged)});
  }
  Bytes memory_of(DeviceId device) const override { return devices_[device.index()].staged; }
  void disconnect(DeviceId device) noexcept override { at(device).nccl.reset(); }

  void post(DeviceId self, const MessageHalf& message) override {
    const auto link = links_.of(message.channel);
    if (!link || message.pieces.empty() || message.bytes.count == 0) {
      context_.inner.post(self, message);
      return;
    }
    Device& device = at(self);
    MessageHalf announcement = message;
    announcement.pieces = {};
    announcement.token = k_announcement | device.keep({message, Seconds{0}});
    device.links[*link].announced.push_back(announcement.token & ~k_announcement);
    context_.inner.post(self, announcement);
  }

  std::span<const Arrival> poll(DeviceId self) override {
    Device& device = at(self);
    device.arrivals.clear();
    for (const Arrival& arrival : context_.inner.poll(self)) {
      if ((arrival.token & k_announcement) == 0)
        device.arrivals.push_back(arrival);
      else
        met(self, arrival);
    }
    if (device.launches.load(std::memory_order_relaxed) > 0) end_launches(device);
    return device.arrivals;
  }

  void sleep(DeviceId self, Seconds at_most) override { context_.inner.sleep(self, at_most); }
  bool unannounced(DeviceId self) const override {
    return devices_[self.index()].launches.load(std::memory_order_relaxed) > 0 ||
           context_.inner.unannounced(self);
  }
  bool quiet(DeviceId device) override {
    return at(device).launches.load() == 0 && context_.inner.quiet(device);
  }
  bool quiet_inside(DeviceId device) override {
    return at(device).launches.load() == 0 && context_.inner.quiet_inside(device);
  }
  void watch(std::function<DevicesState()> look) override { context_.inner.watch(std::move(look)); }
  void abort(const Fault& fault) noexcept override { context_.inner.abort(fault); }

  bool in_program_order() const override {
    return settings_.communicators == NcclCommunicators::One;
  }
  bool adds_up(GroupId group) const override {
    return settings_.sums == GroupSums::ByNccl && links_.of(group).has_value();
  }
  void add_up(DeviceId self, const GroupVector& vector) override {
    Device& device = at(self);
    const auto link = links_.of(vector.group);
    check(link.has_value(), "a group that adds up has a communicator");
    device.nccl->add_up(*link, vector.pieces);
    device.launched(*link, {{vector.instruction, 0, Half::Recv, Seconds{0}}});
  }

 private:
  /// A half that waits for its other end.
  struct Announced {
    MessageHalf message;
    Seconds other_posted{0};
  };
  struct Link {
    std::vector<std::uint32_t> announced;  ///< halves that have not been launched, as posted
    std::size_t met = 0;                   ///< how many of them have their other end
    std::deque<std::vector<Arrival>> under_way;
  };
  /// Of one device; its thread's, but for the number of launches.
  struct alignas(128) Device {
    std::optional<NcclDevice> nccl;
    Bytes staged;
    std::vector<Announced> announced;
    std::vector<std::uint32_t> free;  ///< places in it
    std::vector<Link> links;
    std::vector<std::size_t> busy;  ///< links with launches under way
    std::vector<Arrival> arrivals;
    std::atomic<std::size_t> launches{0};

    std::uint32_t keep(const Announced& half) {
      if (free.empty()) {
        announced.push_back(half);
        return static_cast<std::uint32_t>(announced.size() - 1);
      }
      const std::uint32_t place = free.back();
      free.pop_back();
      announced[place] = half;
      return place;
    }
    void launched(std::size_t link, std::vector<Arrival> arrivals_of) {
      if (links[link].under_way.empty()) busy.push_back(link);
      links[link].under_way.push_back(std::move(arrivals_of));
      ++launches;
    }
  };

  Device& at(DeviceId id) { return devices_[id.index()]; }

  static NcclLinks links_of(const TransportContext& context, const CudaLanes& lanes,
                            const NcclSettings& settings);
  static std::vector<ncclUniqueId> share_ids(const TransportContext& context,
                                             const NcclLinks& links);

  /// All halves of an all-reduce's phase are posted at once and launched together: on one
  /// communicator launches follow each other, and the members' orders could differ.
  void met(DeviceId self, const Arrival& arrival) {
    Device& device = at(self);
    const std::uint32_t place = arrival.token & ~k_announcement;
    Announced& half = device.announced[place];
    half.other_posted = arrival.other_posted;
    const std::size_t number = *links_.of(half.message.channel);
    Link& link = device.links[number];
    if (++link.met == link.announced.size()) launch(device, number);
  }

  void launch(Device& device, std::size_t number) {
    Link& link = device.links[number];
    // In the order in which they were posted, which is the same at both ends of a pair.
    std::vector<NcclDevice::Part> parts;
    std::vector<Arrival> arrivals;
    for (const std::uint32_t place : link.announced) {
      const Announced& half = device.announced[place];
      const Channel& channel = context_.channels.at(half.message.channel);
      const bool sends = half.message.half == Half::Send;
      parts.push_back({half.message.half, sends ? channel.to : channel.from, half.message.pieces});
      arrivals.push_back(
          {half.message.instruction, half.message.token, half.message.half, half.other_posted});
      device.free.push_back(place);
    }
    link.announced.clear();
    link.met = 0;
    device.nccl->exchange(number, parts);
    device.launched(number, std::move(arrivals));
  }

  void end_launches(Device& device) {
    std::erase_if(device.busy, [&](std::size_t number) {
      auto& under_way = device.links[number].under_way;
      while (!under_way.empty() && device.nccl->ended(number)) {
        const std::vector<Arrival>& ended = under_way.front();
        device.arrivals.insert(device.arrivals.end(), ended.begin(), ended.end());
        under_way.pop_front();
        --device.launches;
      }
      return under_way.empty();
    });
  }

  TransportContext context_;
  CudaLanes& lanes_;
  NcclSettings settings_;
  NcclLinks links_;
  std::vector<ncclUniqueId> ids_;
  std::vector<Device> devices_;
};

/// What a rank tells the others: its version of NCCL and the GPUs of its devices, a line each.
std::string text_of_rank(const CudaLanes& lanes) {
  std::string text = nccl_version() + "\n";
  for (const int gpu : lanes.gpus())
    if (gpu >= 0) text += gpu_identity(gpu) + "\n";
  return text;
}

std::vector<DevicePlace> places_of_devices(const std::vector<std::string>& texts,
                                           const std::vector<std::int32_t>& rank_of_device) {
  std::vector<std::istringstream> told;
  std::vector<std::string> versions;
  for (const std::string& text : texts) {
    std::getline(told.emplace_back(text), versions.emplace_back());
    if (versions.back() != versions.front())
      throw MachineError(fmt::format("rank {} has NCCL {}, rank 0 has {}: they need the same",
                                     versions.size() - 1, versions.back(), versions.front()));
  }
  std::vector<DevicePlace> places;
  for (const std::int32_t rank : rank_of_device) {
    std::string gpu;
    check(!std::getline(told[static_cast<std::size_t>(rank)], gpu).fail(),
          "a rank tells of all of its devices");
    places.push_back({rank, gpu});
  }
  return places;
}

NcclLinks NcclTransport::links_of(const TransportContext& context, const CudaLanes& lanes,
                                  const NcclSettings& settings) {
  const std::vector<std::string> texts = context.ranks.all_gather(text_of_rank(lanes));
  try {
    return {context.program,
            context.channels,
            {places_of_devices(texts, context.rank_of_device), settings.communicators}};
  } catch (const MachineError& error) {
    // All ranks find the same; the first tells of it.
    throw ExecutionError(error.what(), Fault{.rank = 0, .what = error.what()});
  }
}

/// The rank of a communicator's first member makes its id.
std::vector<ncclUniqueId> NcclTransport::share_ids(const TransportContext& context,
                                                   const NcclLinks& links) {
  const auto maker = [&](const NcclLink& link) {
    return context.rank_of_device[link.members.front().index()];
  };
  std::string mine;
  for (const NcclLink& link : links.list())
    if (maker(link) == context.ranks.rank()) {
      const ncclUniqueId id = make_nccl_id();
      mine.append(id.internal, sizeof id.internal);
    }
  std::vector<std::string> told = context.ranks.all_gather(mine);
  std::vector<ncclUniqueId> ids;
  for (const NcclLink& link : links.list()) {
    std::string& rest = told[static_cast<std::size_t>(maker(link))];
    ncclUniqueId& id = ids.emplace_back();
    check(rest.size() >= sizeof id.internal, "a rank tells all ids that it makes");
    std::memcpy(id.internal, rest.data(), sizeof id.internal);
    rest.erase(0, sizeof id.internal);
  }
  return ids;
}

}  // namespace

std::unique_ptr<Transport> make_nccl_transport(const TransportContext& context, CudaLanes& lanes,
                                               const NcclSettings& settings) {
  return std::make_unique<NcclTransport>(context, lanes, settings);
}

}  // namespace pipegraph
