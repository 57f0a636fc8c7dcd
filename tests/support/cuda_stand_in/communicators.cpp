#include "tests/support/cuda_stand_in/communicators.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "tests/support/cuda_stand_in/call.h"

namespace pipegraph::cuda_stand_in {

SharedFolder shared_folder() { return SharedFolder(engine().settings().shared_folder); }

namespace {

std::string file_of_rank(const Clique& clique, std::size_t rank) {
  return clique.key + " rank " + std::to_string(rank);
}

/// Looks for ranks that have joined in other processes.
void look_for_others(Clique& clique) {
  const SharedFolder folder = shared_folder();
  for (std::size_t rank = 0; rank < clique.devices.size(); ++rank) {
    if (clique.devices[rank] >= 0) continue;
    const auto told = folder.get(file_of_rank(clique, rank));
    if (!told) continue;
    const int device = std::stoi(std::string(told->begin(), told->end()));
    if (std::ranges::find(clique.devices, device) != clique.devices.end()) clique.refused = true;
    clique.devices[rank] = device;
  }
}

}  // namespace

bool Clique::complete() {
  if (shared_folder().in_use()) look_for_others(*this);
  return std::ranges::none_of(devices, [](int device) { return device < 0; });
}

void Communicators::add(std::unique_ptr<ncclComm> comm) {
  const ncclComm* const key = comm.get();
  comms_.emplace(key, std::move(comm));
}

void Communicators::remove(ncclComm* comm) {
  comm->clique->members[static_cast<std::size_t>(comm->rank)] = nullptr;
  comms_.erase(comm);
}

bool Communicators::exists(const ncclComm* comm) const { return comms_.contains(comm); }

std::shared_ptr<Clique> Communicators::clique(const std::string& id, int ranks) {
  std::shared_ptr<Clique> clique = cliques_[id].lock();
  if (clique) return clique;
  clique = std::make_shared<Clique>();
  clique->name = "communicator " + std::to_string(cliques_.size());
  clique->key = id;
  clique->members.resize(static_cast<std::size_t>(ranks));
  clique->devices.assign(static_cast<std::size_t>(ranks), -1);
  clique->stopped = stopped_;
  cliques_[id] = clique;
  return clique;
}

void Communicators::stop(int rank) {
  stopped_.insert(rank);
  for (const auto& [key, comm] : comms_) comm->clique->stopped.insert(rank);
}

void Communicators::fail(int code) {
  for (const auto& [key, comm] : comms_) comm->error = static_cast<ncclResult_t>(code);
}

std::vector<std::string> Communicators::names() const {
  std::vector<std::string> names;
  for (const auto& [key, comm] : comms_)
    names.push_back(comm->clique->name + ", rank " + std::to_string(comm->rank));
  return names;
}

void Communicators::clear() { *this = {}; }

std::string& last_nccl_error() {
  thread_local std::string k_text;
  return k_text;
}

ncclResult_t nccl_error(ncclResult_t code, const std::string& text) {
  last_nccl_error() = text;
  return code;
}

namespace {

/// Calls of a group, by thread: what ncclGroupEnd carries out.
struct GroupState {
  int depth = 0;
  std::vector<std::pair<ncclComm*, std::vector<Part>>> parts;  ///< in order of first use
  std::vector<ncclComm*> joining;
};

GroupState& group() {
  thread_local GroupState k_group;
  return k_group;
}

/// Enters a clique; two ranks on one GPU are refused, by all.
void join(ncclComm& comm) {
  Clique& clique = *comm.clique;
  for (const int device : clique.devices)
    if (device == comm.device) clique.refused = true;
  clique.devices[static_cast<std::size_t>(comm.rank)] = comm.device;
  clique.members[static_cast<std::size_t>(comm.rank)] = &comm;
  if (const SharedFolder folder = shared_folder(); folder.in_use()) {
    const std::string device = std::to_string(comm.device);
    folder.put(file_of_rank(clique, static_cast<std::size_t>(comm.rank)),
               {device.begin(), device.end()});
  }
  engine().changed();
}

ncclResult_t wait_for_all(Engine::Lock& lock, const ncclComm& comm) {
  engine().wait(lock, "all ranks of " + comm.clique->name, [&] { return comm.joined(); });
  if (comm.clique->refused)
    return nccl_error(ncclInvalidUsage, "Duplicate GPU detected in " + comm.clique->name);
  return comm.clique->complete() ? ncclSuccess : ncclSystemError;
}

struct Joining {
  std::string id;
  int ranks = 0;
  int rank = 0;
  bool blocking = true;
};

ncclResult_t create(Engine::Lock& lock, ncclComm_t* result, const Joining& request) {
  if (request.rank < 0 || request.rank >= request.ranks)
    return nccl_error(ncclInvalidArgument, "the rank is not one of the communicator's");
  auto comm = std::make_unique<ncclComm>();
  comm->clique = communicators().clique(request.id, request.ranks);
  comm->rank = request.rank;
  comm->device = host_thread().device;
  comm->blocking = request.blocking;
  ncclComm* const key = comm.get();
  communicators().add(std::move(comm));
  join(*key);
  *result = key;
  if (group().depth > 0) {
    group().joining.push_back(key);
    return request.blocking ? ncclSuccess : ncclInProgress;
  }
  if (request.blocking) return wait_for_all(lock, *key);
  key->polled = false;
  return ncclInProgress;
}

ncclResult_t check_config(const ncclConfig_t* config) {
  constexpr unsigned k_magic = 0xcafebeef;
  if (config == nullptr || config->magic == k_magic) return ncclSuccess;
  return nccl_error(ncclInvalidArgument, "the configuration was not initialised");
}

bool blocks(const ncclConfig_t* config) { return config == nullptr || config->blocking != 0; }

ncclResult_t end_group(Engine::Lock& lock) {
  GroupState state = std::exchange(group(), {});
  ncclResult_t result = ncclSuccess;
  for (ncclComm* comm : state.joining) {
    const ncclResult_t joined = comm->blocking ? wait_for_all(lock, *comm) : ncclInProgress;
    if (!comm->blocking) comm->polled = false;
    if (joined != ncclSuccess) result = joined;
  }
  for (auto& [comm, parts] : state.parts) {
    const ncclResult_t launched = launch_parts(lock, *comm, std::move(parts));
    if (launched != ncclSuccess) result = launched;
  }
  return result;
}

/// One call, or a part of the group that the thread is in.
ncclResult_t add_part(const char* function, ncclComm_t comm, const Part& part) {
  return nccl_call(function, [&](Engine::Lock& lock) {
    if (!communicators().exists(comm)) {
      found(function, "no such communicator");
      return nccl_error(ncclInvalidArgument, "no such communicator");
    }
    if (group().depth == 0) return launch_parts(lock, *comm, {part});
    auto& all = group().parts;
    auto mine = std::ranges::find(all, comm, &std::pair<ncclComm*, std::vector<Part>>::first);
    if (mine == all.end()) mine = all.insert(all.end(), {comm, {}});
    mine->second.push_back(part);
    return ncclSuccess;
  });
}

/// Ends a communicator's part in what is going on; peers are not told.
ncclResult_t end(const char* function, Engine::Lock& lock, ncclComm_t comm, bool abort) {
  if (!communicators().exists(comm)) {
    found(function, "no such communicator");
    return nccl_error(ncclInvalidArgument, "no such communicator");
  }
  comm->pending.clear();
  if (abort) {
    comm->aborted = true;
    // Nobody may read from buffers that are about to be given back.
    for (auto& [pair, posted] : comm->clique->sends)
      if (pair.first == comm->rank) posted.clear();
  }
  engine().changed();
  engine().wait(lock, comm->clique->name + " to finish",
                [&] { return comm->running == comm->launched; });
  communicators().remove(comm);
  return ncclSuccess;
}

}  // namespace

}  // namespace pipegraph::cuda_stand_in

