#include "exec/cuda/cuda_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/base/errors.h"
#include "core/stage/parameter_copies.h"

namespace pipegraph {

namespace {

constexpr std::uint64_t k_alignment = 256;

Bytes aligned(Bytes bytes) {
  return Bytes{(bytes.count + k_alignment - 1) / k_alignment * k_alignment};
}

constexpr std::array<const char*, k_areas> k_area_names{
    "",        "parameters",          "gradients",    "optimizer state", "activations and messages",
    "scratch", "gradients held over", "accumulators", "losses",          "rounded parameters"};

std::string stage_names(const DevicePasses& passes) {
  const MemoryModel& model = passes.tables().model();
  std::string names;
  for (const Resident& resident : model.residents[passes.device().index()])
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", model.stages.at(resident.stage).name);
  return names;
}

/// "parameters 1 MiB, gradients 1 MiB, ...", the largest first.
std::string area_list(const AreaSizes& sizes) {
  std::vector<std::size_t> areas;
  for (std::size_t area = 1; area < k_areas; ++area)
    if (sizes[area].count > 0) areas.push_back(area);
  std::ranges::stable_sort(areas, [&](auto a, auto b) { return sizes[a] > sizes[b]; });
  std::string text;
  for (const std::size_t area : areas)
    text +=
        fmt::format("{}{} {}", text.empty() ? "" : ", ", k_area_names[area], to_text(sizes[area]));
  return text;
}

/// "'fc1' with 4 MiB for 8 samples": of all that the device's operators make.
std::string largest_tensor(const DevicePasses& passes) {
  const PassTables& tables = passes.tables();
  Bytes most;
  std::string text = "none";
  for (const Resident& resident : tables.model().residents[passes.device().index()]) {
    const Stage& stage = tables.model().stages.at(resident.stage);
    for (const OperatorId op : stage.operators) {
      const Bytes bytes = tables.bytes(op, stage.micro_batch);
      if (bytes <= most) continue;
      most = bytes;
      text = fmt::format("'{}' with {} for {} samples", tables.graph().at(op).name, to_text(bytes),
                         stage.micro_batch);
    }
  }
  return text;
}

std::string shortage(const DevicePasses& passes, Bytes wanted) {
  std::size_t free = 0;
  std::size_t total = 0;
  int gpu = 0;
  PIPEGRAPH_CUDA(cudaGetDevice(&gpu));
  PIPEGRAPH_CUDA(cudaMemGetInfo(&free, &total));
  return fmt::format(
      "GPU {} has {} left of {}, device d{} needs {} more; it holds stage {}: {}; the largest "
      "tensor is {}",
      gpu, to_text(Bytes{free}), to_text(Bytes{total}), passes.device().value, to_text(wanted),
      stage_names(passes), area_list(passes.sizes()), largest_tensor(passes));
}

GpuMemory allocate_for(const DevicePasses& passes, Bytes bytes) {
  try {
    return allocate_on_device(bytes);
  } catch (const CudaError& error) {
    if (error.code() != cudaErrorMemoryAllocation) throw;
    static_cast<void>(cudaGetLastError());  // remembered otherwise
    throw MachineError(shortage(passes, bytes));
  }
}

}  // namespace

CudaMemory::CudaMemory(const DevicePasses& passes) : passes_(passes) {
  for (const Bytes size : passes.sizes()) areas_ += aligned(size);
  std::byte* base = allocate(areas_);
  for (std::size_t area = 0; area < k_areas; ++area) {
    bases_[area] = base;
    base += aligned(passes.sizes()[area]).count;
  }
}

std::byte* CudaMemory::allocate(Bytes bytes) {
  allocated_ += bytes;
  return blocks_.emplace_back(allocate_for(passes_, bytes)).get();
}

DeviceMemoryUse CudaMemory::use(Bytes besides) const {
  const MemoryModel& model = passes_.tables().model();
  const Bytes held =
      model.parameters[passes_.device().index()] * parameter_copies(model.workload.training).all();
  const Bytes predicted = held + passes_.arena().peak();
  return {.predicted = predicted, .beside = areas_ - predicted + besides, .high_water = allocated_};
}

}  // namespace pipegraph
