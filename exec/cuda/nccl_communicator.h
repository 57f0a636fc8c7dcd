// One rank of a communicator of NCCL that never blocks: whatever is asked of it is polled until it
// has been taken. Of one thread, its device's.
#pragma once

#include <string>

#include "exec/cuda/cuda_error.h"

namespace pipegraph {

/// "2.28.9". Errors: MachineError if the library is older than what the backend needs.
std::string nccl_version();

/// For others to join by. Errors: NcclError.
ncclUniqueId make_nccl_id();

class NcclCommunicator {
 public:
  struct Place {
    std::string name;  ///< what it is for, in messages and in NCCL's own
    int ranks = 0;
    int rank = 0;
  };
  /// Begins to join on the calling thread's current GPU; poll settled() before anything else.
  /// Errors: NcclError.
  NcclCommunicator(const ncclUniqueId& id, const Place& place);
  /// Aborts: whatever is under way ends, here only.
  ~NcclCommunicator();
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;

  ncclComm_t get() const { return handle_; }
  const std::string& name() const { return place_.name; }
  /// Whether the last call has been taken; an event that is recorded before does not stand for it.
  /// Errors: NcclError, also of what failed later.
  bool settled() const;

 private:
  Place place_;
  ncclComm_t handle_ = nullptr;
};

/// Calls between its beginning and end() are launched together.
class NcclGroup {
 public:
  NcclGroup() { PIPEGRAPH_NCCL(ncclGroupStart()); }
  /// Without end(): an error is on its way.
  ~NcclGroup() {
    if (!ended_) static_cast<void>(ncclGroupEnd());
  }
  NcclGroup(const NcclGroup&) = delete;
  NcclGroup& operator=(const NcclGroup&) = delete;
  void end() {
    ended_ = true;
    PIPEGRAPH_NCCL(ncclGroupEnd());
  }

 private:
  bool ended_ = false;
};

}  // namespace pipegraph
