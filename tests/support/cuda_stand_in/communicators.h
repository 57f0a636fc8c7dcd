// NCCL communicators: what the ranks of one share, how ranks join, and how they end. All with the
// engine's lock held.
#pragma once

#include <nccl.h>

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/support/cuda_stand_in/call.h"
#include "tests/support/cuda_stand_in/engine.h"
#include "tests/support/cuda_stand_in/shared_folder.h"

namespace pipegraph::cuda_stand_in {

/// One half of a transfer as its stream has posted it.
struct PostedHalf {
  const void* source = nullptr;  ///< send
  std::size_t bytes = 0;
  ncclDataType_t type = ncclFloat32;
  std::vector<char> staged;  ///< send that completed early: its bytes
  bool taken = false;        ///< the receiver has copied it
  Edge edge;
};

/// One collective of a communicator, as far as ranks have arrived.
struct Collective {
  std::string what;  ///< of the first to arrive; the others have to agree
  std::vector<const void*> sources;
  int arrived = 0;
  std::vector<char> result;  ///< once all have arrived
  Edge edge;
};

/// What the ranks of one communicator share.
struct Clique {
  std::string name;
  std::string key;                 ///< of files in the shared folder
  std::vector<ncclComm*> members;  ///< by rank; null: not joined, or gone
  std::vector<int> devices;        ///< by rank; -1: not joined
  std::set<int> stopped;           ///< ranks that no longer take part
  std::map<std::pair<int, int>, std::deque<std::shared_ptr<PostedHalf>>> sends;  ///< by (from, to)
  std::map<std::pair<int, int>, int> connecting;  ///< hosts that have used the pair so far
  std::map<std::uint64_t, std::shared_ptr<Collective>> collectives;
  bool refused = false;  ///< two ranks on one GPU

  /// Whether all have joined.
  bool complete();
};

/// What processes meet by; not in use within one.
SharedFolder shared_folder();

enum class Operator : std::uint8_t { Send, Recv, AllReduce, AllGather, Broadcast };

/// A call between ncclGroupStart and ncclGroupEnd.
struct Part {
  Operator kind = Operator::Send;
  const void* source = nullptr;
  void* target = nullptr;
  std::size_t count = 0;
  ncclDataType_t type = ncclFloat32;
  int peer = 0;  ///< or the root
  cudaStream_t stream = nullptr;
};

std::size_t bytes_of(ncclDataType_t type);

/// Communicators that exist, and cliques that ranks may still join.
class Communicators {
 public:
  void add(std::unique_ptr<ncclComm> comm);
  void remove(ncclComm* comm);
  bool exists(const ncclComm* comm) const;
  std::shared_ptr<Clique> clique(const std::string& id, int ranks);
  void stop(int rank);
  void fail(int code);
  std::vector<std::string> names() const;
  void clear();
  int next_id() { return ++ids_; }

 private:
  std::map<const ncclComm*, std::unique_ptr<ncclComm>> comms_;
  std::map<std::string, std::weak_ptr<Clique>> cliques_;
  std::set<int> stopped_;
  int ids_ = 0;
};

Communicators& communicators();

/// Carries out what a group gathered for one communicator: now, or when it is polled if the
/// communicator does not block.
ncclResult_t launch_parts(Engine::Lock& lock, ncclComm& comm, std::vector<Part> parts);
/// Goes on with what a non-blocking communicator has pending.
void advance(ncclComm& comm);

/// The thread's last error text.
std::string& last_nccl_error();
ncclResult_t nccl_error(ncclResult_t code, const std::string& text);

template <class Act>
ncclResult_t nccl_call(const char* function, Act act) {
  const Unseen unseen;
  Engine::Lock lock = engine().lock();
  if (const auto fault = take_call_fault(function))
    return nccl_error(static_cast<ncclResult_t>(*fault),
                      std::string(function) + " was made to fail");
  return act(lock);
}

}  // namespace pipegraph::cuda_stand_in

struct ncclComm {
  std::shared_ptr<pipegraph::cuda_stand_in::Clique> clique;
  int rank = 0;
  int device = 0;
  bool blocking = true;
  bool aborted = false;
  ncclResult_t error = ncclSuccess;  ///< asynchronous, stays
  std::deque<std::vector<pipegraph::cuda_stand_in::Part>>
      pending;                 ///< non-blocking: not yet launched
  bool polled = true;          ///< non-blocking: the last call has been seen to end
  std::uint64_t launched = 0;  ///< launches so far; they run one after another
  std::uint64_t running = 0;   ///< the launch whose turn it is
  std::uint64_t collectives = 0;
  std::set<std::pair<int, int>> connected;
  std::map<std::pair<int, int>, int> files;  ///< in the shared folder, so far, by (from, to)

  bool joined() const { return clique->complete() || clique->refused; }
};
