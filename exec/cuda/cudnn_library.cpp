#include "exec/cuda/cudnn_library.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/errors.h"
#include "exec/shared_library.h"

// Null unless something that defines them is linked.
#pragma weak cudnnGetVersion
#pragma weak cudnnGetErrorString
#pragma weak cudnnCreate
#pragma weak cudnnDestroy
#pragma weak cudnnSetStream
#pragma weak cudnnBackendCreateDescriptor
#pragma weak cudnnBackendDestroyDescriptor
#pragma weak cudnnBackendSetAttribute
#pragma weak cudnnBackendGetAttribute
#pragma weak cudnnBackendFinalize
#pragma weak cudnnBackendExecute

namespace pipegraph {

namespace {

/// As it was found when this was built, and wherever the loader looks.
constexpr const char* k_found = PIPEGRAPH_CUDNN_LIBRARY;
constexpr const char* k_library = "libcudnn.so.9";

struct Functions {
  decltype(&cudnnGetVersion) version = nullptr;
  decltype(&cudnnGetErrorString) error_text = nullptr;
  decltype(&cudnnCreate) create = nullptr;
  decltype(&cudnnDestroy) destroy = nullptr;
  decltype(&cudnnSetStream) set_stream = nullptr;
  decltype(&cudnnBackendCreateDescriptor) create_descriptor = nullptr;
  decltype(&cudnnBackendDestroyDescriptor) destroy_descriptor = nullptr;
  decltype(&cudnnBackendSetAttribute) set_attribute = nullptr;
  decltype(&cudnnBackendGetAttribute) get_attribute = nullptr;
  decltype(&cudnnBackendFinalize) finalize = nullptr;
  decltype(&cudnnBackendExecute) execute = nullptr;
};

Functions linked_functions() {
  return {cudnnGetVersion,
          cudnnGetErrorString,
          cudnnCreate,
          cudnnDestroy,
          cudnnSetStream,
          cudnnBackendCreateDescriptor,
          cudnnBackendDestroyDescriptor,
          cudnnBackendSetAttribute,
          cudnnBackendGetAttribute,
          cudnnBackendFinalize,
          cudnnBackendExecute};
}

Functions load_functions() {
  Functions functions = linked_functions();
  if (functions.version != nullptr) return functions;
  const SharedLibrary library("cuDNN 9, which --attention cudnn asks for,", {k_found, k_library},
                              "; install it where the loader finds it (LD_LIBRARY_PATH), or use "
                              "--attention own");
  library.find("cudnnGetVersion", functions.version);
  library.find("cudnnGetErrorString", functions.error_text);
  library.find("cudnnCreate", functions.create);
  library.find("cudnnDestroy", functions.destroy);
  library.find("cudnnSetStream", functions.set_stream);
  library.find("cudnnBackendCreateDescriptor", functions.create_descriptor);
  library.find("cudnnBackendDestroyDescriptor", functions.destroy_descriptor);
  library.find("cudnnBackendSetAttribute", functions.set_attribute);
  library.find("cudnnBackendGetAttribute", functions.get_attribute);
  library.find("cudnnBackendFinalize", functions.finalize);
  library.find("cudnnBackendExecute", functions.execute);
  return functions;
}

const Functions& functions() {
  static const Functions k_functions = load_functions();
  return k_functions;
}

void check_cudnn(cudnnStatus_t status, const char* call,
                 const std::source_location& at = std::source_location::current()) {
  if (status == CUDNN_STATUS_SUCCESS) [[likely]]
    return;
  throw MachineError(fmt::format("{} failed: {} ({}:{})", call, functions().error_text(status),
                                 at.file_name(), at.line()));
}

}  // namespace

std::size_t cudnn_version() { return functions().version(); }

cudnnHandle_t make_cudnn_handle(cudaStream_t stream) {
  cudnnHandle_t handle = nullptr;
  check_cudnn(functions().create(&handle), "cudnnCreate");
  check_cudnn(functions().set_stream(handle, stream), "cudnnSetStream");
  return handle;
}
void destroy_cudnn_handle(cudnnHandle_t handle) noexcept {
  static_cast<void>(functions().destroy(handle));
}

CudnnDescriptor::CudnnDescriptor(cudnnBackendDescriptorType_t type) {
  check_cudnn(functions().create_descriptor(type, &descriptor_), "cudnnBackendCreateDescriptor");
}
CudnnDescriptor::~CudnnDescriptor() {
  if (descriptor_ != nullptr) static_cast<void>(functions().destroy_descriptor(descriptor_));
}
CudnnDescriptor::CudnnDescriptor(CudnnDescriptor&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, nullptr)) {}
CudnnDescriptor& CudnnDescriptor::operator=(CudnnDescriptor&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

CudnnDescriptor& CudnnDescriptor::set(Name name, cudnnBackendAttributeType_t type,
                                      std::int64_t count, const void* values) {
  check_cudnn(functions().set_attribute(descriptor_, name, type, count, values),
              "cudnnBackendSetAttribute");
  return *this;
}
CudnnDescriptor& CudnnDescriptor::set(Name name, std::span<const std::int64_t> values) {
  return set(name, CUDNN_TYPE_INT64, static_cast<std::int64_t>(values.size()), values.data());
}
CudnnDescriptor& CudnnDescriptor::set(Name name, const CudnnDescriptor& value) {
  return set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &value.descriptor_);
}
CudnnDescriptor& CudnnDescriptor::set(Name name, std::span<const CudnnDescriptor> values) {
  std::vector<cudnnBackendDescriptor_t> raw;
  for (const CudnnDescriptor& value : values) raw.push_back(value.get());
  return set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, static_cast<std::int64_t>(raw.size()),
             raw.data());
}
CudnnDescriptor& CudnnDescriptor::set(Name name, std::span<void* const> values) {
  return set(name, CUDNN_TYPE_VOID_PTR, static_cast<std::int64_t>(values.size()), values.data());
}
CudnnDescriptor& CudnnDescriptor::set(Name name, const std::string& text) {
  return set(name, CUDNN_TYPE_CHAR, static_cast<std::int64_t>(text.size()), text.data());
}
CudnnDescriptor& CudnnDescriptor::set_handle(Name name, cudnnHandle_t handle) {
  return set(name, CUDNN_TYPE_HANDLE, 1, &handle);
}
CudnnDescriptor& CudnnDescriptor::set_flag(Name name) {
  const bool yes = true;
  return set(name, CUDNN_TYPE_BOOLEAN, 1, &yes);
}
CudnnDescriptor& CudnnDescriptor::set_type(Name name, cudnnDataType_t type) {
  return set(name, CUDNN_TYPE_DATA_TYPE, 1, &type);
}
CudnnDescriptor& CudnnDescriptor::set_mode(Name name, cudnnPointwiseMode_t mode) {
  return set(name, CUDNN_TYPE_POINTWISE_MODE, 1, &mode);
}
CudnnDescriptor& CudnnDescriptor::set_operator(Name name, cudnnReduceTensorOp_t reduction) {
  return set(name, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, 1, &reduction);
}
CudnnDescriptor& CudnnDescriptor::set_heuristic(Name name, cudnnBackendHeurMode_t mode) {
  return set(name, CUDNN_TYPE_HEUR_MODE, 1, &mode);
}

