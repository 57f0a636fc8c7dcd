// The ranks of an MPI job.
#pragma once

#include "core/base/units.h"
#include "exec/state/failure.h"
#include "exec/transport/mpi/mpi_communicator.h"
#include "exec/transport/mpi/mpi_session.h"
#include "exec/transport/ranks.h"

namespace pipegraph {

class MpiRanks final : public Ranks {
 public:
  /// `session` must outlive it; all ranks make theirs together. A gather that other ranks do not
  /// join within `deadline` is an error.
  MpiRanks(const MpiSession& session, Seconds deadline) : session_(session), deadline_(deadline) {}

  int rank() const override { return session_.rank(); }
  int size() const override { return session_.size(); }
  /// Errors: MachineError, also as soon as the failure watched says that another rank has failed.
  std::vector<std::string> all_gather(std::string_view mine) override;
  std::vector<ClockEcho> ask_first_rank(int rounds, const ClockReader& now) override;

  /// Gathers end when this failure happens; it must outlive their calls. Null: none.
  void watch(const Failure* failure) { failure_ = failure; }

 private:
  void answer(int rank, int rounds, const ClockReader& now);
  ClockEcho ask(const ClockReader& now);
  void wait_for(MPI_Request& request, const char* what) const;

  const MpiSession& session_;
  MpiCommunicator gathers_, questions_;
  Seconds deadline_;
  const Failure* failure_ = nullptr;
};

}  // namespace pipegraph
