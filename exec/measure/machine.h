// What this machine is, for cost files: times count where processor, cores and matrix kernels (of
// GPUs: kind and libraries) agree.
#pragma once

#include "core/profile/cost_file.h"

namespace pipegraph {

/// Processor and usable cores (of the affinity mask); `blas` and `blas_core` are left empty.
Machine this_processor();

/// The processor's name in a text like /proc/cpuinfo; empty if it has none.
std::string processor_name(std::string_view cpuinfo);

/// What of `measured` is not so on `here`, for people; empty if times carry over. What GPUs took
/// depends on GPUs and libraries rather than on the host's matrix kernels; where those of `here`
/// were not asked for, since only CUDA knows them, they are taken to be the same.
std::string difference(const Machine& measured, const Machine& here);

}  // namespace pipegraph
