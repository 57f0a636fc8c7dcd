// Brings samples to a GPU: the host writes them into pinned memory, from where they are copied in
// the order of a stream. Several passes may be under way at a time.
#pragma once

#include <vector>

#include "exec/cuda/handles.h"
#include "exec/passes/device_passes.h"

namespace pipegraph {

/// What the passes of a device read at most in one pass.
Bytes most_read(const DevicePasses& passes);

class Uploads {
 public:
  /// On the calling thread's current GPU. Errors: CudaError.
  Uploads(Bytes per_pass, std::size_t passes_under_way);

  /// A pass begins; waits until no more than the others under way have copies left. Errors:
  /// CudaError.
  void begin_pass();
  /// Memory for `bytes` more of the pass's.
  std::byte* take(Bytes bytes);
  /// The pass has copied all of its own onto `stream`.
  void end_pass(cudaStream_t stream);

 private:
  struct Slot {
    PinnedMemory memory;
    CudaEvent copied;
    bool in_use = false;
  };
  Bytes per_pass_;
  std::vector<Slot> slots_;
  std::size_t current_ = 0;
  Bytes used_;
};

}  // namespace pipegraph
