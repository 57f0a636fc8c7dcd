# Sets PIPEGRAPH_PYTHON to the first interpreter that can draw the plots. Debian's packages belong to the
# distribution's python3, which need not be the one that comes first in PATH.
if(NOT PIPEGRAPH_PYTHON)
  find_program(_path_python python3 NO_CACHE)
  foreach(_candidate IN ITEMS /usr/bin/python3 ${_path_python})
    execute_process(COMMAND ${_candidate} -c "import matplotlib, numpy, jinja2"
                    RESULT_VARIABLE _result OUTPUT_QUIET ERROR_QUIET)
    if(_result EQUAL 0)
      set(PIPEGRAPH_PYTHON ${_candidate} CACHE FILEPATH "Python with matplotlib, numpy and jinja2")
      break()
    endif()
  endforeach()
endif()
if(PIPEGRAPH_PYTHON)
  message(STATUS "Python: ${PIPEGRAPH_PYTHON}")
else()
  message(STATUS "Python: none can import matplotlib, numpy and jinja2; reports will have no pictures")
endif()
