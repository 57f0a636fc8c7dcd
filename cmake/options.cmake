# What a user may switch, and the flags that follow from it. CMakePresets.json names the usual combinations.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
endif()

option(PIPEGRAPH_SIM "Build the SimGrid backend (without it, the analytic backend remains)" ON)
option(PIPEGRAPH_TESTS "Build the tests" ON)
option(PIPEGRAPH_BENCH "Build the benchmarks" ON)
option(PIPEGRAPH_WERROR "Treat compiler warnings as errors" ON)
option(PIPEGRAPH_PRECOMPILE "Precompile the headers that tests share" OFF)
set(PIPEGRAPH_CUDA AUTO CACHE STRING "CUDA backend: AUTO (where nvcc and NCCL are found), ON (required), OFF or STAND_IN")
set_property(CACHE PIPEGRAPH_CUDA PROPERTY STRINGS AUTO ON OFF STAND_IN)
set(PIPEGRAPH_THIRD_PARTY "" CACHE PATH "Folder of the third-party libraries' sources, where there are no packages of them")
set(PIPEGRAPH_SANITIZE "" CACHE STRING "Value of -fsanitize= for everything, e.g. address,undefined")
set(PIPEGRAPH_PROFILES ${PROJECT_SOURCE_DIR}/../shared/profiles CACHE PATH
    "Folder of published profiles; tests that need it are skipped where it does not exist")

# Repeated builds of the same sources are quick where ccache is installed.
if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(PIPEGRAPH_CCACHE ccache)
  mark_as_advanced(PIPEGRAPH_CCACHE)
  if(PIPEGRAPH_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${PIPEGRAPH_CCACHE})
  endif()
endif()

# Two exclusions: GCC warns about members that designated initialisers leave at their defaults, which is what they
# are for; -Wrestrict is wrong about std::string in GCC 12 (its bug 105329).
add_library(pipegraph_warnings INTERFACE)
target_compile_options(pipegraph_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wconversion -Wshadow -Wno-missing-field-initializers>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${PIPEGRAPH_WERROR}>>:-Werror>)

if(PIPEGRAPH_SANITIZE)
  add_compile_options(-fsanitize=${PIPEGRAPH_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  if(PIPEGRAPH_SANITIZE MATCHES "undefined")
    # AddressSanitizer faults on most of what these find; without them compiling takes a third less.
    add_compile_options(-fno-sanitize=null,alignment,object-size,vptr)
  endif()
  add_link_options(-fsanitize=${PIPEGRAPH_SANITIZE})
endif()
