// What training holds of parameters and moves of their gradients. The model counts parameters at
// the size of the data; with bf16 what is trained has 4 bytes an element, and products read a
// rounded copy of it besides.
#pragma once

#include "core/stage/workload.h"

namespace pipegraph {

/// In multiples of the bytes that the model counts for the parameters.
struct ParameterCopies {
  std::uint64_t weights = 1;    ///< bf16: 4 bytes for 2, and the rounded copy
  std::uint64_t gradients = 1;  ///< bf16: 4 bytes for 2
  std::uint64_t state = 0;      ///< of the optimizer
  std::uint64_t all() const { return weights + gradients + state; }
};
ParameterCopies parameter_copies(const Training& training);

/// Of an element of parameters' gradients, in memory and in all-reduces.
Bytes gradient_element(Precision precision);

/// Bytes that replicas reduce for parameters of so many bytes in the model.
Bytes reduced_bytes(const Training& training, Bytes parameters);

/// Reads and writes of one optimizer step, in the same multiples: what is trained, gradients (they
/// are cleared) and state are read and written; a rounded copy is written.
std::uint64_t optimizer_traffic(const Training& training);

}  // namespace pipegraph
