# Third-party packages, all from the distribution (cmake/packages.txt names them), or some of them from sources that are
# brought along (PIPEGRAPH_THIRD_PARTY).
# Required ones stop the configuration; each optional one ends in one line of the summary printed below.
if(PIPEGRAPH_THIRD_PARTY)
  include(${CMAKE_CURRENT_LIST_DIR}/third_party.cmake)
else()
  find_package(fmt REQUIRED)
  find_package(yaml-cpp REQUIRED)
  find_package(nlohmann_json REQUIRED)
  find_package(Boost 1.74 REQUIRED COMPONENTS program_options)
  find_package(Threads REQUIRED)
  if(PIPEGRAPH_TESTS)
    find_package(GTest REQUIRED)
  endif()
endif()
if(PIPEGRAPH_BENCH)
  find_package(benchmark REQUIRED)
endif()

if(PIPEGRAPH_SIM)
  find_package(SimGrid 3.32)
  if(NOT SimGrid_FOUND)
    message(FATAL_ERROR "SimGrid 3.32 or newer was not found: install libsimgrid-dev, "
                        "or configure with -DPIPEGRAPH_SIM=OFF for the analytic backend alone")
  endif()
  message(STATUS "SimGrid: ${SimGrid_VERSION}")
else()
  message(STATUS "SimGrid: not used (PIPEGRAPH_SIM=OFF); only the analytic backend simulates")
endif()

include(${CMAKE_CURRENT_LIST_DIR}/detect_blas.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/detect_mpi.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/detect_cuda.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/detect_python.cmake)
