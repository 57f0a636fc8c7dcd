# Sets PIPEGRAPH_CUDNN_INCLUDE_DIR to where the headers of cuDNN 9 are, if they are: with them --attention cudnn is built.
# PIPEGRAPH_CUDNN_LIBRARY is where its library is. That is loaded when a run asks for it, and need not be on this machine.
find_path(PIPEGRAPH_CUDNN_INCLUDE_DIR cudnn_graph.h
  PATHS ENV CUDNN_HOME ENV CUDA_HOME /usr/local/cuda PATH_SUFFIXES include)
find_library(PIPEGRAPH_CUDNN_LIBRARY NAMES libcudnn.so.9
  PATHS ENV CUDNN_HOME ENV CUDA_HOME /usr/local/cuda PATH_SUFFIXES lib64 lib)
mark_as_advanced(PIPEGRAPH_CUDNN_INCLUDE_DIR PIPEGRAPH_CUDNN_LIBRARY)
if(PIPEGRAPH_CUDNN_INCLUDE_DIR)
  file(STRINGS ${PIPEGRAPH_CUDNN_INCLUDE_DIR}/cudnn_version.h _lines
    REGEX "^#define CUDNN_(MAJOR|MINOR|PATCHLEVEL) +[0-9]+")
  string(REGEX MATCHALL " [0-9]+" _numbers "${_lines}")
  list(JOIN _numbers "." _version)
  string(REPLACE " " "" _version "${_version}")
  if(NOT PIPEGRAPH_CUDNN_LIBRARY)
    set(PIPEGRAPH_CUDNN_LIBRARY libcudnn.so.9 CACHE FILEPATH "" FORCE)
  endif()
  message(STATUS "cuDNN: ${_version}, ${PIPEGRAPH_CUDNN_LIBRARY} when it is asked for")
else()
  message(STATUS "cuDNN: not used, its headers were not found; attention is computed by our own kernels")
endif()
