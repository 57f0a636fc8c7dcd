# One library per folder, sources listed: pipegraph_component(core_base SOURCES units.cpp DEPENDS fmt::fmt)
# One test program per folder:           pipegraph_test(core_base_test SOURCES units_test.cpp DEPENDS core_base)
# A component may consist of headers only (no SOURCES).

function(pipegraph_component name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  if(ARG_SOURCES)
    add_library(${name} STATIC ${ARG_SOURCES})
    target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(${name} PUBLIC ${ARG_DEPENDS} PRIVATE pipegraph_warnings ${ARG_PRIVATE_DEPENDS})
  else()
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${name} INTERFACE ${ARG_DEPENDS})
  endif()
endfunction()

# Every TEST becomes a ctest of its own. Tests see the project's root as PIPEGRAPH_SOURCE_DIR and the folder of
# published profiles, which may be absent, as PIPEGRAPH_PROFILES.
function(pipegraph_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${name} PRIVATE
    PIPEGRAPH_SOURCE_DIR="${PROJECT_SOURCE_DIR}" PIPEGRAPH_PROFILES="${PIPEGRAPH_PROFILES}")
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} GTest::gtest_main GTest::gmock pipegraph_warnings)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 120 PROPERTIES TIMEOUT 300)
  set_property(GLOBAL APPEND PROPERTY PIPEGRAPH_TEST_PROGRAMS ${name})
endfunction()
