#include "apps/this_machine.h"

#include "exec/cpu/blas.h"
#include "exec/measure/machine.h"

namespace pipegraph {

Machine this_machine() {
  Machine machine = this_processor();
  machine.blas = blas_name();
  machine.blas_core = blas_core();
  return machine;
}

}  // namespace pipegraph
