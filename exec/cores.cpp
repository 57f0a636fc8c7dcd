#include "exec/cores.h"

#include <pthread.h>
#include <sched.h>

#include <system_error>

#include "core/base/errors.h"

namespace pipegraph {

std::vector<int> usable_cores() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  std::vector<int> cores;
  if (::sched_getaffinity(0, sizeof mask, &mask) != 0) return {0};
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &mask)) cores.push_back(core);
  return cores;
}

void pin_this_thread(int core) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  CPU_SET(core, &mask);
  const int error = ::pthread_setaffinity_np(::pthread_self(), sizeof mask, &mask);
  if (error != 0)
    throw MachineError(fmt::format("cannot pin a thread to core {}: {}", core,
                                   std::generic_category().message(error)));
}

}  // namespace pipegraph
