#include "exec/cuda/cupti_library.h"

#include <fmt/format.h>

#include "exec/shared_library.h"

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

CuptiLibrary load() {
  // It has threads of its own. Where the system's loader finds it, or where it was when this was
  // built.
  const SharedLibrary file("CUPTI",
                           {fmt::format("libcupti.so.{}", CUPTI_API_VERSION / k_version_step),
                            PIPEGRAPH_CUPTI_LIBRARY_FILE});
  CuptiLibrary library;
#define PIPEGRAPH_CUPTI_FIND(name) file.find(#name, library.name);
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
