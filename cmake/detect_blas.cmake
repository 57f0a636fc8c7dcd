# Sets PIPEGRAPH_OPENBLAS to whether OpenBLAS was found (OpenBLAS_LIBRARY, OpenBLAS_INCLUDE_DIR).
find_package(OpenBLAS QUIET)
set(PIPEGRAPH_OPENBLAS ${OpenBLAS_FOUND})
if(PIPEGRAPH_OPENBLAS)
  message(STATUS "BLAS: ${OpenBLAS_LIBRARY}")
else()
  message(STATUS "BLAS: OpenBLAS not found (libopenblas-pthread-dev); training on CPUs uses slow plain loops")
endif()
