// Failed MPI calls as exceptions that say what MPI says.
#pragma once

#include <mpi.h>

#include <string>

#include "core/base/errors.h"

namespace pipegraph {

inline std::string mpi_problem(int result) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(result, text, &length);
  return {text, static_cast<std::size_t>(length)};
}

/// Throws MachineError unless the call succeeded; `what` is what was tried.
inline void check_mpi(int result, const char* what) {
  if (result != MPI_SUCCESS) [[unlikely]]
    throw MachineError(fmt::format("MPI: {} failed: {}", what, mpi_problem(result)));
}

}  // namespace pipegraph
