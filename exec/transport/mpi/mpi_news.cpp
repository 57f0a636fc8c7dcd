#include "exec/transport/mpi/mpi_news.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "exec/transport/mpi/mpi_call.h"

namespace pipegraph {

namespace {

constexpr int k_tag = 0;
constexpr Seconds k_between_looks{0.02};
constexpr Seconds k_between_news{0.2};
constexpr Seconds k_last_words{1.0};  // for a failure to reach the others

enum class Kind : std::int32_t { Progress, Fault };

struct ProgressHead {
  Kind kind = Kind::Progress;
  DevicesState state = DevicesState::Busy;
  std::uint64_t activity = 0;
  std::uint64_t round = 0;  ///< of rank 0, as far as the rank knows
};

struct FaultHead {
  Kind kind = Kind::Fault;
  std::int32_t rank = 0, device = -1, instruction = -1;
};

template <class T>
void append(std::string& to, const T& value) {
  const auto* const bytes = reinterpret_cast<const char*>(&value);
  to.append(bytes, sizeof value);
}

template <class T>
T read(const std::string& from, std::size_t at) {
  check(at + sizeof(T) <= from.size(), "news of another rank are complete");
  T value;
  std::memcpy(&value, from.data() + at, sizeof value);
  return value;
}

std::string packed(const Fault& fault) {
  std::string bytes;
  append(bytes, FaultHead{.rank = fault.rank,
                          .device = fault.device.value,
                          .instruction = fault.instruction.value});
  bytes += fault.what;
  return bytes;
}

Fault unpacked(const std::string& bytes) {
  const auto head = read<FaultHead>(bytes, 0);
  return {head.rank, DeviceId{head.device}, InstructionId{head.instruction},
          bytes.substr(sizeof(FaultHead))};
}

bool arrived(MPI_Request& request) {
  int done = 0;
  check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "telling another rank");
  return done != 0;
}

}  // namespace

MpiNews::MpiNews(const MpiSession& session, const Program& program, RunState& state,
                 Settings settings)
    : session_(session),
      program_(program),
      state_(state),
      settings_(std::move(settings)),
      lanes_of_rank_(static_cast<std::size_t>(session.size())),
      quiescence_(static_cast<std::size_t>(session.size()), settings_.remote) {
  for (std::size_t i = 0; i < program.lanes().size(); ++i) {
    const std::int32_t rank = settings_.rank_of_device[program.lanes()[i].device.index()];
    lanes_of_rank_[static_cast<std::size_t>(rank)].push_back(make_id<LaneId>(i));
  }
  own_lanes_ = lanes_of_rank_[static_cast<std::size_t>(session.rank())];
  const SteadyTime now = std::chrono::steady_clock::now();
  for (int rank = 0; rank < session.size(); ++rank)
    if (rank != session.rank()) {
      peers_.push_back(std::make_unique<Peer>());
      peers_.back()->rank = rank;
      peers_.back()->heard = now;
    }
  thread_ = std::thread([this] { work(); });
}

MpiNews::~MpiNews() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
  // What a rank has not taken yet stays where MPI finds it.
  for (auto& peer : peers_)
    if (peer->progress.request != MPI_REQUEST_NULL || peer->fault.request != MPI_REQUEST_NULL)
      static_cast<void>(peer.release());
}

void MpiNews::tell(const Fault& fault) noexcept {
  try {
    tell_all(fault);
  } catch (const std::exception&) {
    // The failure itself is what counts; ranks that do not hear of it see the end of this one.
  }
}

void MpiNews::work() {
  try {
    while (!state_.failure.happened()) {
      listen();
      look();
      speak();
      watch_for_silence();
      watch_for_quiescence();
      std::unique_lock lock(mutex_);
      if (changed_.wait_for(lock, k_between_looks, [&] { return ending_; })) return;
    }
  } catch (const std::exception& error) {
    if (state_.failure.report({session_.rank(), {}, {}, error.what()})) settings_.failed();
  }
}

void MpiNews::listen() {
  for (;;) {
    int there = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    check_mpi(MPI_Improbe(MPI_ANY_SOURCE, k_tag, comm_.get(), &there, &message, &status),
              "listening to other ranks");
    if (there == 0) return;
    int length = 0;
    MPI_Get_count(&status, MPI_CHAR, &length);
    std::string bytes(static_cast<std::size_t>(length), '\0');
    check_mpi(MPI_Mrecv(bytes.data(), length, MPI_CHAR, &message, &status), "hearing another rank");
    take(status.MPI_SOURCE, bytes);
  }
}

void MpiNews::take(int from, const std::string& message) {
  for (const auto& peer : peers_)
    if (peer->rank == from) peer->heard = std::chrono::steady_clock::now();
  if (read<Kind>(message, 0) == Kind::Fault) {
    if (state_.failure.report(unpacked(message))) settings_.failed();
    return;
  }
  const auto head = read<ProgressHead>(message, 0);
  if (from == 0) heard_ = head.round;
  std::size_t at = sizeof head;
  for (const LaneId lane : lanes_of_rank_[static_cast<std::size_t>(from)]) {
    state_.progress.set(lane, read<std::uint32_t>(message, at));
    at += sizeof(std::uint32_t);
  }
  RankReport report{
      .state = head.state, .activity = head.activity, .heard = head.round, .channels = {}};
  for (; at < message.size(); at += sizeof(ChannelCount))
    report.channels.push_back(read<ChannelCount>(message, at));
  quiescence_.take(static_cast<std::size_t>(from), std::move(report));
}

