# Plants small source trees and expects cmake/check_layers.cmake to accept the good one and to name file and line
# of the forbidden include in each of the others:  cmake -D SCRATCH=<folder> -P check_layers_test.cmake
cmake_policy(VERSION 3.25)
set(checker ${CMAKE_CURRENT_LIST_DIR}/../../cmake/check_layers.cmake)
set(failures 0)

# A fresh tree with one header in each folder that the cases below include.
function(plant_tree)
  file(REMOVE_RECURSE ${SCRATCH})
  foreach(folder IN ITEMS core/base core/graph core/model core/cluster core/plan core/run core/planners
                          models topologies sim exec apps tests)
    file(WRITE ${SCRATCH}/${folder}/a.h "#pragma once\n#include <vector>\n")
  endforeach()
endfunction()

function(report_failure text)
  message("${text}")
  math(EXPR failures "${failures} + 1")
  set(failures ${failures} PARENT_SCOPE)
endfunction()

# Plants `content` as `file` and expects the checker to report it at `line`; line 0 means it is allowed.
function(expect_verdict file line content)
  plant_tree()
  file(WRITE ${SCRATCH}/${file} "${content}\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -D ROOT=${SCRATCH} -P ${checker}
                  RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(line EQUAL 0 AND NOT result EQUAL 0)
    report_failure("${file} with ${content}: allowed, but refused:\n${text}")
  elseif(NOT line EQUAL 0 AND result EQUAL 0)
    report_failure("${file} with ${content}: forbidden, but accepted")
  elseif(NOT line EQUAL 0 AND NOT text MATCHES "(^|\n)${file}:${line}: ")
    report_failure("${file} with ${content}: ${file}:${line} is not named:\n${text}")
  endif()
  set(failures ${failures} PARENT_SCOPE)
endfunction()

# Upwards, sideways and downwards inside core.
expect_verdict(core/base/b.cpp 2 "#pragma once\n#include \"core/graph/a.h\"")
expect_verdict(core/model/b.cpp 1 "#include \"core/cluster/a.h\"")
expect_verdict(core/cluster/b.cpp 3 "\n\n#include \"core/model/a.h\"")
expect_verdict(core/planners/b.cpp 0 "#include \"core/run/a.h\"\n#include \"core/plan/a.h\"")
expect_verdict(core/run/b.cpp 2 "#include \"core/plan/a.h\"\n#  include \"core/planners/a.h\"")
expect_verdict(core/scenario/b.cpp 1 "#include \"models/a.h\"")
# Between the other folders.
expect_verdict(models/importers/b.cpp 0 "#include \"core/model/a.h\"\n#include \"models/a.h\"")
expect_verdict(models/b.cpp 1 "#include \"core/cluster/a.h\"")
expect_verdict(topologies/b.cpp 1 "#include \"core/model/a.h\"")
expect_verdict(sim/b.cpp 1 "#include \"core/planners/a.h\"")
expect_verdict(sim/b.cpp 1 "#include \"exec/a.h\"")
expect_verdict(exec/b.cpp 1 "#include \"sim/a.h\"")
expect_verdict(apps/b.cpp 0 "#include \"sim/a.h\"\n#include \"exec/a.h\"")
expect_verdict(apps/b.cpp 1 "#include \"tests/a.h\"")
expect_verdict(tests/b.cpp 0 "#include \"apps/a.h\"")
expect_verdict(elsewhere/b.cpp 0 "#include \"sim/a.h\"")  # not a source folder: not read
# Files that are not there, and includes relative to the including file.
expect_verdict(core/base/b.cpp 1 "#include \"core/base/absent.h\"")
expect_verdict(core/base/b.cpp 1 "#include \"a.h\"")
# Libraries.
expect_verdict(sim/b.cpp 0 "#include <simgrid/s4u.hpp>\n#include <mutex>")
expect_verdict(core/run/b.cpp 2 "#include <vector>\n#include <simgrid/s4u.hpp>")
expect_verdict(apps/b.cpp 1 "#include <simgrid/s4u.hpp>")
expect_verdict(exec/cuda/b.cu 0 "#include <cuda_runtime_api.h>\n#include <nccl.h>")
expect_verdict(exec/b.cpp 1 "#include <nccl.h>")
expect_verdict(core/base/b.cpp 0 "#include <fmt/format.h>\n#include <yaml-cpp/yaml.h>\n#include <unistd.h>")
expect_verdict(core/plan/b.cpp 1 "#include <yaml-cpp/yaml.h>")
expect_verdict(core/run/b.cpp 1 "#include <thread>")
expect_verdict(core/run/b.cpp 1 "#include <boost/program_options.hpp>")
expect_verdict(apps/b.cpp 0 "#include <boost/program_options.hpp>")
expect_verdict(models/b.cpp 1 "#include <gtest/gtest.h>")

file(REMOVE_RECURSE ${SCRATCH})
if(failures)
  message(FATAL_ERROR "${failures} verdicts are wrong")
endif()
