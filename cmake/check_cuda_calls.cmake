# Says which calls of CUDA, cuBLAS, NCCL and CUPTI have a result that nobody looks at:
#   cmake -D ROOT=<project root> -P cmake/check_cuda_calls.cmake
# Prints each as "file: call" and fails if there is one. A call stands directly inside one of the macros of
# exec/cuda/cuda_error.h and cupti_library.h; what destructors do, and what clears an error that is being handled, may be cast to void.
cmake_policy(VERSION 3.25)
if(NOT IS_DIRECTORY "${ROOT}")
  message(FATAL_ERROR "ROOT must name the project's root, it is '${ROOT}'")
endif()

set(checking "PIPEGRAPH_(CUDA|CUDA_ENDED|CUBLAS|NCCL|CUPTI|CUPTI_MORE)[(](cupti[(][)][.])?$")
set(may_be_ignored
  cudaStreamDestroy cudaEventDestroy cudaFree cudaFreeHost cudaGraphDestroy cudaGraphExecDestroy cublasDestroy ncclCommAbort
  ncclGroupEnd cuptiActivityDisable
  cudaStreamSynchronize cudaSetDevice cudaGetLastError)

file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/exec/*.h ${ROOT}/exec/*.cpp ${ROOT}/exec/*.cu ${ROOT}/apps/*.h
  ${ROOT}/apps/*.cpp)
list(REMOVE_ITEM files exec/cuda/cuda_error.cpp exec/cuda/cupti_error.cpp)  # are the check
set(offences "")
set(calls 0)
foreach(file IN LISTS files)
  file(READ ${ROOT}/${file} text)
  if(NOT text MATCHES "(cuda|cublas|nccl|cupti)[A-Z]")
    continue()
  endif()
  string(REGEX REPLACE "//[^\n]*" "" text "${text}")
  string(REGEX REPLACE "[ \t\r\n\\\\;]+" "" text "${text}")
  while(text MATCHES "(cuda|cublas|nccl|cupti)[A-Z][A-Za-z0-9]*[(]")
    set(call ${CMAKE_MATCH_0})
    string(FIND "${text}" "${call}" at)
    string(SUBSTRING "${text}" 0 ${at} before)
    string(LENGTH "${call}" length)
    math(EXPR after "${at} + ${length}")
    string(SUBSTRING "${text}" ${after} -1 text)
    string(REPLACE "(" "" name "${call}")
    math(EXPR calls "${calls} + 1")
    if(before MATCHES "${checking}" OR (before MATCHES "static_cast<void>[(](cupti[(][)][.])?$" AND name IN_LIST may_be_ignored))
      continue()
    endif()
    string(APPEND offences "${file}: the result of ${name} is not checked\n")
  endwhile()
endforeach()
if(offences)
  message(FATAL_ERROR "${offences}")
endif()
if(calls EQUAL 0)
  message(FATAL_ERROR "no calls were found, so nothing was checked")
endif()
message(STATUS "${calls} calls of CUDA, cuBLAS, NCCL and CUPTI, all checked")
