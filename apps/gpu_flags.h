// What the command line says about GPUs: how devices share them and exchange messages.
#pragma once

#include <string>

#include "apps/options.h"
#include "exec/cuda/gpu_options.h"

namespace pipegraph {

/// Adds `--share-gpus`, `--transport`, `--nccl-communicators`, `--deterministic`,
/// `--attention`, `--gpu-times`.
void add_gpu_options(Options& options);
/// Errors: ConfigError.
GpuOptions gpu_options(const boost::program_options::variables_map& values);
/// For backends without GPUs. Errors: ConfigError if one of them was given.
void refuse_gpu_options(const boost::program_options::variables_map& values);

/// " transport nccl, ..." where ranks have to agree; empty for what is the default.
std::string to_text(const GpuOptions& options);

}  // namespace pipegraph
