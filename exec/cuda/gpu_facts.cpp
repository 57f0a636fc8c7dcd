#include "exec/cuda/gpu_facts.h"

#include <fmt/format.h>
#include <nccl.h>

#include <fstream>
#include <iterator>
#include <set>
#include <vector>

#include "exec/cuda/cuda_error.h"
#include "exec/cuda/gpus.h"

namespace pipegraph {

namespace {

constexpr int k_khz_per_mhz = 1000;

int attribute(cudaDeviceAttr which, int gpu) {
  int value = 0;
  PIPEGRAPH_CUDA(cudaDeviceGetAttribute(&value, which, gpu));
  return value;
}

std::string name_of(int gpu) {
  cudaDeviceProp properties{};
  PIPEGRAPH_CUDA(cudaGetDeviceProperties(&properties, gpu));
  return properties.name;
}

/// `texts` without repetitions, in their order.
std::string list_of(const std::vector<std::string>& texts) {
  std::string list;
  std::set<std::string> listed;
  for (const std::string& text : texts)
    if (listed.insert(text).second) list += (list.empty() ? "" : " and ") + text;
  return list;
}

std::string clocks_of(int gpu) {
  return fmt::format("up to {} MHz, memory {} MHz",
                     attribute(cudaDevAttrClockRate, gpu) / k_khz_per_mhz,
                     attribute(cudaDevAttrMemoryClockRate, gpu) / k_khz_per_mhz);
}

std::string driver() {
  int newest = 0;
  PIPEGRAPH_CUDA(cudaDriverGetVersion(&newest));
  std::ifstream file("/proc/driver/nvidia/version");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string version = driver_version_in(text);
  return fmt::format("{} (CUDA {})", version.empty() ? "unknown" : version,
                     cuda_version_text(newest));
}

int cublas_property(libraryPropertyType which) {
  int value = 0;
  PIPEGRAPH_CUBLAS(cublasGetProperty(which, &value));
  return value;
}

std::string libraries() {
  int runtime = 0;
  PIPEGRAPH_CUDA(cudaRuntimeGetVersion(&runtime));
  int nccl = 0;
  PIPEGRAPH_NCCL(ncclGetVersion(&nccl));
  constexpr int k_major = 10000;
  constexpr int k_minor = 100;
  return fmt::format("CUDA {}, cuBLAS {}.{}.{}, NCCL {}.{}.{}", cuda_version_text(runtime),
                     cublas_property(MAJOR_VERSION), cublas_property(MINOR_VERSION),
                     cublas_property(PATCH_LEVEL), nccl / k_major, nccl % k_major / k_minor,
                     nccl % k_minor);
}

}  // namespace

std::string driver_version_in(std::string_view text) {
  // "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun Jul 27 06:54:38 UTC 2025"
  constexpr std::string_view k_before = "Kernel Module";
  constexpr std::string_view k_digits = "0123456789";
  std::size_t at = text.find(k_before);
  if (at == std::string_view::npos) return {};
  const std::string_view line = text.substr(at, text.find('\n', at) - at);
  at = line.find_first_of(k_digits);
  if (at == std::string_view::npos) return {};
  return std::string(line.substr(at, line.find_first_not_of("0123456789.", at) - at));
}

MachineGpus describe_gpus() {
  choose_gpus(1, GpuSharing::Allowed);  // says what is missing
  MachineGpus gpus{.name = {}, .driver = driver(), .libraries = libraries()};
  PIPEGRAPH_CUDA(cudaGetDeviceCount(&gpus.count));
  std::vector<std::string> names, clocks;
  for (int gpu = 0; gpu < gpus.count; ++gpu) {
    names.push_back(name_of(gpu));
    clocks.push_back(clocks_of(gpu));
  }
  gpus.name = list_of(names);
  gpus.clocks = list_of(clocks);
  return gpus;
}

}  // namespace pipegraph