void MpiNews::watch(std::function<DevicesState()> look) {
  const std::lock_guard lock(mutex_);
  look_ = std::move(look);
}

/// A device that waits may be awake when it is looked at, to see whether something has arrived. If
/// nothing has happened since it was last seen to wait, it does so still.
void MpiNews::look() {
  const std::lock_guard lock(mutex_);
  const std::uint64_t before = settings_.counts.activity();
  const DevicesState now = look_ ? look_() : DevicesState::Busy;
  const bool same = settings_.counts.activity() == before;
  if (same && now == DevicesState::Busy && seen_ == DevicesState::Waiting && before == activity_)
    return;
  seen_ = same ? now : DevicesState::Busy;
  activity_ = before;
}

RankReport MpiNews::own_report() const {
  RankReport report{.state = seen_,
                    .activity = activity_,
                    .heard = session_.rank() == 0 ? quiescence_.round() : heard_,
                    .channels = {}};
  for (const RemoteChannel& channel : settings_.remote)
    if (channel.from == session_.rank() || channel.to == session_.rank())
      report.channels.push_back(settings_.counts.of(channel.id));
  // Counts that belong to something later say nothing of the state.
  if (settings_.counts.activity() != activity_) report.state = DevicesState::Busy;
  return report;
}

std::string MpiNews::own_progress() const {
  const RankReport report = own_report();
  std::string bytes;
  append(bytes,
         ProgressHead{.state = report.state, .activity = report.activity, .round = report.heard});
  for (const LaneId lane : own_lanes_) append(bytes, state_.progress.count(lane));
  for (const ChannelCount& count : report.channels) append(bytes, count);
  return bytes;
}

void MpiNews::speak() {
  const SteadyTime now = std::chrono::steady_clock::now();
  if (now - spoke_ < k_between_news) return;
  spoke_ = now;
  for (const auto& peer : peers_) {
    // A rank that has stopped takes nothing: what it has not taken is not followed by more.
    if (!arrived(peer->progress.request)) continue;
    peer->progress.bytes = own_progress();
    check_mpi(MPI_Isend(peer->progress.bytes.data(), static_cast<int>(peer->progress.bytes.size()),
                        MPI_CHAR, peer->rank, k_tag, comm_.get(), &peer->progress.request),
              "telling another rank");
  }
}

void MpiNews::tell_all(const Fault& fault) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(told_, true)) return;
  for (const auto& peer : peers_) {
    peer->fault.bytes = packed(fault);
    check_mpi(MPI_Isend(peer->fault.bytes.data(), static_cast<int>(peer->fault.bytes.size()),
                        MPI_CHAR, peer->rank, k_tag, comm_.get(), &peer->fault.request),
              "telling another rank");
  }
  const auto until = std::chrono::steady_clock::now() + k_last_words;
  for (const auto& peer : peers_)
    while (!arrived(peer->fault.request) && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void MpiNews::watch_for_silence() {
  if (state_.failure.happened()) return;
  const SteadyTime now = std::chrono::steady_clock::now();
  // Who was stopped itself has heard of nobody, and gives the others the whole time again.
  if (now - std::exchange(watched_, now) > settings_.silence / 2)
    for (const auto& peer : peers_) peer->heard = now;
  for (const auto& peer : peers_) {
    const Seconds silence = now - peer->heard;
    if (silence < settings_.silence) continue;
    const Fault fault{
        session_.rank(),
        {},
        {},
        fmt::format("rank {} ({}) has not been heard of for {:.0f} s: it was stopped, "
                    "or its machine or network is down",
                    peer->rank, devices_of(peer->rank), silence.count())};
    if (!state_.failure.report(fault)) return;
    tell(fault);
    settings_.failed();
    return;
  }
}

void MpiNews::watch_for_quiescence() {
  if (session_.rank() != 0 || state_.failure.happened()) return;
  quiescence_.take(0, own_report());
  if (!quiescence_.reached()) return;
  const Fault fault = fault_of_all();
  if (!state_.failure.report(fault)) return;
  tell(fault);
  settings_.failed();
}

/// At the first of this rank's instructions that has not completed.
Fault MpiNews::fault_of_all() const {
  Fault fault{session_.rank(),
              {},
              {},
              "all devices of all ranks wait for each other, and no message is on its way"};
  const std::vector<char> completed = state_.progress.completed_instructions();
  for (std::size_t i = 0; i < completed.size(); ++i) {
    const auto id = make_id<InstructionId>(i);
    const DeviceId device = program_.at(id).device;
    if (completed[i] != 0 || settings_.rank_of_device[device.index()] != session_.rank()) continue;
    fault.device = device;
    fault.instruction = id;
    break;
  }
  return fault;
}

std::string MpiNews::devices_of(int rank) const {
  std::string text;
  for (std::size_t device = 0; device < settings_.rank_of_device.size(); ++device)
    if (settings_.rank_of_device[device] == rank)
      text += fmt::format("{}d{}", text.empty() ? "" : ", ", device);
  return text;
}

}  // namespace pipegraph
