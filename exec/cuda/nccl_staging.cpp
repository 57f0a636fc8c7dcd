#include "exec/cuda/nccl_staging.h"

#include <algorithm>
#include <utility>

#include "exec/reduction_shares.h"

namespace pipegraph {

namespace {

Bytes staged(std::span<const Piece> pieces) {
  return pieces.size() > 1 ? total_bytes(pieces) : Bytes{};
}

class StagingCount {
 public:
  StagingCount(const StagedProgram& program, DeviceId device, const DevicePieces& pieces)
      : program_(program),
        device_(device),
        pieces_(pieces),
        most_(program.links.list().size()),
        of_phase_(most_.size()) {}

  std::vector<Bytes> count() {
    const Program& program = program_.program;
    for (std::size_t i = 0; i < program.size(); ++i) {
      const auto id = make_id<InstructionId>(i);
      const Instruction& instruction = program.at(id);
      if (instruction.device != device_) continue;
      if (is_transfer(instruction.kind)) add(program_.channels.of(id), pieces_.message(id));
      if (instruction.kind == InstructionKind::AllReduce) reduce(instruction, pieces_.sum(id));
      end_phase();
    }
    return most_;
  }

 private:
  void add(ChannelId channel, std::span<const Piece> pieces) {
    if (const auto link = program_.links.of(channel)) of_phase_[*link] += staged(pieces);
  }
  /// What an instruction has under way at a time goes together; of a link it is one instruction's.
  void end_phase() {
    for (std::size_t link = 0; link < most_.size(); ++link)
      most_[link] = std::max(most_[link], std::exchange(of_phase_[link], Bytes{}));
  }

  void reduce(const Instruction& instruction, const GradientSum& sum) {
    const Group& group = program_.program.groups()[instruction.group.index()];
    const auto link = program_.links.of(instruction.group);
    if (program_.sums == GroupSums::ByNccl && link && every_member_adds(group, sum)) {
      of_phase_[*link] += staged(sum.sum);
      return;
    }
    const std::uint64_t bytes = total_bytes(sum.sum).count;
    for (ByteRange segment; segment.last < bytes;) {
      segment = segment_at(segment.last, bytes);
      gather(instruction, sum, segment);
      end_phase();
      spread(instruction, sum, segment);
      end_phase();
    }
  }

  /// `act(device, share)` for the other members of the group.
  template <class Act>
  void for_others(const Instruction& instruction, ByteRange segment, const Act& act) const {
    const auto& devices = program_.program.groups()[instruction.group.index()].devices;
    for (std::size_t m = 0; m < devices.size(); ++m)
      if (devices[m] != device_) act(devices[m], share_of(segment, m, devices.size()));
  }
  ChannelId channel(DeviceId from, DeviceId to, const Instruction& all_reduce) const {
    return program_.channels.find({from, to, all_reduce.group});
  }

  /// What is received has a place of its own.
  void gather(const Instruction& instruction, const GradientSum& sum, ByteRange segment) {
    for (const Addend& addend : sum.addends)
      if (addend.device == device_)
        for_others(instruction, segment, [&](DeviceId to, ByteRange share) {
          add(channel(device_, to, instruction), slice_pieces(addend.pieces, share));
        });
  }

  void spread(const Instruction& instruction, const GradientSum& sum, ByteRange segment) {
    const auto& devices = program_.program.groups()[instruction.group.index()].devices;
    const auto self =
        static_cast<std::size_t>(std::ranges::find(devices, device_) - devices.begin());
    const auto own = slice_pieces(sum.sum, share_of(segment, self, devices.size()));
    for_others(instruction, segment, [&](DeviceId other, ByteRange share) {
      add(channel(device_, other, instruction), own);
      add(channel(other, device_, instruction), slice_pieces(sum.sum, share));
    });
  }

  StagedProgram program_;
  DeviceId device_;
  const DevicePieces& pieces_;
  std::vector<Bytes> most_, of_phase_;  ///< by link
};

}  // namespace

std::vector<Bytes> staged_bytes(const StagedProgram& program, DeviceId device,
                                const DevicePieces& pieces) {
  return StagingCount(program, device, pieces).count();
}

Bytes warm_up_bytes(const NcclLink& link) { return Bytes{2 * sizeof(float) * link.members.size()}; }

}  // namespace pipegraph
