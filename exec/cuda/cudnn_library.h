// cuDNN's library, loaded when someone asks for it, and its descriptors. Programs that link the
// functions themselves (tests, to a stand-in) use those.
#pragma once

#include <cudnn_graph.h>

#include <array>
#include <initializer_list>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include "core/base/units.h"

namespace pipegraph {

/// Loads the library at the first call. Errors of all: MachineError, one line, where it is missing,
/// and for calls that fail.
std::size_t cudnn_version();
cudnnHandle_t make_cudnn_handle(cudaStream_t stream);
void destroy_cudnn_handle(cudnnHandle_t handle) noexcept;

/// Owns a descriptor of the graph API.
class CudnnDescriptor {
 public:
  explicit CudnnDescriptor(cudnnBackendDescriptorType_t type);
  ~CudnnDescriptor();
  CudnnDescriptor(CudnnDescriptor&& other) noexcept;
  CudnnDescriptor& operator=(CudnnDescriptor&& other) noexcept;

  using Name = cudnnBackendAttributeName_t;
  CudnnDescriptor& set(Name name, std::span<const std::int64_t> values);
  CudnnDescriptor& set(Name name, std::int64_t value) { return set(name, std::array{value}); }
  CudnnDescriptor& set(Name name, const CudnnDescriptor& value);
  CudnnDescriptor& set(Name name, std::span<const CudnnDescriptor> values);
  CudnnDescriptor& set(Name name, std::span<void* const> values);
  CudnnDescriptor& set(Name name, const std::string& text);
  CudnnDescriptor& set_handle(Name name, cudnnHandle_t handle);
  CudnnDescriptor& set_flag(Name name);  ///< true
  CudnnDescriptor& set_type(Name name, cudnnDataType_t type);
  CudnnDescriptor& set_mode(Name name, cudnnPointwiseMode_t mode);
  CudnnDescriptor& set_operator(Name name, cudnnReduceTensorOp_t reduction);
  CudnnDescriptor& set_heuristic(Name name, cudnnBackendHeurMode_t mode);

  CudnnDescriptor& finalize(const std::source_location& at = std::source_location::current());
  /// Nothing: it is not supported here; the reason in words otherwise.
  std::string refusal();

  std::int64_t integer(Name name) const;
  /// Those that the attribute has.
  std::vector<CudnnDescriptor> descriptors(Name name, cudnnBackendDescriptorType_t type) const;

  cudnnBackendDescriptor_t get() const { return descriptor_; }

 private:
  CudnnDescriptor& set(Name name, cudnnBackendAttributeType_t type, std::int64_t count,
                       const void* values);
  cudnnBackendDescriptor_t descriptor_ = nullptr;
};

void cudnn_execute(cudnnHandle_t handle, const CudnnDescriptor& plan, const CudnnDescriptor& pack);

}  // namespace pipegraph
