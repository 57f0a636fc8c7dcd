# CUPTI, a part of the CUDA toolkit that need not be installed: PIPEGRAPH_CUPTI_INCLUDE_DIR is set where its headers are.
# The library is loaded when it is wanted (exec/cuda/cupti_library.cpp), from here if the system's loader does not find it.
if(PIPEGRAPH_CUDA STREQUAL "OFF")
  return()
endif()
set(_places ENV CUDA_HOME /usr/local/cuda)
find_path(PIPEGRAPH_CUPTI_INCLUDE_DIR cupti.h PATHS ${_places} PATH_SUFFIXES include extras/CUPTI/include)
find_library(PIPEGRAPH_CUPTI_LIBRARY cupti PATHS ${_places} PATH_SUFFIXES lib64 lib extras/CUPTI/lib64)
mark_as_advanced(PIPEGRAPH_CUPTI_INCLUDE_DIR PIPEGRAPH_CUPTI_LIBRARY)
if(PIPEGRAPH_CUPTI_INCLUDE_DIR)
  message(STATUS "CUPTI: headers in ${PIPEGRAPH_CUPTI_INCLUDE_DIR}")
else()
  message(STATUS "CUPTI: not found, times of instructions on GPUs will be those of events")
endif()
