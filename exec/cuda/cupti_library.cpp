#include "exec/cuda/cupti_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <optional>

namespace pipegraph {

namespace {

#ifdef PIPEGRAPH_CUDA_STAND_IN

/// Linked: a function that the stand-in lacks is an error of the linker.
CuptiLibrary load() {
  CuptiLibrary library;
#define PIPEGRAPH_CUPTI_LINK(name) library.name = &::name;
  PIPEGRAPH_CUPTI_FUNCTIONS(PIPEGRAPH_CUPTI_LINK)
#undef PIPEGRAPH_CUPTI_LINK
  return library;
}

#else

constexpr int k_version_step = 10000;  // of CUPTI_API_VERSION: 130001 is of CUDA 13

std::string last_problem() {
  const char* const problem = ::dlerror();
  return problem == nullptr ? "unknown" : problem;
}

/// Stays loaded, for it has threads of its own. Where the system's loader finds it, or where it was
/// when this was built.
void* open() {
  const std::array<std::string, 2> files{
      fmt::format("libcupti.so.{}", CUPTI_API_VERSION / k_version_step),
      PIPEGRAPH_CUPTI_LIBRARY_FILE};
  std::string problem;
  for (const std::string& file : files) {
    if (file.empty()) continue;
    void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) return library;
    if (problem.empty()) problem = last_problem();
  }
  throw MachineError(fmt::format("CUPTI cannot be loaded: {}", problem));
}

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (function == nullptr)
    throw MachineError(fmt::format("this CUPTI has no {}: {}", name, last_problem()));
}

CuptiLibrary load() {
  void* const file = open();
  CuptiLibrary library;
#define PIPEGRAPH_CUPTI_FIND(name) find(file, #name, library.name);
  PIPEGRAPH_CUPTI_FUNCTIONS(PIPEGRAPH_CUPTI_FIND)
#undef PIPEGRAPH_CUPTI_FIND
  return library;
}

#endif

}  // namespace

const CuptiLibrary& cupti() {
  static const CuptiLibrary k_library = load();
  return k_library;
}

}  // namespace pipegraph
