#include "core/program/matching.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "core/program/text.h"

namespace pipegraph {

namespace {

/// Halves of one channel that have no other half yet; all of one kind.
struct Channel {
  DeviceId from, to;
  std::vector<InstructionId> waiting;
  std::size_t head = 0;
  std::size_t matched = 0;

  bool empty() const { return head == waiting.size(); }
  InstructionId pop() {
    const InstructionId id = waiting[head++];
    if (empty()) {
      waiting.clear();
      head = 0;
    }
    return id;
  }
};

/// Finds the channel of each transfer; a lane that serves one channel only is looked up once.
class Channels {
 public:
  explicit Channels(const Program& program) : of_lane_(program.lanes().size()) {
    std::fill(of_lane_.begin(), of_lane_.end(), -1);
  }

  Channel& of(const Instruction& i) {
    const bool sends = i.kind == InstructionKind::Send;
    const DeviceId from = sends ? i.device : i.peer;
    const DeviceId to = sends ? i.peer : i.device;
    std::int32_t& known = of_lane_[i.lane.index()];
    if (known >= 0) {
      Channel& channel = list_[static_cast<std::size_t>(known)];
      if (channel.from == from && channel.to == to) return channel;
    }
    const auto key =
        static_cast<std::uint64_t>(from.value) << 32 | static_cast<std::uint32_t>(to.value);
    const auto [entry, fresh] = ids_.try_emplace(key, static_cast<std::int32_t>(list_.size()));
    if (fresh) list_.push_back({from, to, {}, 0, 0});
    known = entry->second;
    return list_[static_cast<std::size_t>(known)];
  }
  const std::vector<Channel>& list() const { return list_; }

 private:
  std::vector<std::int32_t> of_lane_;
  std::unordered_map<std::uint64_t, std::int32_t> ids_;
  std::vector<Channel> list_;
};

/// What the two halves disagree about; nullptr if they match.
const char* difference(const Instruction& send, const Instruction& recv) {
  if (send.bytes != recv.bytes) return "bytes";
  if (send.element_bytes != recv.element_bytes) return "element size";
  if (send.stage != recv.stage || send.gradients != recv.gradients || send.samples != recv.samples)
    return "what is sent";
  if (send.payload != recv.payload) return "payload";
  return nullptr;
}

}  // namespace

std::string on_device(const Program& program, InstructionId id) {
  const Instruction& i = program.at(id);
  return fmt::format("{} on d{}", to_text(i), i.device.value);
}

Matching::Matching(const Program& program, Problems& problems)
    : next_(program.size()), leader_(program.size()) {
  std::iota(next_.begin(), next_.end(), 0);
  std::iota(leader_.begin(), leader_.end(), 0);
  match_transfers(program, problems);
  match_all_reduces(program, problems);
}

void Matching::join(InstructionId earlier, InstructionId later) {
  std::swap(next_[earlier.index()], next_[later.index()]);
  leader_[later.index()] = leader_[earlier.index()];
}

void Matching::match_transfers(const Program& program, Problems& problems) {
  Channels channels(program);
  for (std::size_t n = 0; n < program.size(); ++n) {
    const auto id = make_id<InstructionId>(n);
    const Instruction& i = program.at(id);
    if (!is_transfer(i.kind)) continue;
    if (!i.peer.valid() || i.peer == i.device) {
      problems.add("{} has no other device", on_device(program, id));
      continue;
    }
    Channel& channel = channels.of(i);
    if (channel.empty() || program.at(channel.waiting[channel.head]).kind == i.kind) {
      channel.waiting.push_back(id);
      continue;
    }
    const InstructionId other = channel.pop();
    join(other, id);
    const bool sends = i.kind == InstructionKind::Send;
    if (const char* what =
            difference(program.at(sends ? id : other), program.at(sends ? other : id)))
      problems.add("channel d{} to d{}, message {}: {} and {} differ in {}", channel.from.value,
                   channel.to.value, channel.matched, on_device(program, sends ? id : other),
                   on_device(program, sends ? other : id), what);
    ++channel.matched;
  }
  for (const Channel& channel : channels.list())
    if (!channel.empty())
      problems.add("channel d{} to d{}: {} has no other half, {} in all", channel.from.value,
                   channel.to.value, on_device(program, channel.waiting[channel.head]),
                   channel.waiting.size() - channel.head);
}

void Matching::match_all_reduces(const Program& program, Problems& problems) {
  std::vector<std::vector<InstructionId>> by_group(program.groups().size());
  for (std::size_t n = 0; n < program.size(); ++n) {
    const Instruction& i = program.instructions()[n];
    if (i.kind != InstructionKind::AllReduce) continue;
    if (i.group.valid())
      by_group[i.group.index()].push_back(make_id<InstructionId>(n));
    else
      problems.add("{} has no group", on_device(program, make_id<InstructionId>(n)));
  }
  for (std::size_t g = 0; g < by_group.size(); ++g)
    if (!by_group[g].empty()) match_group(program, make_id<GroupId>(g), by_group[g], problems);
}

void Matching::match_group(const Program& program, GroupId group,
                           const std::vector<InstructionId>& members, Problems& problems) {
  const std::vector<DeviceId>& devices = program.groups()[group.index()].devices;
  std::unordered_map<DeviceId, std::size_t> counts;  // all-reduces of each device so far
  for (const DeviceId device : devices) counts.emplace(device, 0);
  std::vector<InstructionId> leaders;  // of the group's first, second, ... all-reduce
  for (const InstructionId id : members) {
    const auto count = counts.find(program.at(id).device);
    if (count == counts.end()) {
      problems.add("{} is not in group {}", on_device(program, id), group.value);
      continue;
    }
    const std::size_t k = count->second++;
    if (k == leaders.size()) {
      leaders.push_back(id);
      continue;
    }
    join(leaders[k], id);
    const Instruction& first = program.at(leaders[k]);
    const Instruction& own = program.at(id);
    if (first.bytes != own.bytes || first.element_bytes != own.element_bytes ||
        first.stage != own.stage)
      problems.add("group {}, all-reduce {}: {} and {} differ", group.value, k,
                   on_device(program, leaders[k]), on_device(program, id));
  }
  for (const DeviceId device : devices)
    if (counts[device] != leaders.size())
      problems.add("group {}: {} all-reduces on d{}, {} in all", group.value, counts[device],
                   device.value, leaders.size());
}

}  // namespace pipegraph
