# Builds the third-party libraries from PIPEGRAPH_THIRD_PARTY, a folder of their sources that exec/gpu_bundle.sh makes,
# for machines that have no packages of them (docs/gpu.md). Defines the targets that the packages define.
if(NOT EXISTS ${PIPEGRAPH_THIRD_PARTY}/fmt/src/format.cc)
  message(FATAL_ERROR "PIPEGRAPH_THIRD_PARTY is '${PIPEGRAPH_THIRD_PARTY}', which holds no sources of libraries; "
                      "expected the folder third_party of what exec/gpu_bundle.sh packs")
endif()

# third_party_library(NAME ALIAS SOURCES patterns... INCLUDE folders...), all below the folder of sources. Their warnings
# are not ours, and newer compilers no longer bring <cstdint> along.
function(third_party_library name alias)
  cmake_parse_arguments(ARG "" "" "SOURCES;INCLUDE" ${ARGN})
  list(TRANSFORM ARG_SOURCES PREPEND ${PIPEGRAPH_THIRD_PARTY}/)
  list(TRANSFORM ARG_INCLUDE PREPEND ${PIPEGRAPH_THIRD_PARTY}/)
  file(GLOB sources CONFIGURE_DEPENDS ${ARG_SOURCES})
  add_library(${name} STATIC ${sources})
  target_include_directories(${name} SYSTEM PUBLIC ${ARG_INCLUDE})
  target_compile_options(${name} PRIVATE -w -include cstdint)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(NOT alias STREQUAL name)
    add_library(${alias} ALIAS ${name})
  endif()
endfunction()

third_party_library(fmt fmt::fmt SOURCES fmt/src/format.cc fmt/src/os.cc INCLUDE fmt/include)
third_party_library(yaml-cpp yaml-cpp SOURCES yaml-cpp/src/*.cpp yaml-cpp/src/contrib/*.cpp INCLUDE yaml-cpp/include)
target_compile_definitions(yaml-cpp PUBLIC YAML_CPP_STATIC_DEFINE)
third_party_library(program_options Boost::program_options SOURCES boost/src/*.cpp INCLUDE boost/include)
add_library(nlohmann_json INTERFACE)
target_include_directories(nlohmann_json SYSTEM INTERFACE ${PIPEGRAPH_THIRD_PARTY}/nlohmann/include)
add_library(nlohmann_json::nlohmann_json ALIAS nlohmann_json)
find_package(Threads REQUIRED)

if(PIPEGRAPH_TESTS)
  foreach(part IN ITEMS googletest googlemock)
    string(REPLACE google g short ${part})
    third_party_library(${short} GTest::${short}
      SOURCES googletest/${part}/src/${short}-all.cc
      INCLUDE googletest/${part}/include)
    target_include_directories(${short} PRIVATE ${PIPEGRAPH_THIRD_PARTY}/googletest/${part})
    target_link_libraries(${short} PUBLIC Threads::Threads)
  endforeach()
  target_link_libraries(gmock PUBLIC gtest)
  third_party_library(gtest_main GTest::gtest_main SOURCES googletest/googletest/src/gtest_main.cc)
  target_link_libraries(gtest_main PUBLIC gtest)
endif()
