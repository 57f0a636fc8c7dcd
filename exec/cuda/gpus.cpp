#include "exec/cuda/gpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "exec/cuda/cuda_error.h"
#include "exec/transport/host_name.h"

namespace pipegraph {

namespace {

constexpr int k_version_step = 1000;

/// Versions that differ in the second number only work together.
void check_driver() {
  int driver = 0;
  int runtime = 0;
  PIPEGRAPH_CUDA(cudaDriverGetVersion(&driver));
  PIPEGRAPH_CUDA(cudaRuntimeGetVersion(&runtime));
  if (driver == 0) throw MachineError("this machine has no NVIDIA driver");
  if (driver / k_version_step < runtime / k_version_step)
    throw MachineError(fmt::format(
        "the NVIDIA driver supports CUDA {}, this program needs {}.0 or newer: update the driver",
        cuda_version_text(driver), runtime / k_version_step));
}

int count_gpus() {
  int count = 0;
  try {
    PIPEGRAPH_CUDA(cudaGetDeviceCount(&count));
  } catch (const CudaError& error) {
    if (error.code() != cudaErrorNoDevice) throw;
  }
  if (count == 0)
    throw MachineError("this machine has no GPU, or CUDA_VISIBLE_DEVICES hides all of them");
  return count;
}

/// The current GPU to another.
void connect(int peer) {
  try {
    PIPEGRAPH_CUDA(cudaDeviceEnablePeerAccess(peer, 0));
  } catch (const CudaError& error) {
    if (error.code() != cudaErrorPeerAccessAlreadyEnabled) throw;
    static_cast<void>(cudaGetLastError());  // remembered otherwise, for the next kernel
  }
}

}  // namespace

std::string cuda_version_text(int version) {
  return fmt::format("{}.{}", version / k_version_step, version % k_version_step / 10);
}

DevicesHere devices_here(const std::vector<std::int32_t>& rank_of_device, Ranks& ranks) {
  const std::vector<std::string> hosts = ranks.all_gather(host_name());
  const auto self = static_cast<std::size_t>(ranks.rank());
  DevicesHere here{.ranks = 0};
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    if (hosts[rank] != hosts[self]) continue;
    const auto devices = static_cast<std::size_t>(
        std::ranges::count(rank_of_device, static_cast<std::int32_t>(rank)));
    if (rank < self) here.before += devices;
    if (rank < self) ++here.rank;
    if (rank == self) here.own = devices;
    here.all += devices;
    ++here.ranks;
  }
  return here;
}

std::vector<int> choose_gpus(const DevicesHere& devices, GpuSharing sharing) {
  check_driver();
  const auto count = static_cast<std::size_t>(count_gpus());
  if (devices.own > count && sharing == GpuSharing::Refused)
    throw MachineError(fmt::format(
        "the program uses {} devices, this machine has {} GPU{}: --share-gpus lets devices share",
        devices.own, count, count == 1 ? "" : "s"));
  std::size_t first = 0;
  std::size_t last = count;
  if (devices.all <= count) {
    first = devices.before;
  } else if (sharing == GpuSharing::Allowed && devices.ranks <= count) {
    // NCCL wants no two ranks on one GPU.
    first = devices.rank * count / devices.ranks;
    last = (devices.rank + 1) * count / devices.ranks;
  }
  std::vector<int> gpus;
  for (std::size_t device = 0; device < devices.own; ++device)
    gpus.push_back(static_cast<int>(first + device % (last - first)));
  return gpus;
}

std::vector<int> choose_gpus(std::size_t devices, GpuSharing sharing) {
  return choose_gpus({.own = devices, .all = devices}, sharing);
}

std::string gpu_identity(int gpu) {
  std::array<char, 32> bus{};
  PIPEGRAPH_CUDA(cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), gpu));
  return host_name() + " " + bus.data();
}

bool can_reach(int gpu, int peer) {
  int can = 0;
  PIPEGRAPH_CUDA(cudaDeviceCanAccessPeer(&can, gpu, peer));
  return can != 0;
}

void connect_gpus(const std::vector<int>& gpu_of_device) {
  std::set<int> used(gpu_of_device.begin(), gpu_of_device.end());
  used.erase(-1);
  for (const int gpu : used) {
    const OnGpu here(gpu);
    for (const int peer : used)
      if (peer != gpu && can_reach(gpu, peer)) connect(peer);
  }
}

OnGpu::OnGpu(int gpu) {
  PIPEGRAPH_CUDA(cudaGetDevice(&before_));
  PIPEGRAPH_CUDA(cudaSetDevice(gpu));
}

OnGpu::~OnGpu() { static_cast<void>(cudaSetDevice(before_)); }

}  // namespace pipegraph
