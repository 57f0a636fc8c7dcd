#include "apps/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <thread>
#include <utility>

#include "apps/exit_code.h"
#include "core/base/errors.h"
#include "exec/cores.h"
#include "exec/transport/device_ranks.h"
#include "exec/transport/host_name.h"
#include "exec/transport/in_process.h"
#ifdef PIPEGRAPH_HAS_MPI
#include "exec/transport/mpi/mpi_ranks.h"
#include "exec/transport/mpi/mpi_transport.h"
#endif

namespace pipegraph {

namespace {

/// What one rank says when all meet: that it is ready to run something, or what is wrong.
constexpr char k_ready = 'r';
constexpr char k_wrong = 'w';

/// Another rank found something wrong and tells of it: nothing is left to say here.
struct ToldElsewhere {};

const SourcePosition k_flag{.file = "--devices-of-rank"};

DeviceId parse_device(const std::string& text) {
  std::int32_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc{} && stop == end && value >= 0) return DeviceId{value};
  throw ConfigError(k_flag, fmt::format("'{}' is not a device", text), "e.g. 0,1/2,3");
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

std::vector<std::int32_t> shared_out(const JobOptions& options, const Program& program, int ranks) {
  const std::size_t devices = program.device_count();
  if (options.devices_of_rank.empty()) {
    if (static_cast<std::size_t>(ranks) > devices)
      throw ConfigError({}, fmt::format("there are {} ranks for {} devices", ranks, devices),
                        "at most as many ranks as the cluster has devices");
    return ranks_of_devices(devices, ranks);
  }
  if (options.devices_of_rank.size() != static_cast<std::size_t>(ranks))
    throw ConfigError(k_flag, fmt::format("it names {} ranks", options.devices_of_rank.size()),
                      fmt::format("{}, as many as were started", ranks));
  std::vector<std::int32_t> rank_of(devices, -1);
  for (std::size_t rank = 0; rank < options.devices_of_rank.size(); ++rank)
    for (const DeviceId device : options.devices_of_rank[rank]) {
      if (device.index() >= devices)
        throw ConfigError(k_flag, fmt::format("there is no device {}", device.value),
                          fmt::format("0 to {}", devices - 1));
      if (std::exchange(rank_of[device.index()], static_cast<std::int32_t>(rank)) >= 0)
        throw ConfigError(k_flag, fmt::format("device {} stands twice", device.value), "once");
    }
  const auto missing = std::ranges::find(rank_of, -1);
  if (missing != rank_of.end())
    throw ConfigError(k_flag, fmt::format("device {} has no rank", missing - rank_of.begin()),
                      "every device of the cluster");
  return rank_of;
}

/// Of two texts, for a message.
std::string first_difference(const std::string& a, const std::string& b) {
  const std::vector<std::string> lines_a = split(a, '\n');
  const std::vector<std::string> lines_b = split(b, '\n');
  for (std::size_t i = 0; i < std::max(lines_a.size(), lines_b.size()); ++i) {
    const std::string left = i < lines_a.size() ? lines_a[i] : "nothing";
    const std::string right = i < lines_b.size() ? lines_b[i] : "nothing";
    if (left != right) return fmt::format("line {}: '{}' against '{}'", i + 1, left, right);
  }
  return "the ends of lines";
}

}  // namespace

std::vector<std::vector<DeviceId>> parse_devices_of_rank(const std::string& text) {
  std::vector<std::vector<DeviceId>> ranks;
  for (const std::string& part : split(text, '/')) {
    ranks.emplace_back();
    for (const std::string& device : split(part, ',')) ranks.back().push_back(parse_device(device));
    if (ranks.back().empty()) throw ConfigError(k_flag, "a rank has no device", "e.g. 0,1/2,3");
  }
  if (ranks.empty()) throw ConfigError(k_flag, "it is empty", "e.g. 0,1/2,3");
  return ranks;
}

class Job::Impl {
 public:
  explicit Impl(JobOptions options) : options_(std::move(options)) {
#ifdef PIPEGRAPH_HAS_MPI
    if (started_by_a_launcher()) {
      session_.emplace();
      ranks_.emplace(*session_, options_.deadline);
    }
#endif
  }

