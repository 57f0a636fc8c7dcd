// cuDNN's graph API, as far as attention takes it: a graph is one operation of a stream. It
// proposes two engines, of which the first fits no GPU.
#include "tests/support/cuda_stand_in/cudnn.h"

#include "tests/support/cuda_stand_in/call.h"
#include "tests/support/cuda_stand_in/cudnn_descriptors.h"
#include "tests/support/cuda_stand_in/memory.h"

struct cudnnContext {
  int device = 0;
  cudaStream_t stream = nullptr;
};

using namespace pipegraph::cuda_stand_in;

namespace {

/// Made and not destroyed; under the engine's lock.
struct Live {
  int handles = 0;
  int descriptors = 0;
};
Live& live() {
  static Live k_live;
  return k_live;
}

constexpr std::int64_t k_proposals = 2;
/// Less than the real one's: what matters is that it is asked for, owned and not shared.
constexpr std::int64_t k_workspace = 384;

Descriptor& as_descriptor(cudnnBackendDescriptor_t handle) {
  return *static_cast<Descriptor*>(handle);
}

template <class Act>
cudnnStatus_t dnn_call(const char* function, Act act) {
  const Unseen unseen;
  Engine::Lock lock = engine().lock();
  const std::optional<int> fault = take_call_fault(function);
  return fault ? static_cast<cudnnStatus_t>(*fault) : act();
}

cudnnStatus_t give(const Attribute& attribute, std::int64_t wanted, std::int64_t* count,
                   void* values) {
  *count = attribute.count;
  if (wanted > 0)
    std::memcpy(
        values, attribute.bytes.data(),
        static_cast<std::size_t>(std::min(wanted, attribute.count)) * bytes_of(attribute.type));
  return CUDNN_STATUS_SUCCESS;
}

/// Fills the descriptors that the caller has made.
cudnnStatus_t propose(const Descriptor& heuristic, std::int64_t wanted, std::int64_t* count,
                      void* values) {
  *count = k_proposals;
  for (std::int64_t i = 0; i < std::min(wanted, k_proposals); ++i) {
    Descriptor& engine = as_descriptor(static_cast<cudnnBackendDescriptor_t*>(values)[i]);
    if (engine.kind != CUDNN_BACKEND_ENGINECFG_DESCRIPTOR) return CUDNN_STATUS_BAD_PARAM;
    engine.graph = heuristic.graph;
    if (i == 0) engine.graph->operations.clear();
    engine.finished = true;
  }
  return CUDNN_STATUS_SUCCESS;
}

/// One execution of a plan: where its tensors lie.
struct Execution {
  CudnnGraph graph;
  std::map<std::int64_t, void*> memory;
  void* workspace = nullptr;

  /// Each tensor's bytes are memory of the device, aligned as promised, and none is forgotten.
  std::string problem(int device) const {
    for (const auto& [number, tensor] : graph.outside()) {
      const std::string name = "tensor " + std::to_string(number);
      const auto found = memory.find(number);
      if (found == memory.end()) return name + " is nowhere";
      if (tensor.by_value) continue;
      if (reinterpret_cast<std::uintptr_t>(found->second) %
              static_cast<std::uintptr_t>(tensor.alignment) !=
          0)
        return name + " is not aligned";
      if (const std::string other =
              pipegraph::cuda_stand_in::memory().problem(found->second, bytes(tensor), device);
          !other.empty())
        return name + " is " + other;
    }
    if (memory.size() != graph.outside().size()) return "the pack has tensors of no operation";
    return pipegraph::cuda_stand_in::memory().problem(workspace, k_workspace, device);
  }

  /// Scalars are read when it is enqueued, everything else when it runs.
  bool perform(const std::map<std::int64_t, float>& scalars) const {
    std::map<std::int64_t, void*> reached;
    for (const auto& [number, tensor] : graph.outside()) {
      if (tensor.by_value) {
        reached[number] = const_cast<float*>(&scalars.at(number));
        continue;
      }
      reached[number] = host_view(memory.at(number));
      if (graph.writes(number))
        declare_write(reached[number], bytes(tensor));
      else
        declare_read(reached[number], bytes(tensor));
    }
    declare_write(host_view(workspace), k_workspace);
    const Unseen unseen;
    evaluate(graph, reached);
    return true;
  }

