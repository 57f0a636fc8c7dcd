// What messages and sums that lie in several pieces need side by side for NCCL, known before
// anything runs: memory for it is taken once, and counted. Nothing here calls NCCL.
#pragma once

#include <vector>

#include "core/base/units.h"
#include "exec/cuda/nccl_links.h"
#include "exec/passes/device_pieces.h"

namespace pipegraph {

struct StagedProgram {
  const Program& program;
  const Channels& channels;
  const NcclLinks& links;
  GroupSums sums = GroupSums::InOrder;
};

/// Of one device, by link: the most that is staged at a time. `pieces` are the device's.
std::vector<Bytes> staged_bytes(const StagedProgram& program, DeviceId device,
                                const DevicePieces& pieces);

/// Bytes that NCCL's first use of a link takes.
Bytes warm_up_bytes(const NcclLink& link);

}  // namespace pipegraph
