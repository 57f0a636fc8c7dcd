// What each device does: instructions with explicit dependencies, stored flat (6.3 M of them for
// a 1 024-stage chain with 1 024 micro-batches). The id of an instruction is its place in the
// global sequence, of which each device's list is a projection; the lowering puts each recv right
// after its send and the members of an all-reduce side by side.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.h"
#include "core/base/units.h"
#include "core/stage/micro_batch.h"

namespace pipegraph {

enum class InstructionKind : std::uint8_t {
  Forward,
  Backward,
  BackwardInput,
  BackwardWeight,
  Send,
  Recv,
  AllReduce,
  Optimizer,
};
inline constexpr std::size_t k_instruction_kinds = 8;
/// "forward", "backward", "backward_input", "backward_weight", "send", "recv", "all_reduce",
/// "optimizer".
std::string_view to_text(InstructionKind kind);

constexpr bool is_pass(InstructionKind kind) { return kind <= InstructionKind::BackwardWeight; }
/// Runs on the compute lane and has a duration of its own.
constexpr bool is_compute(InstructionKind kind) {
  return is_pass(kind) || kind == InstructionKind::Optimizer;
}
constexpr bool is_transfer(InstructionKind kind) {
  return kind == InstructionKind::Send || kind == InstructionKind::Recv;
}

struct Instruction {
  InstructionKind kind = InstructionKind::Forward;
  bool gradients = false;          ///< send, recv: gradients against the edge, else activations
  std::uint8_t element_bytes = 4;  ///< send, recv, all-reduce: size of an element
  DeviceId device;
  LaneId lane;
  StageId stage;       ///< pass, optimizer: its own; send, recv: the producing one; all-reduce: the
                       ///< reduced one, -1 for tied parameters
  DeviceId peer;       ///< send: to; recv: from
  MicroBatch samples;  ///< pass: the replica's share; send, recv: the samples carried
  PayloadId payload;   ///< send, recv; -1: carries nothing (only orders)
  GroupId group;       ///< all-reduce
  Bytes bytes;         ///< send, recv: of the message; all-reduce: of the vector; 0 for computes
  /// Computes: planned time. All-reduces: a measured time that replaces that of their steps; 0:
  /// none was. 0 otherwise.
  Seconds duration{0};
  bool operator==(const Instruction&) const = default;
};

/// One tensor of a message: the samples [first, last) of it, relative to the message's first.
struct PayloadPart {
  OperatorId tensor;  ///< its producer; a gradient message carries the gradient of that tensor
  MicroBatch samples;
  auto operator<=>(const PayloadPart&) const = default;
};
using Payload = std::vector<PayloadPart>;

/// Devices that reduce together, in replica order; collectives of a group match by order.
struct Group {
  std::vector<DeviceId> devices;
  bool operator==(const Group&) const = default;
};

enum class LaneKind : std::uint8_t { Compute, Send, Recv, Collective };

/// An ordered queue on a device. A device without overlap has a single one, of kind Compute.
struct Lane {
  DeviceId device;
  LaneKind kind = LaneKind::Compute;
  DeviceId peer;  ///< Send: to; Recv: from
  GroupId group;  ///< Collective
  auto operator<=>(const Lane&) const = default;
};
/// "compute", "to d3", "from d2", "group 1".
std::string to_text(const Lane& lane);

/// Built once by ProgramBuilder, then read-only.
class Program {
 public:
  std::size_t size() const { return instructions_.size(); }
  const Instruction& at(InstructionId id) const { return instructions_[id.index()]; }
  const std::vector<Instruction>& instructions() const { return instructions_; }
  /// Instructions of the same device that must have completed before `id` starts; ascending. The
  /// order of its lane comes on top.
  std::span<const InstructionId> waits_on(InstructionId id) const {
    return std::span(waits_).subspan(wait_begin_[id.index()],
                                     wait_begin_[id.index() + 1] - wait_begin_[id.index()]);
  }
  const std::vector<Lane>& lanes() const { return lanes_; }
  const std::vector<Group>& groups() const { return groups_; }
  const std::vector<Payload>& payloads() const { return payloads_; }
  const std::vector<std::string>& stage_names() const { return stage_names_; }
  /// Devices are 0 .. device_count() - 1 of the cluster; some may have no instruction.
  std::size_t device_count() const { return device_count_; }
  bool operator==(const Program&) const = default;
  /// The same program with other times, by instruction id.
  Program with_durations(std::span<const Seconds> durations) const;

 private:
  friend class ProgramBuilder;
  std::vector<Instruction> instructions_;
  std::vector<std::uint32_t> wait_begin_{0};
  std::vector<InstructionId> waits_;
  std::vector<Lane> lanes_;
  std::vector<Group> groups_;
  std::vector<Payload> payloads_;
  std::vector<std::string> stage_names_;
  std::size_t device_count_ = 0;
};

/// Appends instructions in global sequence.
class ProgramBuilder {
 public:
  ProgramBuilder(std::size_t device_count, std::vector<std::string> stage_names);
  ~ProgramBuilder();
  ProgramBuilder(ProgramBuilder&&) noexcept;
  ProgramBuilder& operator=(ProgramBuilder&&) noexcept;

  LaneId lane(const Lane& lane);              ///< existing or new
  GroupId group(const Group& group);          ///< existing or new
  PayloadId payload(const Payload& payload);  ///< existing or new
  void reserve(std::size_t instructions, std::size_t waits);
  /// `waits_on`: earlier or later instructions of the same device; sorted and deduplicated here.
  InstructionId add(const Instruction& instruction, std::span<const InstructionId> waits_on);
  /// One more instruction that `id` waits on, which need not have been added yet.
  void add_wait(InstructionId id, InstructionId waits_on);
  /// Instructions so far, i.e. the id of the next one.
  std::size_t size() const { return program_.size(); }
  /// Lanes are numbered by first use, those without instructions dropped. Errors: InternalError if
  /// a wait, lane, group, payload, stage or device is not in its table.
  Program build() &&;

 private:
  struct Tables;  ///< hash maps from lane, group and payload to their ids
  void check_tables() const;
  void merge_later_waits();
  void number_lanes_by_first_use();

  struct LaterWait {
    InstructionId id, waits_on;
  };
  Program program_;
  std::unique_ptr<Tables> tables_;
  std::vector<LaterWait> later_waits_;
};

}  // namespace pipegraph
