#include "exec/cuda/step_issuer.h"

#include <algorithm>

#include "core/base/errors.h"
#include "exec/transport/copy_pieces.h"

namespace pipegraph {

namespace {

void copy(cudaStream_t stream, std::span<const Piece> from, std::span<const Piece> to) {
  for_each_stretch(from, to, [&](std::byte* into, const std::byte* out_of, std::uint64_t count) {
    PIPEGRAPH_CUDA(cudaMemcpyAsync(into, out_of, count, cudaMemcpyDeviceToDevice, stream));
  });
}

void add(cudaStream_t stream, std::span<const Piece> from, const Piece& to) {
  for_each_stretch(
      from, {&to, 1}, [&](std::byte* into, const std::byte* out_of, std::uint64_t count) {
        add_floats(stream, {reinterpret_cast<const float*>(out_of), reinterpret_cast<float*>(into),
                            static_cast<std::int64_t>(count / sizeof(float))});
      });
}

}  // namespace

StepIssuer::StepIssuer(const Program& program, std::vector<CudaEngine*> engines)
    : program_(program),
      engines_(std::move(engines)),
      counterparts_(program),
      sums_(program.groups().size()),
      before_(program.size()) {
  std::vector<InstructionId> last_on(program.lanes().size());
  std::vector<Bytes> largest(program.groups().size());
  for (std::size_t i = 0; i < program.size(); ++i) {
    const auto id = make_id<InstructionId>(i);
    const Instruction& instruction = program.at(id);
    before_[i] = std::exchange(last_on[instruction.lane.index()], id);
    ended_.push_back(make_event());
    if (instruction.kind == InstructionKind::Recv)
      copies_.try_emplace({instruction.peer, instruction.device}, make_stream());
    if (instruction.kind != InstructionKind::AllReduce) continue;
    Bytes& bytes = largest[instruction.group.index()];
    bytes = std::max(bytes, total_bytes(engine(id).reduced(id).sum));
  }
  for (std::size_t group = 0; group < sums_.size(); ++group) {
    // Of one member: it says whose memory it is, should there be too little.
    CudaEngine& first = *engines_[program.groups()[group].devices.front().index()];
    sums_[group] = {make_stream(), first.allocate(largest[group]), first.allocate(largest[group])};
  }
  const std::size_t streams = engines_.size() + copies_.size() + sums_.size();
  for (std::size_t i = 0; i < streams; ++i) last_.push_back(make_event());
}

void StepIssuer::issue(cudaStream_t root) {
  begin(root);
  for (std::size_t i = 0; i < program_.size(); ++i) {
    const auto id = make_id<InstructionId>(i);
    const InstructionKind kind = program_.at(id).kind;
    if (is_compute(kind)) {
      compute(id);
    } else if (is_transfer(kind)) {
      const InstructionId other = counterparts_.partner(id);
      if (other > id) continue;  // both halves at the second
      kind == InstructionKind::Recv ? transfer(other, id) : transfer(id, other);
    } else {
      const auto members = counterparts_.members(counterparts_.collective(id));
      if (id == *std::ranges::max_element(members)) all_reduce(members);
    }
  }
  end(root);
}

void StepIssuer::begin(cudaStream_t root) {
  issued_.assign(program_.size(), 0);
  used_.clear();
  PIPEGRAPH_CUDA(cudaEventRecord(begun_.get(), root));
}

void StepIssuer::end(cudaStream_t root) {
  std::size_t n = 0;
  for (const cudaStream_t stream : used_) {
    const CudaEvent& last = last_[n++];
    PIPEGRAPH_CUDA(cudaEventRecord(last.get(), stream));
    PIPEGRAPH_CUDA(cudaStreamWaitEvent(root, last.get(), 0));
  }
}

cudaStream_t StepIssuer::use(cudaStream_t stream) {
  if (used_.insert(stream).second) PIPEGRAPH_CUDA(cudaStreamWaitEvent(stream, begun_.get(), 0));
  return stream;
}

void StepIssuer::wait_for(InstructionId id, cudaStream_t stream) {
  const auto wait = [&](InstructionId other) {
    check(issued_[other.index()] != 0, "what is waited for stands before in the sequence");
    // Computes of a device are on one stream.
    const bool in_order = is_compute(program_.at(id).kind) && is_compute(program_.at(other).kind);
    if (!in_order) PIPEGRAPH_CUDA(cudaStreamWaitEvent(stream, ended_[other.index()].get(), 0));
  };
  for (const InstructionId other : program_.waits_on(id)) wait(other);
  if (before_[id.index()].valid()) wait(before_[id.index()]);
}

void StepIssuer::done(InstructionId id, cudaStream_t stream) {
  issued_[id.index()] = 1;
  PIPEGRAPH_CUDA(cudaEventRecord(ended_[id.index()].get(), stream));
}

void StepIssuer::compute(InstructionId id) {
  const cudaStream_t stream = use(engine(id).stream());
  wait_for(id, stream);
  engine(id).issue(id);
  done(id, stream);
}

void StepIssuer::transfer(InstructionId send, InstructionId recv) {
  const Instruction& end = program_.at(recv);
  const cudaStream_t stream = use(copies_.at({end.peer, end.device}).get());
  wait_for(send, stream);
  wait_for(recv, stream);
  const auto from = engine(send).pieces(send);
  const auto to = engine(recv).pieces(recv);
  if (!from.empty() && !to.empty()) copy(stream, from, to);
  done(send, stream);
  done(recv, stream);
}

void StepIssuer::all_reduce(std::span<const InstructionId> members) {
  const Summing& summing = sums_[program_.at(members.front()).group.index()];
  const cudaStream_t stream = use(summing.stream.get());
  for (const InstructionId member : members) wait_for(member, stream);
  add_up(members, summing);
  for (const InstructionId member : members) done(member, stream);
}

std::span<const Piece> StepIssuer::pieces_of(std::span<const InstructionId> members,
                                             std::size_t addend) {
  for (const InstructionId member : members) {
    const Addend& seen = engine(member).reduced(member).addends[addend];
    if (seen.device == program_.at(member).device) return seen.pieces;
  }
  throw InternalError("an addend lies on a member of the group");
}

/// In the order of every transport: addends of a use, then the uses.
void StepIssuer::add_up(std::span<const InstructionId> members, const Summing& summing) {
  const GradientSum sum = engine(members.front()).reduced(members.front());
  const Bytes bytes = total_bytes(sum.sum);
  const Piece total{summing.total.data, bytes};
  const Piece of_use{summing.of_use.data, bytes};
  const cudaStream_t stream = summing.stream.get();
  for (std::size_t a = 0; a < sum.addends.size();) {
    const std::int32_t use = sum.addends[a].use;
    const Piece& into = a == 0 ? total : of_use;
    copy(stream, pieces_of(members, a), {&into, 1});
    for (++a; a < sum.addends.size() && sum.addends[a].use == use; ++a)
      add(stream, pieces_of(members, a), into);
    if (&into != &total) add(stream, {&into, 1}, total);
  }
  for (const InstructionId member : members)
    copy(stream, {&total, 1}, engine(member).reduced(member).sum);
}

}  // namespace pipegraph
