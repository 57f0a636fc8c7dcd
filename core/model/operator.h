// One tensor operation of a network: what it reads, what it costs and what it leaves behind. All
// sizes and work are per sample, parameters are not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/errors.h"
#include "core/base/ids.h"
#include "core/base/units.h"

namespace pipegraph {

/// One matrix product [m, k] x [k, n]; `m` is per sample. Costs 2 m n k FLOPs per sample.
struct MatrixProduct {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  bool operator==(const MatrixProduct&) const = default;
};

/// Work of one pass of one operator, per sample: for the roofline, or an explicit time that
/// replaces the whole formula and is linear in samples.
struct PassWork {
  std::optional<Seconds> time;          ///< per sample, no launch; then the rest is ignored
  Flops flops;                          ///< besides the products
  Bytes bytes;                          ///< moved to and from memory
  std::vector<MatrixProduct> products;  ///< their flops come on top of `flops`
  bool operator==(const PassWork&) const = default;
};

/// What an operator computes, for executors; Opaque cannot be executed. The numbers an
/// executor needs beyond tensor shapes stand in `OperatorArithmetic`.
enum class Arithmetic : std::uint8_t {
  Opaque,
  Input,  ///< a source that makes or reads samples
  Linear,
  Relu,
  Gelu,
  LayerNorm,
  Softmax,
  Attention,
  Embedding,
  EmbeddingBag,
  Concat,
  Add,
  MeanOverSequence,
  DotInteraction,
  MeanSquaredError,
  CrossEntropy,
};

/// Shapes for executors: an output of [rows, columns] per sample (rows = sequence length or 1).
struct OperatorArithmetic {
  Arithmetic kind = Arithmetic::Opaque;
  std::int64_t rows = 1;
  std::int64_t columns = 0;
  std::int64_t heads = 0;       ///< attention
  bool causal = false;          ///< attention
  bool bias = false;            ///< linear
  std::int64_t table_rows = 0;  ///< embeddings: vocabulary
  std::int64_t indices = 0;     ///< embedding bag: indices per sample
  bool operator==(const OperatorArithmetic&) const = default;
};

struct Operator {
  std::string name;
  std::vector<OperatorId> inputs;  ///< producers, in argument order, without duplicates
  PassWork forward;
  PassWork backward;                       ///< the whole backward; sum of the two below if split
  std::optional<PassWork> backward_input;  ///< both or neither
  std::optional<PassWork> backward_weight;
  Bytes output;                ///< the tensor it produces
  std::optional<Bytes> saved;  ///< given outright: kept from forward to backward
  Bytes parameters;
  OperatorId tied_to;                 ///< owner of the parameters it shares; -1 = its own
  bool output_needs_gradient = true;  ///< false: no gradient flows back into its output
  OperatorArithmetic arithmetic;
  SourcePosition position;  ///< where it was written, for errors; may be empty
};

}  // namespace pipegraph