  Ranks& ranks() {
#ifdef PIPEGRAPH_HAS_MPI
    if (ranks_) return *ranks_;
#endif
    return single_;
  }

  std::vector<std::int32_t> ranks_of(const Program& program) {
    return shared_out(options_, program, ranks().size());
  }

  std::unique_ptr<Transport> transport(const Program& program, const Channels& channels,
                                       RunState& state, Mover* mover) {
#ifdef PIPEGRAPH_HAS_MPI
    if (ranks_) {
      constexpr double k_before_the_deadline = 0.75;
      return make_mpi_transport(
          *session_, program, channels, state,
          {ranks_of(program), k_before_the_deadline * options_.deadline, mover});
    }
#endif
    return make_in_process_transport(program, channels, state, mover);
  }

  void watch([[maybe_unused]] const Failure* failure) {
#ifdef PIPEGRAPH_HAS_MPI
    if (ranks_) ranks_->watch(failure);
#endif
  }

 private:
  JobOptions options_;
  SingleRank single_;
#ifdef PIPEGRAPH_HAS_MPI
  std::optional<MpiSession> session_;
  std::optional<MpiRanks> ranks_;
#endif
};

Job::Job(JobOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Job::~Job() = default;

Ranks& Job::ranks() { return impl_->ranks(); }

void Job::watch(const Failure* failure) { impl_->watch(failure); }

std::vector<DeviceId> Job::devices(const Program& program) {
  return devices_of_rank(impl_->ranks_of(program), ranks().rank());
}

std::vector<std::int32_t> Job::rank_of_device(const Program& program) {
  return impl_->ranks_of(program);
}

std::size_t Job::first_core(const Program& program) {
  if (ranks().size() == 1) return 0;
  std::string place = host_name();
  for (const int core : usable_cores()) place += fmt::format(" {}", core);
  const std::vector<std::string> places = ranks().all_gather(place);
  const std::vector<std::int32_t> rank_of = impl_->ranks_of(program);
  std::size_t first = 0;
  for (int rank = 0; rank < ranks().rank(); ++rank)
    if (places[static_cast<std::size_t>(rank)] == place)
      first += static_cast<std::size_t>(std::ranges::count(rank_of, rank));
  return first;
}

std::unique_ptr<Transport> Job::transport(const Program& program, const Channels& channels,
                                          RunState& state, Mover* mover) {
  return impl_->transport(program, channels, state, mover);
}

void Job::agree(const std::string& what, const std::string& text) {
  if (ranks().size() == 1) return;
  const std::vector<std::string> said = ranks().all_gather(k_ready + text);
  for (std::size_t rank = 0; rank < said.size(); ++rank) {
    if (said[rank].front() == k_wrong) throw ToldElsewhere{};
    if (said[rank] == said.front()) continue;
    throw ConfigError({.file = what},
                      fmt::format("rank {} has another one than rank 0, {}", rank,
                                  first_difference(said[rank].substr(1), said.front().substr(1))),
                      "the same version, files and options on all ranks; planners with a time "
                      "limit may differ, so plan first and run the plan file");
  }
}

int Job::guard(const std::function<int()>& verb, const Console& console) {
  try {
    return verb();
  } catch (const ConfigError& error) {
    if (ranks().size() == 1) throw;
    const std::vector<std::string> said = ranks().all_gather(k_wrong + std::string(error.what()));
    const auto first = std::ranges::find(said, said[static_cast<std::size_t>(ranks().rank())]);
    if (first - said.begin() == ranks().rank())
      print_message(console, fmt::format("pipegraph: {}\n", error.what()));
    return ExitBadInput;
  } catch (const ToldElsewhere&) {
    return ExitBadInput;
  } catch (const ExecutionError& error) {
    if (error.fault().rank == ranks().rank()) throw;
  }
  // The rank that tells of it ends the job.
  constexpr std::chrono::seconds k_patience{5};
  std::this_thread::sleep_for(k_patience);
  throw MachineError(fmt::format("rank {}: another rank has failed", ranks().rank()));
}

}  // namespace pipegraph
