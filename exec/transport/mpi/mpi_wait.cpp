#include "exec/transport/mpi/mpi_wait.h"

#include <chrono>
#include <thread>

namespace pipegraph {

namespace {

constexpr int k_looks_before_sleeping = 2000;
constexpr std::chrono::microseconds k_sleep{100};

}  // namespace

void wait_for_ranks(MPI_Request& request, const RankWait& wait) {
  const auto begin = std::chrono::steady_clock::now();
  for (int looks = 0;; ++looks) {
    int done = 0;
    check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), wait.what);
    if (done != 0) return;
    if (wait.failure != nullptr && wait.failure->happened()) {
      const Fault fault = wait.failure->first();
      throw ExecutionError(fmt::format("rank {} has failed: {}", fault.rank, fault.what), fault);
    }
    if (std::chrono::steady_clock::now() - begin > wait.deadline)
      throw MachineError(
          fmt::format("{}: for {} s another rank has not taken part; it has ended or hangs",
                      wait.what, wait.deadline.count()));
    if (looks > k_looks_before_sleeping) std::this_thread::sleep_for(k_sleep);
  }
}

}  // namespace pipegraph
