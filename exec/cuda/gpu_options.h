// What a user may choose about GPUs. Without CUDA's headers: the program reads options, the CUDA
// backend is a module.
#pragma once

#include <cstdint>
#include <optional>

namespace pipegraph {

/// Whether a program may have more devices than there are GPUs; they then take turns.
enum class GpuSharing : std::uint8_t { Refused, Allowed };

/// How messages travel between GPUs: copies reach within a process, NCCL everywhere.
enum class GpuTransport : std::uint8_t { Copy, Nccl };

/// One for each directed pair of devices and each group that reduces, or a single one for all.
enum class NcclCommunicators : std::uint8_t { PerPair, One };

/// Who adds up gradients: the devices, in the order of the program, or NCCL in its own.
enum class GroupSums : std::uint8_t { InOrder, ByNccl };

/// Who computes attention between its projections: our kernels, or cuDNN's (bf16 only).
enum class GpuAttention : std::uint8_t { Own, Cudnn };

struct NcclSettings {
  NcclCommunicators communicators = NcclCommunicators::PerPair;
  GroupSums sums = GroupSums::InOrder;
};

/// Where times of instructions in traced steps come from; Auto: CUPTI where it can be had.
enum class GpuTimeSource : std::uint8_t { Auto, Cupti, Events };

struct GpuOptions {
  GpuSharing sharing = GpuSharing::Refused;
  std::optional<GpuTransport> transport;  ///< nothing: NCCL between ranks, copies otherwise
  NcclSettings nccl;
  GpuAttention attention = GpuAttention::Own;
  std::optional<GpuTimeSource> times;  ///< nothing: what suits the command
};

}  // namespace pipegraph