CudnnDescriptor& CudnnDescriptor::finalize(const std::source_location& at) {
  check_cudnn(functions().finalize(descriptor_), "cudnnBackendFinalize", at);
  return *this;
}
std::string CudnnDescriptor::refusal() {
  const cudnnStatus_t status = functions().finalize(descriptor_);
  return status == CUDNN_STATUS_SUCCESS ? "" : functions().error_text(status);
}

std::int64_t CudnnDescriptor::integer(Name name) const {
  std::int64_t value = 0;
  std::int64_t count = 0;
  check_cudnn(functions().get_attribute(descriptor_, name, CUDNN_TYPE_INT64, 1, &count, &value),
              "cudnnBackendGetAttribute");
  return value;
}

std::vector<CudnnDescriptor> CudnnDescriptor::descriptors(Name name,
                                                          cudnnBackendDescriptorType_t type) const {
  std::int64_t count = 0;
  check_cudnn(functions().get_attribute(descriptor_, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, &count,
                                        nullptr),
              "cudnnBackendGetAttribute");
  std::vector<CudnnDescriptor> found;
  std::vector<cudnnBackendDescriptor_t> raw;
  for (std::int64_t i = 0; i < count; ++i) raw.push_back(found.emplace_back(type).get());
  check_cudnn(functions().get_attribute(descriptor_, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, count,
                                        &count, static_cast<void*>(raw.data())),
              "cudnnBackendGetAttribute");
  while (found.size() > static_cast<std::size_t>(count)) found.pop_back();
  return found;
}

void cudnn_execute(cudnnHandle_t handle, const CudnnDescriptor& plan, const CudnnDescriptor& pack) {
  check_cudnn(functions().execute(handle, plan.get(), pack.get()), "cudnnBackendExecute");
}

}  // namespace pipegraph
