// cuDNN's descriptors: attributes as they were set, and graphs read from them.
#pragma once

#include <cstddef>
#include <cstring>
#include <optional>

#include "tests/support/cuda_stand_in/cudnn_graph.h"

namespace pipegraph::cuda_stand_in {

struct Attribute {
  cudnnBackendAttributeType_t type = CUDNN_TYPE_INT64;
  std::int64_t count = 0;
  std::vector<std::byte> bytes;

  template <class T>
  T as(std::int64_t index = 0) const {
    T value{};
    std::memcpy(&value, bytes.data() + static_cast<std::size_t>(index) * sizeof(T), sizeof(T));
    return value;
  }
};

struct Descriptor {
  cudnnBackendDescriptorType_t kind = CUDNN_BACKEND_TENSOR_DESCRIPTOR;
  std::map<cudnnBackendAttributeName_t, Attribute> attributes;
  bool finished = false;
  std::optional<CudnnGraph> graph;  ///< of what stands on one, once it is finished

  const Attribute* find(cudnnBackendAttributeName_t name) const;
  /// What another attribute refers to; null if it is not set.
  const Descriptor* link(cudnnBackendAttributeName_t name, std::int64_t index = 0) const;
};

/// Of one value; 0 for types that are not known.
std::size_t bytes_of(cudnnBackendAttributeType_t type);

/// Why a descriptor cannot be finished as it was set; empty if it was.
std::string finish(Descriptor& descriptor);

}  // namespace pipegraph::cuda_stand_in
