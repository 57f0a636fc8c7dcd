# Sets PIPEGRAPH_PYTHON to the first interpreter that can draw the plots. Debian's packages belong to the
# distribution's python3, which need not be the one that comes first in PATH; cmake/setup.sh asks in the same order.
# Each run of CMake looks again where none was found, or where the one found before can no longer do it.
function(find_plotting_python)
  find_program(path_python python3 NO_CACHE)
  foreach(candidate IN ITEMS ${PIPEGRAPH_PYTHON} /usr/bin/python3 ${path_python})
    execute_process(COMMAND ${candidate} -c "import matplotlib, numpy, jinja2"
                    RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
    if(result EQUAL 0)
      set(PIPEGRAPH_PYTHON ${candidate} CACHE FILEPATH "Python with matplotlib, numpy and jinja2" FORCE)
      message(STATUS "Python: ${candidate}")
      return()
    endif()
  endforeach()
  unset(PIPEGRAPH_PYTHON CACHE)
  message(STATUS "Python: none can import matplotlib, numpy and jinja2; reports will have no pictures")
endfunction()

find_plotting_python()