using namespace pipegraph::cuda_stand_in;

extern "C" {

ncclResult_t ncclGetVersion(int* version) {
  const int set = engine().settings().nccl_version;
  *version = set != 0 ? set : NCCL_VERSION_CODE;
  return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  return nccl_call("ncclGetUniqueId", [&](Engine::Lock& /*lock*/) {
    std::memset(id, 0, sizeof *id);
    std::snprintf(id->internal, sizeof id->internal, "id %d of %d", communicators().next_id(),
                  static_cast<int>(::getpid()));
    return ncclSuccess;
  });
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank,
                                    ncclConfig_t* config) {
  return nccl_call("ncclCommInitRankConfig", [&](Engine::Lock& lock) {
    if (const ncclResult_t bad = check_config(config); bad != ncclSuccess) return bad;
    return create(lock, comm,
                  {.id = id.internal, .ranks = ranks, .rank = rank, .blocking = blocks(config)});
  });
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank) {
  return ncclCommInitRankConfig(comm, ranks, id, rank, nullptr);
}

ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t* split,
                           ncclConfig_t* config) {
  return nccl_call("ncclCommSplit", [&](Engine::Lock& lock) {
    if (const ncclResult_t bad = check_config(config); bad != ncclSuccess) return bad;
    // Everybody tells its colour; who shares it and where it stands follows when all have told.
    auto told =
        communicators().clique(comm->clique->name + " split " + std::to_string(comm->collectives++),
                               static_cast<int>(comm->clique->members.size()));
    told->devices[static_cast<std::size_t>(comm->rank)] =
        color == NCCL_SPLIT_NOCOLOR ? 1 << 20 : color;
    told->connecting[{comm->rank, 0}] = key;
    engine().changed();
    if (!engine().wait(lock, "all ranks of a split", [&] { return told->complete(); }))
      return nccl_error(ncclSystemError, "a split never completed");
    *split = nullptr;
    if (color == NCCL_SPLIT_NOCOLOR) return ncclSuccess;
    std::vector<std::pair<int, int>> same;  // (key, rank)
    for (std::size_t rank = 0; rank < told->devices.size(); ++rank)
      if (told->devices[rank] == color)
        same.emplace_back(told->connecting[{static_cast<int>(rank), 0}], static_cast<int>(rank));
    std::ranges::sort(same);
    const auto mine = std::ranges::find(same, std::pair(key, comm->rank));
    return create(lock, split,
                  {.id = told->name + " colour " + std::to_string(color),
                   .ranks = static_cast<int>(same.size()),
                   .rank = static_cast<int>(mine - same.begin()),
                   .blocking = config == nullptr ? comm->blocking : blocks(config)});
  });
}