 private:
  static std::size_t bytes(const GraphTensor& tensor) {
    return static_cast<std::size_t>(tensor.extent()) * tensor.element_bytes();
  }
};

Execution execution_of(const Descriptor& plan, const Descriptor& pack) {
  Execution execution{.graph = *plan.graph};
  const Attribute* const numbers = pack.find(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  const Attribute* const pointers = pack.find(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  const Attribute* const workspace = pack.find(CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
  if (numbers != nullptr && pointers != nullptr && numbers->count == pointers->count)
    for (std::int64_t i = 0; i < numbers->count; ++i)
      execution.memory[numbers->as<std::int64_t>(i)] = pointers->as<void*>(i);
  if (workspace != nullptr) execution.workspace = workspace->as<void*>();
  return execution;
}

cudnnStatus_t enqueue(const cudnnContext& handle, Execution execution) {
  Stream* const stream = stream_of("cudnnBackendExecute", handle.stream);
  if (stream == nullptr) return CUDNN_STATUS_BAD_PARAM;
  if (const std::string problem = execution.problem(stream->device()); !problem.empty()) {
    found("cudnnBackendExecute", problem);
    return CUDNN_STATUS_BAD_PARAM;
  }
  if (sticky_error(stream->device()) != cudaSuccess) return CUDNN_STATUS_EXECUTION_FAILED;
  std::map<std::int64_t, float> scalars;
  for (const auto& [number, tensor] : execution.graph.outside())
    if (tensor.by_value) scalars[number] = *static_cast<const float*>(execution.memory.at(number));
  Operation operation;
  operation.label = "graph of " + std::to_string(execution.graph.operations.size()) + " operations";
  operation.activity = Activity{ActivityKind::Kernel};
  operation.body = [execution = std::move(execution), scalars] {
    return execution.perform(scalars);
  };
  engine().enqueue(*stream, std::move(operation));
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

namespace pipegraph::cuda_stand_in {

std::vector<std::string> forget_cudnn() {
  std::vector<std::string> lines;
  if (live().handles > 0) lines.push_back(std::to_string(live().handles) + " handles of cuDNN");
  if (live().descriptors > 0)
    lines.push_back(std::to_string(live().descriptors) + " descriptors of cuDNN");
  live() = {};
  return lines;
}

}  // namespace pipegraph::cuda_stand_in

extern "C" {

std::size_t cudnnGetVersion() { return CUDNN_VERSION; }

const char* cudnnGetErrorString(cudnnStatus_t status) {
  return status == CUDNN_STATUS_SUCCESS ? "success" : "a cuDNN call failed";
}

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  return dnn_call("cudnnCreate", [&] {
    *handle = new cudnnContext{.device = host_thread().device};
    ++live().handles;
    return CUDNN_STATUS_SUCCESS;
  });
}

cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  return dnn_call("cudnnDestroy", [&] {
    delete handle;
    --live().handles;
    return CUDNN_STATUS_SUCCESS;
  });
}

cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  return dnn_call("cudnnSetStream", [&] {
    handle->stream = stream;
    return CUDNN_STATUS_SUCCESS;
  });
}

cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t kind,
                                           cudnnBackendDescriptor_t* descriptor) {
  return dnn_call("cudnnBackendCreateDescriptor", [&] {
    *descriptor = new Descriptor{.kind = kind};
    ++live().descriptors;
    return CUDNN_STATUS_SUCCESS;
  });
}

cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
  return dnn_call("cudnnBackendDestroyDescriptor", [&] {
    delete &as_descriptor(descriptor);
    --live().descriptors;
    return CUDNN_STATUS_SUCCESS;
  });
}

cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, std::int64_t count,
                                       const void* values) {
  return dnn_call("cudnnBackendSetAttribute", [&] {
    const std::size_t bytes = bytes_of(type) * static_cast<std::size_t>(count);
    if (bytes == 0 || as_descriptor(descriptor).finished) return CUDNN_STATUS_BAD_PARAM;
    const auto* const first = static_cast<const std::byte*>(values);
    as_descriptor(descriptor).attributes[name] = {type, count, {first, first + bytes}};
    return CUDNN_STATUS_SUCCESS;
  });
}

cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t handle,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t /*type*/, std::int64_t wanted,
                                       std::int64_t* count, void* values) {
  return dnn_call("cudnnBackendGetAttribute", [&] {
    const Descriptor& descriptor = as_descriptor(handle);
    if (!descriptor.finished) return CUDNN_STATUS_BAD_PARAM;
    if (name == CUDNN_ATTR_ENGINEHEUR_RESULTS) return propose(descriptor, wanted, count, values);
    if (name == CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE) {
      *count = 1;
      *static_cast<std::int64_t*>(values) = k_workspace;
      return CUDNN_STATUS_SUCCESS;
    }
    const Attribute* const found = descriptor.find(name);
    return found == nullptr ? CUDNN_STATUS_BAD_PARAM : give(*found, wanted, count, values);
  });
}

cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t handle) {
  return dnn_call("cudnnBackendFinalize", [&] {
    Descriptor& descriptor = as_descriptor(handle);
    if (finish(descriptor).empty()) return CUDNN_STATUS_SUCCESS;
    return descriptor.kind == CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR ? CUDNN_STATUS_NOT_SUPPORTED
                                                                      : CUDNN_STATUS_BAD_PARAM;
  });
}

cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t plan,
                                  cudnnBackendDescriptor_t pack) {
  return dnn_call("cudnnBackendExecute", [&] {
    if (!as_descriptor(plan).finished || !as_descriptor(pack).finished)
      return CUDNN_STATUS_BAD_PARAM;
    return enqueue(*handle, execution_of(as_descriptor(plan), as_descriptor(pack)));
  });
}

}  // extern "C"
