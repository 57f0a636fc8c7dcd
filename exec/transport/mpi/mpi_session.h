// This process as one of a job that mpirun or srun started: MPI begun and ended.
#pragma once

#include <mpi.h>

namespace pipegraph {

/// Whether a launcher started this process as one of several. MPI is begun only then: it takes a
/// tenth of a second, and what runs alone needs none.
bool started_by_a_launcher();

class MpiSession {
 public:
  /// Errors: MachineError if MPI cannot be used by several threads, or if a launcher started
  /// several processes that MPI does not know of.
  MpiSession();
  /// Ends MPI; while an exception is on its way the job is ended instead, once the process exits
  /// (after the exception has been told), for the other ranks may be waiting.
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }

 private:
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace pipegraph
