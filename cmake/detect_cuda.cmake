# Sets PIPEGRAPH_HAS_CUDA to whether nvcc and NCCL are there. PIPEGRAPH_CUDA=ON makes their absence an error; STAND_IN puts
# the tests' stand-in in their place everywhere, for which headers suffice.
# Only looks for them: the folder that uses CUDA enables the language.
set(PIPEGRAPH_HAS_CUDA FALSE)
if(PIPEGRAPH_CUDA STREQUAL "OFF")
  message(STATUS "CUDA: not used (PIPEGRAPH_CUDA=OFF)")
  return()
endif()
if(NOT PIPEGRAPH_CUDA MATCHES "^(AUTO|ON|STAND_IN)$")
  message(FATAL_ERROR "PIPEGRAPH_CUDA is '${PIPEGRAPH_CUDA}'; expected AUTO, ON, OFF or STAND_IN")
endif()

find_program(PIPEGRAPH_NVCC nvcc HINTS ENV CUDACXX ENV CUDA_HOME PATH_SUFFIXES bin PATHS /usr/local/cuda)
# Python's package of NCCL has no link named libnccl.so.
find_path(PIPEGRAPH_NCCL_INCLUDE_DIR nccl.h
  HINTS ENV NCCL_HOME ENV CUDA_HOME PATH_SUFFIXES include PATHS /usr/local/cuda)
find_library(PIPEGRAPH_NCCL_LIBRARY NAMES nccl libnccl.so.2 NAMES_PER_DIR
  HINTS ENV NCCL_HOME ENV CUDA_HOME PATH_SUFFIXES lib lib64 PATHS /usr/local/cuda)
mark_as_advanced(PIPEGRAPH_NVCC PIPEGRAPH_NCCL_INCLUDE_DIR PIPEGRAPH_NCCL_LIBRARY)
if(PIPEGRAPH_CUDA STREQUAL "STAND_IN")
  message(STATUS "CUDA: its stand-in takes the place of GPUs (PIPEGRAPH_CUDA=STAND_IN)")
  return()
endif()

set(_missing "")
if(PIPEGRAPH_NVCC)
  execute_process(COMMAND ${PIPEGRAPH_NVCC} --version OUTPUT_VARIABLE _text)
  string(REGEX MATCH "release ([0-9.]+)" _match "${_text}")
  set(PIPEGRAPH_CUDA_VERSION ${CMAKE_MATCH_1})
else()
  list(APPEND _missing "nvcc")
endif()
if(PIPEGRAPH_NCCL_INCLUDE_DIR AND PIPEGRAPH_NCCL_LIBRARY)
  file(STRINGS ${PIPEGRAPH_NCCL_INCLUDE_DIR}/nccl.h _lines REGEX "^#define NCCL_(MAJOR|MINOR|PATCH) +[0-9]+")
  string(REGEX MATCHALL "[0-9]+" _numbers "${_lines}")
  list(JOIN _numbers "." PIPEGRAPH_NCCL_VERSION)
else()
  list(APPEND _missing "NCCL")
endif()

list(JOIN _missing " and " _missing)
if(NOT _missing)
  set(PIPEGRAPH_HAS_CUDA TRUE)
  message(STATUS "CUDA: ${PIPEGRAPH_CUDA_VERSION}, NCCL ${PIPEGRAPH_NCCL_VERSION}")
elseif(PIPEGRAPH_CUDA STREQUAL "ON")
  message(FATAL_ERROR "PIPEGRAPH_CUDA=ON, but ${_missing} was not found; install it or use PIPEGRAPH_CUDA=AUTO")
else()
  message(STATUS "CUDA: not used, ${_missing} not found")
endif()
