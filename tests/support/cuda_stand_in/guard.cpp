// Objects that nvcc made register their kernels with the real runtime. Linked with the stand-in
// they would silently compute nothing; so the functions they register with end the program instead.
#include <cstdio>
#include <cstdlib>

namespace {

[[noreturn]] void refuse() {
  std::fputs(
      "objects made by nvcc are linked with the stand-in for CUDA: build them from the same "
      "sources "
      "with the host compiler\n",
      stderr);
  std::abort();
}

}  // namespace

extern "C" {

// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier)
void** __cudaRegisterFatBinary(void* /*binary*/) { refuse(); }
void __cudaRegisterFatBinaryEnd(void** /*handle*/) { refuse(); }
void __cudaUnregisterFatBinary(void** /*handle*/) { refuse(); }
void __cudaRegisterFunction(void** /*handle*/, const char* /*host*/, char* /*device*/,
                            const char* /*name*/, int /*threads*/, void* /*tid*/, void* /*bid*/,
                            void* /*block*/, void* /*grid*/, int* /*size*/) {
  refuse();
}
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)

}  // extern "C"
