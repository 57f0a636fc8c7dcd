#include "apps/cuda_module.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "core/base/errors.h"

namespace pipegraph {

namespace {

constexpr const char* k_file = "pipegraph_cuda.so";

std::string last_problem() {
  const char* const problem = ::dlerror();
  return problem == nullptr ? "unknown" : problem;
}

/// Stays loaded: its threads and exit handlers outlive any run.
void* load_module() {
  const std::filesystem::path file =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / k_file;
  if (!std::filesystem::exists(file))
    throw MachineError(fmt::format(
        "the CUDA backend was not built: there is no {}, which takes nvcc and NCCL (docs/gpu.md)",
        file.string()));
  void* const module = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr)
    throw MachineError(fmt::format("the CUDA backend cannot be loaded: {}", last_problem()));
  return module;
}

}  // namespace

const CudaModule& cuda_module() {
  static void* const k_module = load_module();
  auto* const get = reinterpret_cast<GetCudaModule*>(::dlsym(k_module, k_get_cuda_module));
  if (get == nullptr)
    throw MachineError(fmt::format("{} is of another version: {}", k_file, last_problem()));
  return *get();
}

}  // namespace pipegraph
