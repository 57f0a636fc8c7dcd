#include "exec/cuda/step_issuer.h"

#include <algorithm>

#include "core/base/errors.h"
#include "exec/cuda/gpus.h"
#include "exec/transport/copy_pieces.h"

namespace pipegraph {

namespace {

/// Where both lie on one GPU that is said, so that a mistake shows.
void copy(cudaStream_t stream, std::span<const Piece> from, std::span<const Piece> to,
          cudaMemcpyKind kind = cudaMemcpyDeviceToDevice) {
  for_each_stretch(from, to, [&](std::byte* into, const std::byte* out_of, std::uint64_t count) {
    PIPEGRAPH_CUDA(cudaMemcpyAsync(into, out_of, count, kind, stream));
  });
}

// CUDA captures this between GPUs, too, but no cudaMemcpyPeerAsync.
auto between(int gpu, int other) {
  return gpu == other ? cudaMemcpyDeviceToDevice : cudaMemcpyDefault;
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
      track_of_(program.size()),
      before_(program.size()) {
  find_tracks();
  std::vector<InstructionId> last_on(program.lanes().size());
  std::vector<Bytes> largest(program.groups().size());
  for (std::size_t i = 0; i < program.size(); ++i) {
    const auto id = make_id<InstructionId>(i);
    const Instruction& instruction = program.at(id);
    before_[i] = std::exchange(last_on[instruction.lane.index()], id);
    const OnGpu here(tracks_[track_of_[i]].gpu);
    ended_.push_back(make_event());
    if (instruction.kind != InstructionKind::AllReduce) continue;
    Bytes& bytes = largest[instruction.group.index()];
    bytes = std::max(bytes, total_bytes(engine(id).reduced(id).sum));
  }
  for (std::size_t group = 0; group < sums_.size(); ++group) {
    const std::vector<DeviceId>& members = program.groups()[group].devices;
    // Of one member: it says whose memory it is, should there be too little.
    CudaEngine& first = engine(members.front());
    Summing& summing = sums_[group];
    summing.total = first.allocate(largest[group]);
    summing.of_use = first.allocate(largest[group]);
    if (std::ranges::any_of(members, [&](DeviceId d) { return engine(d).gpu() != first.gpu(); }))
      summing.brought = first.allocate(largest[group]);
  }
}

std::size_t StepIssuer::add_track(cudaStream_t stream, int gpu) {
  const OnGpu here(gpu);
  tracks_.push_back({stream, gpu, make_event()});
  return tracks_.size() - 1;
}

std::size_t StepIssuer::add_track(int gpu) {
  const OnGpu here(gpu);
  return add_track(own_.emplace_back(make_stream()).get(), gpu);
}

/// Messages go onto a stream of the receiver's GPU for each pair, sums onto one for each group.
void StepIssuer::find_tracks() {
  for (const CudaEngine* const engine : engines_) add_track(engine->stream(), engine->gpu());
  for (const Group& group : program_.groups())
    sums_.push_back({.track = add_track(engine(group.devices.front()).gpu())});
  std::map<std::pair<DeviceId, DeviceId>, std::size_t> copies;  // by sender and receiver
  for (std::size_t i = 0; i < program_.size(); ++i) {
    const auto id = make_id<InstructionId>(i);
    const Instruction& instruction = program_.at(id);
    if (is_compute(instruction.kind)) {
      track_of_[i] = instruction.device.index();
    } else if (is_transfer(instruction.kind)) {
      const bool sends = instruction.kind == InstructionKind::Send;
      const DeviceId from = sends ? instruction.device : instruction.peer;
      const DeviceId to = sends ? instruction.peer : instruction.device;
      const auto found = copies.find({from, to});
      track_of_[i] =
          found != copies.end()
              ? found->second
              : copies.emplace(std::pair(from, to), add_track(engine(to).gpu())).first->second;
    } else {
      track_of_[i] = sums_[instruction.group.index()].track;
    }
  }
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
  for (Track& track : tracks_) track.in_use = false;
  PIPEGRAPH_CUDA(cudaEventRecord(begun_.get(), root));
}

void StepIssuer::end(cudaStream_t root) {
  for (const Track& track : tracks_) {
    if (!track.in_use) continue;
    PIPEGRAPH_CUDA(cudaEventRecord(track.last.get(), track.stream));
    PIPEGRAPH_CUDA(cudaStreamWaitEvent(root, track.last.get(), 0));
  }
}

cudaStream_t StepIssuer::use(std::size_t number) {
  Track& track = tracks_[number];
  if (!std::exchange(track.in_use, true))
    PIPEGRAPH_CUDA(cudaStreamWaitEvent(track.stream, begun_.get(), 0));
  return track.stream;
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
  const cudaStream_t stream = use(track_of_[id.index()]);
  wait_for(id, stream);
  const OnGpu here(engine(id).gpu());
  engine(id).issue(id);
  done(id, stream);
}

void StepIssuer::transfer(InstructionId send, InstructionId recv) {
  const cudaStream_t stream = use(track_of_[recv.index()]);
  wait_for(send, stream);
  wait_for(recv, stream);
  const auto from = engine(send).pieces(send);
  const auto to = engine(recv).pieces(recv);
  if (!from.empty() && !to.empty())
    copy(stream, from, to, between(engine(send).gpu(), engine(recv).gpu()));
  done(send, stream);
  done(recv, stream);
}

void StepIssuer::all_reduce(std::span<const InstructionId> members) {
  const Summing& summing = sums_[program_.at(members.front()).group.index()];
  const cudaStream_t stream = use(summing.track);
  for (const InstructionId member : members) wait_for(member, stream);
  const OnGpu here(tracks_[summing.track].gpu);
  add_up(members, summing);
  for (const InstructionId member : members) done(member, stream);
}

const Addend& StepIssuer::addend_of(std::span<const InstructionId> members, std::size_t addend) {
  for (const InstructionId member : members) {
    const Addend& seen = engine(member).reduced(member).addends[addend];
    if (seen.device == program_.at(member).device) return seen;
  }
  throw InternalError("an addend lies on a member of the group");
}

/// In the order of every transport: addends of a use, then the uses.
void StepIssuer::add_up(std::span<const InstructionId> members, const Summing& summing) {
  const int here = tracks_[summing.track].gpu;
  const GradientSum sum = engine(members.front()).reduced(members.front());
  const Bytes bytes = total_bytes(sum.sum);
  const Piece total{summing.total.data, bytes};
  const Piece of_use{summing.of_use.data, bytes};
  const Piece brought{summing.brought.data, bytes};
  const cudaStream_t stream = tracks_[summing.track].stream;
  for (std::size_t a = 0; a < sum.addends.size();) {
    const std::int32_t use = sum.addends[a].use;
    const Piece& into = a == 0 ? total : of_use;
    const Addend& first = addend_of(members, a);
    copy(stream, first.pieces, {&into, 1}, between(engine(first.device).gpu(), here));
    for (++a; a < sum.addends.size() && sum.addends[a].use == use; ++a) {
      const Addend& next = addend_of(members, a);
      const bool elsewhere = engine(next.device).gpu() != here;
      if (elsewhere) copy(stream, next.pieces, {&brought, 1}, cudaMemcpyDefault);
      add(stream, elsewhere ? std::span<const Piece>(&brought, 1) : next.pieces, into);
    }
    if (&into != &total) add(stream, {&into, 1}, total);
  }
  for (const InstructionId member : members)
    copy(stream, {&total, 1}, engine(member).reduced(member).sum,
         between(engine(member).gpu(), here));
}

}  // namespace pipegraph
