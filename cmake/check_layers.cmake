# Enforces who may include whom, by reading the include lines of every source file:
#   cmake -D ROOT=<project root> -P cmake/check_layers.cmake
# Prints each offence as "file:line: reason" and fails if there is one. The rules stand in the tables below.
cmake_policy(VERSION 3.25)
if(NOT IS_DIRECTORY "${ROOT}")
  message(FATAL_ERROR "ROOT must name the project's root, it is '${ROOT}'")
endif()

# --- Inside the project -------------------------------------------------------------------------------------
# core, lowest first: each may include those before it, and those of the same step never each other.
set(core_steps base graph "model cluster" stage schedule plan collective program profile run planners report scenario)
set(below "")
foreach(step IN LISTS core_steps)
  string(REPLACE " " ";" folders "${step}")
  foreach(folder IN LISTS folders)
    set(may_include_core/${folder} ${below} core/${folder})
  endforeach()
  foreach(folder IN LISTS folders)
    list(APPEND below core/${folder})
  endforeach()
endforeach()
set(may_include_models core/base core/graph core/model models)
set(may_include_topologies core/base core/cluster topologies)
set(may_include_sim core/base core/cluster core/stage core/collective core/program core/run core/report sim)
set(may_include_exec
  core/base core/model core/cluster core/stage core/collective core/program core/profile core/run core/report exec)
set(may_include_apps ${below} models topologies sim exec apps)
set(may_include_bench ${may_include_apps} tests bench)
set(may_include_tests ${may_include_bench})

# --- Other people's headers: pattern, then the folders that may include what it matches --------------------
set(any_folder ".*")
set(libraries
  "^(simgrid|xbt|smpi)/"                             "^sim/"
  "^(cuda|cublas|cudnn|curand|nvtx|nccl|thrust|cub)" "^(exec/cuda|tests/support/cuda_stand_in)/"
  "^mpi[.]h$"                                        "^(exec/transport|tests/exec)/"
  "^cblas"                                           "^(exec|tests/exec|bench)/"
  "^yaml-cpp/"                                       "^(core/base|tests)/"
  "^boost/"                                          "^apps/"
  "^(gtest|gmock)/"                                  "^tests/"
  "^benchmark/"                                      "^bench/"
  "^(thread|mutex|shared_mutex|condition_variable|future|stop_token|semaphore|barrier|latch|pthread[.]h)$"
                                                     "^(sim|exec|apps|tests|bench)/"
  "^(fmt|nlohmann)/"                                 "${any_folder}"
  "^[a-z_]+$"                                        "${any_folder}"
  "[.]h$"                                            "^(core/base|sim|exec|apps|tests|bench)/")

# Sets `layer` in the caller to the folder whose rules hold for `path`: core/<folder>, or the first folder.
function(layer_of path)
  if(path MATCHES "^(core/[^/]+|[^/]+)/")
    set(layer "${CMAKE_MATCH_1}" PARENT_SCOPE)
  else()
    set(layer "" PARENT_SCOPE)
  endif()
endfunction()

# Sets `reason` in the caller to what is wrong with `file` including the project's `header`, or to "".
function(judge_own file header)
  set(reason "" PARENT_SCOPE)
  layer_of(${file})
  set(from "${layer}")
  layer_of(${header})
  if(NOT EXISTS ${ROOT}/${header})
    set(reason "includes \"${header}\", which is no file when seen from the project's root" PARENT_SCOPE)
  elseif(NOT DEFINED may_include_${from})
    set(reason "${from} is not in the dependency rule (cmake/check_layers.cmake)" PARENT_SCOPE)
  elseif(NOT layer IN_LIST may_include_${from})
    list(JOIN may_include_${from} ", " allowed)
    set(reason "${from} must not include \"${header}\"; it may include ${allowed}" PARENT_SCOPE)
  endif()
endfunction()

# The same for a header in angle brackets.
function(judge_foreign file header)
  set(rest ${libraries})
  while(rest)
    list(POP_FRONT rest pattern folders)
    if(header MATCHES "${pattern}")
      if(file MATCHES "${folders}")
        set(reason "" PARENT_SCOPE)
      else()
        set(reason "must not include <${header}>; only ${folders} may" PARENT_SCOPE)
      endif()
      return()
    endif()
  endwhile()
  set(reason "includes <${header}>, which is in no library of the dependency rule" PARENT_SCOPE)
endfunction()

# Sets `line` in the caller to the number of the first line of `file` that contains `text`.
function(line_of file text)
  file(READ ${ROOT}/${file} content)
  string(FIND "${content}" "${text}" position)
  string(SUBSTRING "${content}" 0 ${position} before)
  string(REGEX REPLACE "[^\n]" "" newlines "${before}")
  string(LENGTH "${newlines}" count)
  math(EXPR number "${count} + 1")
  set(line ${number} PARENT_SCOPE)
endfunction()

set(patterns "")
foreach(folder IN ITEMS core models topologies sim exec apps bench tests)
  foreach(ending IN ITEMS h hpp cpp cc cu cuh)
    list(APPEND patterns ${ROOT}/${folder}/*.${ending})
  endforeach()
endforeach()
file(GLOB_RECURSE files RELATIVE ${ROOT} ${patterns})

set(offences 0)
foreach(file IN LISTS files)
  file(STRINGS ${ROOT}/${file} includes REGEX "^[ \t]*#[ \t]*include[ \t]*[<\"]")
  foreach(include IN LISTS includes)
    if(include MATCHES "include[ \t]*\"([^\"]+)\"")
      judge_own(${file} ${CMAKE_MATCH_1})
    elseif(include MATCHES "include[ \t]*<([^>]+)>")
      judge_foreign(${file} ${CMAKE_MATCH_1})
    endif()
    if(reason)
      line_of(${file} "${include}")
      message("${file}:${line}: ${reason}")
      math(EXPR offences "${offences} + 1")
    endif()
  endforeach()
endforeach()

list(LENGTH files count)
if(offences)
  message(FATAL_ERROR "${offences} forbidden includes in ${count} files")
endif()
message(STATUS "${count} files keep the dependency rule")
