// A communicator of all ranks, for one kind of message of one owner, so that none is mistaken for
// another or for one of an owner that is gone.
#pragma once

#include <mpi.h>

namespace pipegraph {

class MpiCommunicator {
 public:
  /// All ranks make theirs in the same order. Errors: MachineError.
  MpiCommunicator();
  ~MpiCommunicator();
  MpiCommunicator(const MpiCommunicator&) = delete;
  MpiCommunicator& operator=(const MpiCommunicator&) = delete;
  MPI_Comm get() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace pipegraph
