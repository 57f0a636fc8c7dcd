#include "exec/transport/mpi/mpi_session.h"

#include <dlfcn.h>

#include <cstdlib>
#include <exception>
#include <string>

#include "exec/transport/mpi/mpi_call.h"

namespace pipegraph {

namespace {

constexpr int k_fault_of_the_machine = 3;

int number_from(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? 0 : std::atoi(text);
}

/// Tasks that srun says it started.
int tasks_of_srun() {
  return std::getenv("SLURM_PROCID") == nullptr ? 0 : number_from("SLURM_STEP_NUM_TASKS");
}

/// SimGrid's library defines the same functions, for simulated processes.
void check_that_mpi_is_real() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&MPI_Init_thread), &info) == 0) return;
  check(std::string(info.dli_fname).find("simgrid") == std::string::npos,
        "MPI functions are those of MPI, not of SimGrid");
}

void end_the_job() { MPI_Abort(MPI_COMM_WORLD, k_fault_of_the_machine); }

}  // namespace

bool started_by_a_launcher() {
  return number_from("OMPI_COMM_WORLD_SIZE") > 1 || number_from("PMI_SIZE") > 1 ||
         tasks_of_srun() > 1;
}

MpiSession::MpiSession() {
  check_that_mpi_is_real();
  int provided = MPI_THREAD_SINGLE;
  check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided), "beginning");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (provided < MPI_THREAD_MULTIPLE)
    throw MachineError("MPI: this library cannot be called by several threads at a time");
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  if (const int tasks = tasks_of_srun(); tasks > 1 && size_ == 1)
    throw MachineError(fmt::format(
        "srun started {} tasks, but to MPI each is alone; use srun --mpi=pmix or --mpi=pmi2 (srun "
        "--mpi=list shows what there is), or mpirun",
        tasks));
}

MpiSession::~MpiSession() {
  if (std::uncaught_exceptions() > 0) {
    std::atexit(end_the_job);
    return;
  }
  MPI_Finalize();
}

}  // namespace pipegraph
