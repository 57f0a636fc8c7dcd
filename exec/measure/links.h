// What copies take between the GPUs of a machine, inside one, and between them and the host.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/profile/cost_file.h"

namespace pipegraph {

/// Copies one way; nothing stands for the host.
struct MeasuredLink {
  std::optional<int> from, to;
  bool direct = true;                    ///< false: by way of the host
  std::vector<MeasuredTransfer> copies;  ///< by size, ascending
};

struct GpuSize {
  Bytes memory;
  std::int32_t multiprocessors = 0;
};

/// The links of the GPUs of one machine, every ordered pair once.
struct MachineLinks {
  std::vector<GpuSize> gpus;
  std::vector<MeasuredLink> links;
};

struct LinkOptions {
  std::int32_t repetitions = 20;           ///< of a size, after one that does not count
  std::function<void()> advanced = [] {};  ///< called after each link
};

/// A link as latency + bytes / bandwidth: the time of the smallest copy, and the rate at which the
/// largest one moves beyond that.
struct LinkFit {
  Seconds latency{0};
  BytesPerSecond bandwidth;
};
LinkFit fit(const MeasuredLink& link);

/// 64 B to 64 MiB, fourfold each.
std::vector<Bytes> link_sizes();

}  // namespace pipegraph
