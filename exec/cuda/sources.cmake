# The CUDA backend's sources: one list, built with nvcc and the real libraries here, and with the host's compiler and a
# stand-in for the libraries by the tests.
set(exec_cuda_sources
  attention_shapes.cpp
  cuda_bf16_device.cpp
  cuda_bf16_operators.cu
  cuda_device.cpp
  cuda_engine.cpp
  cuda_error.cpp
  cuda_lanes.cpp
  cuda_memory.cpp
  cuda_operators.cu
  cuda_whole_step.cpp
  enqueued_computes.cpp
  gpu_facts.cpp
  gpu_links.cpp
  gpu_probes.cpp
  gpu_profile.cpp
  gpu_times.cpp
  gpus.cpp
  handles.cpp
  nccl_communicator.cpp
  nccl_device.cpp
  nccl_links.cpp
  nccl_staging.cpp
  nccl_transport.cpp
  step_issuer.cpp
  step_samples.cpp
  stream_times.cpp
  uploads.cpp)
if(PIPEGRAPH_CUDNN_INCLUDE_DIR)
  set_property(SOURCE ${CMAKE_CURRENT_LIST_DIR}/cudnn_library.cpp
    PROPERTY COMPILE_DEFINITIONS PIPEGRAPH_CUDNN_LIBRARY="${PIPEGRAPH_CUDNN_LIBRARY}")
  list(APPEND exec_cuda_sources attention_graphs.cpp cudnn_attention.cpp cudnn_graph.cpp cudnn_library.cpp)
else()
  list(APPEND exec_cuda_sources no_cudnn.cpp)
endif()
if(PIPEGRAPH_CUPTI_INCLUDE_DIR)
  list(APPEND exec_cuda_sources cupti_activity.cpp cupti_clock.cpp cupti_error.cpp cupti_library.cpp cupti_times.cpp)
else()
  list(APPEND exec_cuda_sources no_cupti_times.cpp)
endif()
list(TRANSFORM exec_cuda_sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
set(exec_cuda_depends
  core_base core_model core_profile core_run exec_kernels exec_measure exec_operators exec_passes exec_training exec_transport
  fmt::fmt)
