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
#include "core/model/operator_variant.h"

namespace pipegraph {

/// Which dimension of a product grows with the number of samples.
enum class ProductScaling : std::uint8_t {
  Rows,   ///< m: every sample adds rows to the output (forward, gradient of the input)
  Inner,  ///< k: every sample adds to the same output (gradient of the parameters)
};

/// One matrix product [m, k] x [k, n], the scaling dimension being per sample. Costs 2 m n k FLOPs
/// per sample. A batch of equal products (the heads of attention) stacks its rows in `m`.
struct MatrixProduct {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  ProductScaling scaling = ProductScaling::Rows;
  bool operator==(const MatrixProduct&) const = default;
};

/// Work of one pass of one operator, per sample unless said: for the roofline, or an explicit time
/// that replaces the whole formula and is linear in samples.
struct PassWork {
  std::optional<Seconds>
      time{};             ///< per sample, no launch; then work in FLOPs and bytes is ignored
  Seconds fixed_time{0};  ///< beside `time`: once per pass whatever the samples
  Flops flops{};          ///< besides the products
  Bytes bytes{};          ///< moved to and from memory
  Bytes fixed_bytes{};    ///< moved once per pass whatever the samples: parameters
  std::vector<MatrixProduct> products{};  ///< their flops come on top of `flops`
  bool operator==(const PassWork&) const = default;
  /// Whether there is anything to do; a pass without work costs nothing.
  bool empty() const;
};

/// What an operator computes, for executors; Opaque cannot be executed. The numbers an executor
/// needs beyond tensor shapes stand in `OperatorArithmetic`. Tensors are [rows, columns] per
/// sample.
enum class Arithmetic : std::uint8_t {
  Opaque,
  Input,   ///< a source of samples: real features, or indices below `table_rows` if that is set
  Linear,  ///< x W (+ bias), then `activation`, then + the second input if there is one
  Relu,
  Gelu,
  LayerNorm,  ///< over columns, with gain and offset
  Softmax,    ///< over columns
  Attention,  ///< projections to queries, keys, values, `heads` heads, projection of the result
  Embedding,  ///< row i of the table for every index i of the input
  PositionEmbedding,  ///< x + a learned [rows, columns] tensor
  EmbeddingBag,       ///< the rows of `indices` indices, pooled into one row
  Concat,             ///< along columns, in input order
  Add,
  MeanOverSequence,  ///< mean of the rows
  DotInteraction,    ///< the first input, then the dot products of inputs i > j, row by row
  MeanSquaredError,  ///< against targets of the input's shape, which it reads from the data itself
  CrossEntropy,      ///< softmax over columns against one class per row, read from the data itself
};

enum class Activation : std::uint8_t { None, Relu, Gelu };
enum class Pooling : std::uint8_t { Concat, Sum };

/// Shapes for executors: an output of [rows, columns] per sample (rows = sequence length or 1).
struct OperatorArithmetic {
  Arithmetic kind = Arithmetic::Opaque;
  std::int64_t rows = 1;
  std::int64_t columns = 0;
  std::int64_t heads = 0;                    ///< attention
  bool causal = false;                       ///< attention
  bool bias = false;                         ///< linear, attention
  Activation activation = Activation::None;  ///< linear
  std::int64_t table_rows = 0;               ///< embeddings and their inputs: rows of the table
  std::int64_t indices = 0;                  ///< embedding bag: indices per sample
  Pooling pooling = Pooling::Concat;         ///< embedding bag
  bool operator==(const OperatorArithmetic&) const = default;
};

struct Operator {
  std::string name;
  std::vector<OperatorId> inputs{};  ///< producers, in argument order, without duplicates
  PassWork forward{};
  PassWork backward{};                       ///< the whole backward; ignored if split below
  std::optional<PassWork> backward_input{};  ///< both or neither
  std::optional<PassWork> backward_weight{};
  Bytes output{};                ///< the tensor it produces
  std::optional<Bytes> saved{};  ///< given outright: all that is kept from forward to backward
  Bytes internal{};              ///< kept besides inputs and output when `saved` is not given
  Bytes parameters{};
  OperatorId tied_to{};               ///< owner of the parameters it shares; -1 = its own
  bool output_needs_gradient = true;  ///< false: no gradient flows back into its output
  OperatorArithmetic arithmetic;
  std::vector<OperatorVariant>
      variants{};           ///< measured alternatives, by (tensor_parallel, recompute)
  SourcePosition position;  ///< where it was written, for errors; may be empty
};

/// FLOPs per sample.
Flops flops(const MatrixProduct& product);
/// FLOPs of a pass per sample, products included; an explicit time has none.
Flops flops(const PassWork& work);

/// Both passes in one: work added up, times too. Errors: InternalError if one has a time, the other
/// work.
PassWork merged(const PassWork& first, const PassWork& second);

/// Part of an unsplit backward that `backward_input` stands for: all of it for an operator without
/// parameters, else half.
double input_gradient_share(const Operator& op);

}  // namespace pipegraph
