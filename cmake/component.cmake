# One library per folder, sources listed: pipegraph_component(core_base SOURCES units.cpp DEPENDS fmt::fmt)
# One test program per folder:           pipegraph_test(core_base_test SOURCES units_test.cpp DEPENDS core_base)
# A component may consist of headers only (no SOURCES).

# With PIPEGRAPH_PRECOMPILE the headers nearly every file reads are compiled once, which saves a third of the time. A file
# that forgets to include one of them still compiles then, so the release preset, which all must pass, does without.
# Where other flags make them unusable, the compiler reads the headers as ever, and needs not say so.
set(CMAKE_PCH_WARN_INVALID OFF)
function(pipegraph_precompile name)
  cmake_parse_arguments(ARG "" "WITH" "DEPENDS;HEADERS" ${ARGN})
  if(NOT PIPEGRAPH_PRECOMPILE)
    return()
  endif()
  if(NOT TARGET ${ARG_WITH})
    file(WRITE ${PROJECT_BINARY_DIR}/${ARG_WITH}.cpp "")
    add_library(${ARG_WITH} OBJECT ${PROJECT_BINARY_DIR}/${ARG_WITH}.cpp)
    target_link_libraries(${ARG_WITH} PRIVATE ${ARG_DEPENDS} pipegraph_warnings)
    target_precompile_headers(${ARG_WITH} PRIVATE ${ARG_HEADERS})
  endif()
  target_precompile_headers(${name} REUSE_FROM ${ARG_WITH})
endfunction()

set(_standard_headers <algorithm> <cmath> <filesystem> <functional> <limits> <map> <memory> <optional> <random> <span>
  <string> <unordered_map> <variant> <vector>)

function(pipegraph_component name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  if(ARG_SOURCES)
    add_library(${name} STATIC ${ARG_SOURCES})
    target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(${name} PUBLIC ${ARG_DEPENDS} PRIVATE pipegraph_warnings ${ARG_PRIVATE_DEPENDS})
    pipegraph_precompile(${name} WITH precompiled DEPENDS fmt::fmt HEADERS <fmt/format.h> ${_standard_headers})
  else()
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${name} INTERFACE ${ARG_DEPENDS})
  endif()
endfunction()

# Every TEST becomes a ctest of its own. Tests see the project's root as PIPEGRAPH_SOURCE_DIR and the folder of
# published profiles, which may be absent, as PIPEGRAPH_PROFILES. Where PIPEGRAPH_TESTS_HAVE_THREADS is set, they get the
# label `threads` and are built by the target `threaded_tests`, which is what ThreadSanitizer is for.
function(pipegraph_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${name} PRIVATE
    PIPEGRAPH_SOURCE_DIR="${PROJECT_SOURCE_DIR}" PIPEGRAPH_PROFILES="${PIPEGRAPH_PROFILES}")
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} GTest::gtest_main GTest::gmock pipegraph_warnings)
  # Test code is compiled once for each time it runs; what it calls is optimised as ever.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  pipegraph_precompile(${name} WITH tests_precompiled DEPENDS fmt::fmt GTest::gtest GTest::gmock
    HEADERS <gmock/gmock.h> <gtest/gtest.h> <fmt/format.h> ${_standard_headers})
  set(label)
  if(PIPEGRAPH_TESTS_HAVE_THREADS)
    set(label LABELS threads)
    add_dependencies(threaded_tests ${name})
  endif()
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 120 PROPERTIES TIMEOUT 300 ${label})
  set_property(GLOBAL APPEND PROPERTY PIPEGRAPH_TEST_PROGRAMS ${name})
endfunction()

# A test too long for every change, left to `./run-tests --nightly`; plain ctest does not know it:
#   pipegraph_nightly_test(nightly.planner_growth TIMEOUT 3600 COMMAND planners_growth_test --gtest_color=no)
function(pipegraph_nightly_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "COMMAND" ${ARGN})
  add_test(NAME ${name} COMMAND ${ARG_COMMAND} CONFIGURATIONS nightly)
  set_tests_properties(${name} PROPERTIES LABELS nightly TIMEOUT ${ARG_TIMEOUT} PROCESSORS 2)
endfunction()
