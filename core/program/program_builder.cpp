// Builds a program: interns lanes, groups and payloads, and keeps the waits flat.
#include <algorithm>
#include <limits>
#include <unordered_map>

#include "core/base/errors.h"
#include "core/program/program.h"

namespace pipegraph {

namespace {

/// Mixes one more number into a hash.
std::size_t mix(std::size_t seed, std::int64_t value) {
  const auto spread = static_cast<std::size_t>(value) * 0x9e3779b97f4a7c15ULL;
  return (seed ^ (spread >> 29)) * 0xbf58476d1ce4e5b9ULL + spread;
}

struct HashLane {
  std::size_t operator()(const Lane& lane) const {
    return mix(mix(mix(mix(0, lane.device.value), static_cast<int>(lane.kind)), lane.peer.value),
               lane.group.value);
  }
};

struct HashGroup {
  std::size_t operator()(const Group& group) const {
    std::size_t hash = 0;
    for (const DeviceId device : group.devices) hash = mix(hash, device.value);
    return hash;
  }
};

struct HashPayload {
  std::size_t operator()(const Payload& payload) const {
    std::size_t hash = 0;
    for (const PayloadPart& part : payload)
      hash = mix(mix(mix(hash, part.tensor.value), part.samples.first), part.samples.last);
    return hash;
  }
};

/// Position of `value` in `table`, where it is appended if it is new.
template <class IdType, class Value, class Map>
IdType intern(const Value& value, std::vector<Value>& table, Map& ids) {
  const auto [entry, added] = ids.try_emplace(value, make_id<IdType>(table.size()));
  if (added) table.push_back(value);
  return entry->second;
}

constexpr std::size_t k_most_instructions = std::numeric_limits<std::int32_t>::max();

/// -1 or a position in a table of `size`.
template <class IdType>
bool none_or_within(IdType id, std::size_t size) {
  return id.value == -1 || (id.valid() && id.index() < size);
}

}  // namespace

struct ProgramBuilder::Tables {
  std::unordered_map<Lane, LaneId, HashLane> lanes;
  std::unordered_map<Group, GroupId, HashGroup> groups;
  std::unordered_map<Payload, PayloadId, HashPayload> payloads;
};

ProgramBuilder::ProgramBuilder(std::size_t device_count, std::vector<std::string> stage_names)
    : tables_(std::make_unique<Tables>()) {
  program_.device_count_ = device_count;
  program_.stage_names_ = std::move(stage_names);
}

ProgramBuilder::~ProgramBuilder() = default;
ProgramBuilder::ProgramBuilder(ProgramBuilder&&) noexcept = default;
ProgramBuilder& ProgramBuilder::operator=(ProgramBuilder&&) noexcept = default;

LaneId ProgramBuilder::lane(const Lane& lane) {
  return intern<LaneId>(lane, program_.lanes_, tables_->lanes);
}

GroupId ProgramBuilder::group(const Group& group) {
  return intern<GroupId>(group, program_.groups_, tables_->groups);
}

PayloadId ProgramBuilder::payload(const Payload& payload) {
  return intern<PayloadId>(payload, program_.payloads_, tables_->payloads);
}

void ProgramBuilder::reserve(std::size_t instructions, std::size_t waits) {
  program_.instructions_.reserve(instructions);
  program_.wait_begin_.reserve(instructions + 1);
  program_.waits_.reserve(waits);
}

InstructionId ProgramBuilder::add(const Instruction& instruction,
                                  std::span<const InstructionId> waits_on) {
  check(size() < k_most_instructions, "instructions are counted by 31 bits");
  const auto id = make_id<InstructionId>(program_.instructions_.size());
  program_.instructions_.push_back(instruction);
  std::vector<InstructionId>& waits = program_.waits_;
  const auto begin = static_cast<std::ptrdiff_t>(waits.size());
  waits.insert(waits.end(), waits_on.begin(), waits_on.end());
  if (waits_on.size() > 1) {
    std::sort(waits.begin() + begin, waits.end());
    waits.erase(std::unique(waits.begin() + begin, waits.end()), waits.end());
  }
  program_.wait_begin_.push_back(static_cast<std::uint32_t>(waits.size()));
  return id;
}

void ProgramBuilder::add_wait(InstructionId id, InstructionId waits_on) {
  check(id.valid() && id.index() < size(), "a wait is added to an instruction that exists");
  later_waits_.push_back({id, waits_on});
}

Program ProgramBuilder::build() && {
  merge_later_waits();
  check_tables();
  number_lanes_by_first_use();
  return std::move(program_);
}

void ProgramBuilder::merge_later_waits() {
  if (later_waits_.empty()) return;
  std::stable_sort(later_waits_.begin(), later_waits_.end(),
                   [](const LaterWait& a, const LaterWait& b) { return a.id < b.id; });
  Program merged;
  merged.waits_.reserve(program_.waits_.size() + later_waits_.size());
  merged.wait_begin_.reserve(size() + 1);
  auto later = later_waits_.begin();
  for (std::size_t i = 0; i < size(); ++i) {
    const auto id = make_id<InstructionId>(i);
    const auto begin = static_cast<std::ptrdiff_t>(merged.waits_.size());
    const auto known = program_.waits_on(id);
    merged.waits_.insert(merged.waits_.end(), known.begin(), known.end());
    for (; later != later_waits_.end() && later->id == id; ++later)
      merged.waits_.push_back(later->waits_on);
    std::sort(merged.waits_.begin() + begin, merged.waits_.end());
    merged.waits_.erase(std::unique(merged.waits_.begin() + begin, merged.waits_.end()),
                        merged.waits_.end());
    merged.wait_begin_.push_back(static_cast<std::uint32_t>(merged.waits_.size()));
  }
  program_.waits_ = std::move(merged.waits_);
  program_.wait_begin_ = std::move(merged.wait_begin_);
}

void ProgramBuilder::check_tables() const {
  for (const Instruction& i : program_.instructions_) {
    check(i.device.valid() && i.device.index() < program_.device_count_, "a device of the cluster");
    check(i.lane.valid() && i.lane.index() < program_.lanes_.size(), "a lane of the program");
    check(none_or_within(i.stage, program_.stage_names_.size()), "a stage of the program");
    check(none_or_within(i.peer, program_.device_count_), "a peer of the cluster");
    check(none_or_within(i.payload, program_.payloads_.size()), "a payload of the program");
    check(none_or_within(i.group, program_.groups_.size()), "a group of the program");
  }
  for (const InstructionId id : program_.waits_)
    check(id.valid() && id.index() < size(), "an instruction of the program is waited for");
}

void ProgramBuilder::number_lanes_by_first_use() {
  std::vector<LaneId> renumbered(program_.lanes_.size());
  std::vector<Lane> lanes;
  for (Instruction& i : program_.instructions_) {
    LaneId& id = renumbered[i.lane.index()];
    if (!id.valid()) {
      id = make_id<LaneId>(lanes.size());
      lanes.push_back(program_.lanes_[i.lane.index()]);
    }
    i.lane = id;
  }
  program_.lanes_ = std::move(lanes);
}

}  // namespace pipegraph
