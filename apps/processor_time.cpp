#include "apps/processor_time.h"

#include <sys/resource.h>

#include <ctime>

namespace pipegraph {
namespace {

Seconds seconds(const timeval& time) {
  return Seconds{static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec)};
}

}  // namespace

Seconds processor_time() {
  timespec own{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
  rusage children{};
  ::getrusage(RUSAGE_CHILDREN, &children);
  return Seconds{static_cast<double>(own.tv_sec) + 1e-9 * static_cast<double>(own.tv_nsec)} +
         seconds(children.ru_utime) + seconds(children.ru_stime);
}

}  // namespace pipegraph
