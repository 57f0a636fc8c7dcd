#include "exec/transport/mpi/mpi_communicator.h"

#include "exec/transport/mpi/mpi_wait.h"

namespace pipegraph {

MpiCommunicator::MpiCommunicator() {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Comm_idup(MPI_COMM_WORLD, &comm_, &request), "making a communicator");
  wait_for_ranks(request, {.what = "making a communicator"});
  check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "setting its error handler");
}

// Freeing is collective and may wait for ranks that are gone; the process keeps it until it ends.
MpiCommunicator::~MpiCommunicator() = default;

}  // namespace pipegraph
