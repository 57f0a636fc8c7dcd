#include "exec/cuda/nccl_device.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>
#include <utility>

#include "core/base/errors.h"
#include "exec/transport/copy_pieces.h"
#include "exec/waiter.h"

namespace pipegraph {

namespace {

constexpr std::uint32_t k_looks_per_error = 64;
constexpr int k_looks_at_once = 1000;
constexpr std::chrono::microseconds k_between_looks{50};

/// Copies in the order of a stream, within a GPU.
void copy_on(cudaStream_t stream, std::span<const Piece> from, std::span<const Piece> to) {
  for_each_stretch(
      from, to, [stream](std::byte* into, const std::byte* out_of, std::uint64_t count) {
        PIPEGRAPH_CUDA(cudaMemcpyAsync(into, out_of, count, cudaMemcpyDeviceToDevice, stream));
      });
}

}  // namespace

std::byte* NcclDevice::Staging::take(Bytes bytes) {
  check(used_ + bytes <= size_, "what is staged was counted");
  std::byte* const place = base_ + used_.count;
  used_ += bytes;
  return place;
}

template <class Done>
void NcclDevice::wait_for_others(const Port& port, const char* what, const Done& done) const {
  const SteadyTime begin = std::chrono::steady_clock::now();
  for (int looks = 0; !done(); ++looks) {
    if (shared_.failure.happened()) throw Abandoned{};
    if (std::chrono::steady_clock::now() - begin > shared_.deadline)
      throw NcclError(fmt::format("the communicator {}: {} has not come about for {} s",
                                  port.comm->name(), what, shared_.deadline.count()),
                      ncclInProgress);
    if (looks > k_looks_at_once) std::this_thread::sleep_for(k_between_looks);
  }
}

NcclDevice::NcclDevice(const Shared& shared, DeviceId self, Own own)
    : shared_(shared), self_(self), own_(std::move(own)), ports_(shared.links.list().size()) {
  try {
    join_all();
  } catch (...) {
    close();
    throw;
  }
}

NcclDevice::~NcclDevice() { close(); }

/// Communicators are aborted, all of them, before anything waits for a stream or gives back memory.
void NcclDevice::close() noexcept {
  for (Port& port : ports_) port.comm.reset();
  for (const Port& port : ports_) wait_for_end(port.stream);
}

void NcclDevice::join_all() {
  for (std::size_t link = 0; link < ports_.size(); ++link)
    if (const auto rank = shared_.links.list()[link].rank_of(self_)) {
      join(link, *rank);
      warm_up(link, *rank);
    }
}

std::byte* NcclDevice::allocate(Bytes bytes) {
  if (own_.memory != nullptr) return own_.memory->allocate(bytes);
  return blocks_.emplace_back(allocate_on_device(bytes)).get();
}

void NcclDevice::join(std::size_t link, int rank) {
  Port& port = at(link);
  const NcclLink& of = shared_.links.list()[link];
  port.stream = make_stream();
  port.staging = Staging(allocate(own_.staged[link]), own_.staged[link]);
  port.comm = std::make_unique<NcclCommunicator>(
      shared_.ids[link],
      NcclCommunicator::Place{of.name, static_cast<int>(of.members.size()), rank});
  settle(port);
}

/// NCCL connects a pair when it is used first, which takes both hosts. Each message has a place of
/// its own, for all of them are under way at once.
void NcclDevice::warm_up(std::size_t link, int rank) {
  Port& port = at(link);
  const NcclLink& of = shared_.links.list()[link];
  const std::vector<DeviceId>& members = of.members;
  constexpr Bytes k_message{sizeof(float)};
  std::vector<Piece> places;
  for (std::size_t i = 0; i < 2 * members.size(); ++i)
    places.push_back({port.staging.take(k_message), k_message});
  PIPEGRAPH_CUDA(
      cudaMemsetAsync(places.front().data, 0, k_message.count * places.size(), port.stream.get()));
  std::vector<Part> parts;
  for (std::size_t m = 0; m < members.size(); ++m) {
    if (static_cast<int>(m) == rank) continue;
    if (!of.one_way || rank == 0)
      parts.push_back({Half::Send, members[m], std::span(&places[2 * m], 1)});
    if (!of.one_way || rank == 1)
      parts.push_back({Half::Recv, members[m], std::span(&places[2 * m + 1], 1)});
  }
  exchange(link, parts);
  wait_for_others(port, "the first message", [&] { return ended(link); });
}

int NcclDevice::rank_in(std::size_t link, DeviceId device) const {
  const auto rank = shared_.links.list()[link].rank_of(device);
  check(rank.has_value(), "a peer is a member of the communicator");
  return *rank;
}

void NcclDevice::settle(const Port& port) const {
  wait_for_others(port, "the other members' part", [&] { return port.comm->settled(); });
}

void NcclDevice::begin(Port& port) {
  own_.sums.publish();
  own_.sums.make_wait(port.stream.get());
  port.staging.begin_launch();
}

void NcclDevice::end(Port& port) {
  settle(port);
  port.under_way.push_back(events_.record(port.stream.get()));
}

void NcclDevice::exchange(std::size_t link, std::span<const Part> parts) {
  Port& port = at(link);
  cudaStream_t const stream = port.stream.get();
  begin(port);
  std::vector<Piece> wholes;
  for (const Part& part : parts) {
    const Bytes bytes = total_bytes(part.pieces);
    Piece& whole = wholes.emplace_back(part.pieces.front());
    if (part.pieces.size() == 1) continue;
    whole = {port.staging.take(bytes), bytes};
    if (part.half == Half::Send) copy_on(stream, part.pieces, std::span(&whole, 1));
  }
  NcclGroup group;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const int peer = rank_in(link, parts[p].peer);
    const Piece& whole = wholes[p];
    if (parts[p].half == Half::Send)
      PIPEGRAPH_NCCL(
          ncclSend(whole.data, whole.bytes.count, ncclInt8, peer, port.comm->get(), stream));
    else
      PIPEGRAPH_NCCL(
          ncclRecv(whole.data, whole.bytes.count, ncclInt8, peer, port.comm->get(), stream));
  }
  group.end();
  settle(port);
  for (std::size_t p = 0; p < parts.size(); ++p)
    if (parts[p].half == Half::Recv && parts[p].pieces.size() > 1)
      copy_on(stream, std::span(&wholes[p], 1), parts[p].pieces);
  end(port);
}

void NcclDevice::add_up(std::size_t link, std::span<const Piece> pieces) {
  Port& port = at(link);
  cudaStream_t const stream = port.stream.get();
  begin(port);
  Piece whole = pieces.front();
  if (pieces.size() > 1) {
    const Bytes bytes = total_bytes(pieces);
    whole = {port.staging.take(bytes), bytes};
    copy_on(stream, pieces, std::span(&whole, 1));
  }
  PIPEGRAPH_NCCL(ncclAllReduce(whole.data, whole.data, whole.bytes.count / sizeof(float),
                               ncclFloat32, ncclSum, port.comm->get(), stream));
  settle(port);
  if (pieces.size() > 1) copy_on(stream, std::span(&whole, 1), pieces);
  end(port);
}

bool NcclDevice::ended(std::size_t link) {
  Port& port = at(link);
  if (++port.looks % k_looks_per_error == 0) static_cast<void>(port.comm->settled());
  CudaEvent& oldest = port.under_way.front();
  if (!PIPEGRAPH_CUDA_ENDED(cudaEventQuery(oldest.get()))) return false;
  events_.give_back(std::move(oldest));
  port.under_way.pop_front();
  return true;
}

}  // namespace pipegraph
