#include "core/run/counterparts.h"

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "core/base/errors.h"
#include "core/program/text.h"

namespace pipegraph {
namespace {

/// Halves of one channel that have not met their counterpart; all are sends, or all are recvs.
using Unmatched = std::deque<InstructionId>;

/// The channel of each half. Consecutive halves of a lane mostly belong to one channel.
class Channels {
 public:
  explicit Channels(const Program& program) : last_(program.lanes().size()) {}

  Unmatched& of(const Instruction& half) {
    Last& last = last_[half.lane.index()];
    if (last.unmatched == nullptr || last.peer != half.peer || last.kind != half.kind)
      last = {half.peer, half.kind, &unmatched_[key(half)]};
    return *last.unmatched;
  }

 private:
  struct Last {
    DeviceId peer;
    InstructionKind kind = InstructionKind::Send;
    Unmatched* unmatched = nullptr;
  };

  static std::uint64_t key(const Instruction& half) {
    const bool sends = half.kind == InstructionKind::Send;
    const DeviceId from = sends ? half.device : half.peer;
    const DeviceId to = sends ? half.peer : half.device;
    return (static_cast<std::uint64_t>(from.value) << 32) | static_cast<std::uint32_t>(to.value);
  }

  std::unordered_map<std::uint64_t, Unmatched> unmatched_;  // only looked up; references stay valid
  std::vector<Last> last_;                                  // by lane
};

void check_equal(const Program& program, InstructionId a, InstructionId b) {
  const Instruction& first = program.at(a);
  const Instruction& second = program.at(b);
  if (first.bytes == second.bytes && first.element_bytes == second.element_bytes) return;
  throw InternalError(fmt::format(
      "instructions {} ({}, d{}) and {} ({}, d{}) match by order but differ in bytes or element "
      "type: {} of {} and {} of {}",
      a.value, to_text(first), first.device.value, b.value, to_text(second), second.device.value,
      first.bytes.count, first.element_bytes, second.bytes.count, second.element_bytes));
}

/// The half that `id` meets on its channel; invalid, and `id` waits there, if it is the first.
InstructionId meet(Unmatched& waiting, const Program& program, InstructionId id) {
  if (waiting.empty() || program.at(waiting.front()).kind == program.at(id).kind) {
    waiting.push_back(id);
    return {};
  }
  const InstructionId other = waiting.front();
  waiting.pop_front();
  check_equal(program, other, id);
  return other;
}

std::size_t place_in(const Group& group, DeviceId device) {
  const auto found = std::ranges::find(group.devices, device);
  check(found != group.devices.end(), "an all-reduce's device is a member of its group");
  return static_cast<std::size_t>(found - group.devices.begin());
}

/// Place of each device in a group; found once per lane, since groups may be large.
class Places {
 public:
  explicit Places(const Program& program) : program_(program) {}

  std::size_t of(const Instruction& instruction) {
    const auto key = (static_cast<std::uint64_t>(instruction.group.value) << 32) |
                     static_cast<std::uint32_t>(instruction.device.value);
    const auto [place, added] = places_.try_emplace(key, 0);
    if (added)
      place->second = place_in(program_.groups()[instruction.group.index()], instruction.device);
    return place->second;
  }

 private:
  const Program& program_;
  std::unordered_map<std::uint64_t, std::size_t> places_;  // only looked up
};

}  // namespace

Counterparts::Counterparts(const Program& program) : match_(program.size(), -1) {
  std::vector<InstructionId> members;
  Channels channels(program);
  for (std::size_t i = 0; i < program.size(); ++i) {
    const Instruction& instruction = program.instructions()[i];
    const auto id = make_id<InstructionId>(i);
    if (is_transfer(instruction.kind)) {
      if (const InstructionId other = meet(channels.of(instruction), program, id); other.valid()) {
        match_[i] = other.value;
        match_[other.index()] = id.value;
      }
    } else if (instruction.kind == InstructionKind::AllReduce) {
      members.push_back(id);
    }
  }
  match_collectives(program, members);
}

void Counterparts::match_collectives(const Program& program,
                                     std::span<const InstructionId> all_members) {
  // The n-th all-reduce of a member belongs to the group's n-th collective.
  std::vector<std::vector<std::size_t>> of_group(program.groups().size());
  std::vector<std::vector<std::uint32_t>> seen(program.groups().size());
  Places places(program);
  for (InstructionId id : all_members) {
    const Instruction& member = program.at(id);
    const std::size_t group = member.group.index();
    const std::size_t size = program.groups()[group].devices.size();
    if (seen[group].empty()) seen[group].assign(size, 0);
    const std::size_t place = places.of(member);
    const std::size_t turn = seen[group][place]++;
    if (turn == of_group[group].size()) {
      of_group[group].push_back(collectives());
      members_.resize(members_.size() + size);
      member_begin_.push_back(members_.size());
    }
    const std::size_t collective = of_group[group][turn];
    match_[id.index()] = static_cast<std::int32_t>(collective);
    for (InstructionId other : members(collective)) {
      if (!other.valid()) continue;
      check_equal(program, other, id);
      break;
    }
    members_[member_begin_[collective] + place] = id;
  }
}

}  // namespace pipegraph