ncclResult_t ncclCommFinalize(ncclComm_t comm) {
  return nccl_call("ncclCommFinalize", [&](Engine::Lock& lock) {
    engine().wait(lock, comm->clique->name + " to finish",
                  [&] { return comm->running == comm->launched; });
    return ncclSuccess;
  });
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  return nccl_call("ncclCommDestroy",
                   [&](Engine::Lock& lock) { return end("ncclCommDestroy", lock, comm, false); });
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
  return nccl_call("ncclCommAbort",
                   [&](Engine::Lock& lock) { return end("ncclCommAbort", lock, comm, true); });
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error) {
  return nccl_call("ncclCommGetAsyncError", [&](Engine::Lock& lock) {
    engine().step(lock);
    if (!comm->blocking) advance(*comm);
    if (comm->clique->refused)
      *error = ncclInvalidUsage;
    else if (comm->error != ncclSuccess)
      *error = comm->error;
    else
      *error = comm->joined() && comm->pending.empty() ? ncclSuccess : ncclInProgress;
    if (*error != ncclInProgress) comm->polled = true;
    return ncclSuccess;
  });
}

ncclResult_t ncclCommCount(const ncclComm_t comm, int* count) {
  *count = static_cast<int>(comm->clique->members.size());
  return ncclSuccess;
}

ncclResult_t ncclCommUserRank(const ncclComm_t comm, int* rank) {
  *rank = comm->rank;
  return ncclSuccess;
}

ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int* device) {
  *device = comm->device;
  return ncclSuccess;
}

ncclResult_t ncclGroupStart() {
  ++group().depth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  return nccl_call("ncclGroupEnd", [&](Engine::Lock& lock) {
    if (group().depth == 0) return nccl_error(ncclInvalidUsage, "no group was started");
    if (group().depth > 1) {
      --group().depth;
      return ncclSuccess;
    }
    return end_group(lock);
  });
}

ncclResult_t ncclSend(const void* source, std::size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
  return add_part("ncclSend", comm,
                  {.kind = Operator::Send,
                   .source = source,
                   .count = count,
                   .type = type,
                   .peer = peer,
                   .stream = stream});
}

ncclResult_t ncclRecv(void* target, std::size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
  return add_part("ncclRecv", comm,
                  {.kind = Operator::Recv,
                   .target = target,
                   .count = count,
                   .type = type,
                   .peer = peer,
                   .stream = stream});
}

ncclResult_t ncclAllReduce(const void* source, void* target, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t operation, ncclComm_t comm, cudaStream_t stream) {
  if (operation != ncclSum) return nccl_error(ncclInvalidArgument, "only sums are known here");
  return add_part("ncclAllReduce", comm,
                  {.kind = Operator::AllReduce,
                   .source = source,
                   .target = target,
                   .count = count,
                   .type = type,
                   .stream = stream});
}

ncclResult_t ncclAllGather(const void* source, void* target, std::size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream) {
  return add_part("ncclAllGather", comm,
                  {.kind = Operator::AllGather,
                   .source = source,
                   .target = target,
                   .count = count,
                   .type = type,
                   .stream = stream});
}

ncclResult_t ncclBroadcast(const void* source, void* target, std::size_t count, ncclDataType_t type,
                           int root, ncclComm_t comm, cudaStream_t stream) {
  return add_part("ncclBroadcast", comm,
                  {.kind = Operator::Broadcast,
                   .source = source,
                   .target = target,
                   .count = count,
                   .type = type,
                   .peer = root,
                   .stream = stream});
}

const char* ncclGetErrorString(ncclResult_t result) {
  switch (result) {
    case ncclSuccess:
      return "no error";
    case ncclInProgress:
      return "operation in progress";
    case ncclInvalidUsage:
      return "invalid usage";
    case ncclInvalidArgument:
      return "invalid argument";
    case ncclRemoteError:
      return "remote process exited or there was a network error";
    default:
      return "unhandled system error";
  }
}

const char* ncclGetLastError(ncclComm_t /*comm*/) { return last_nccl_error().c_str(); }

}  // extern "C"
