#include "models/operator_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "core/base/nearest.h"
#include "models/graph_builder.h"

namespace pipegraph {

namespace {

using Names = std::unordered_map<std::string, OperatorId>;  // looked up only

constexpr std::int64_t k_most_dimension = std::int64_t{1} << 31;

OperatorId find_operator(const YamlValue& value, const Names& names) {
  const std::string name = value.as_string();
  const auto found = names.find(name);
  if (found != names.end()) return found->second;
  std::vector<std::string> candidates;
  for (const auto& [candidate, id] : names) candidates.push_back(candidate);
  std::sort(candidates.begin(), candidates.end());
  const std::optional<std::string> close = nearest(name, candidates);
  value.fail(fmt::format("there is no operator '{}'", name),
             close ? fmt::format("'{}' or another operator of the model", *close)
                   : "an operator of the model");
}

MatrixProduct read_product(const YamlValue& value) {
  const std::vector<YamlValue> sizes = value.items();
  if (sizes.size() != 3)
    value.fail(fmt::format("a matrix product of {} sizes", sizes.size()), "[m, n, k]");
  return {sizes[0].as_integer(1, k_most_dimension), sizes[1].as_integer(1, k_most_dimension),
          sizes[2].as_integer(1, k_most_dimension)};
}

/// `[m, n, k]` or a list of them.
std::vector<MatrixProduct> read_products(const YamlValue& value) {
  const std::vector<YamlValue> items = value.items();
  if (items.empty()) value.fail("no matrix product", "[m, n, k] or a list of them");
  if (!items.front().is_sequence()) return {read_product(value)};
  std::vector<MatrixProduct> products;
  for (const YamlValue& item : items) products.push_back(read_product(item));
  return products;
}

/// Gradients of both factors. With parameters the second is summed over the samples; without, both
/// factors are activations and both gradients grow in rows.
std::vector<MatrixProduct> gradient_products(const std::vector<MatrixProduct>& forward,
                                             Bytes parameters) {
  std::vector<MatrixProduct> products;
  for (const MatrixProduct& p : forward) {
    products.push_back({p.m, p.k, p.n});
    if (parameters.count > 0)
      products.push_back({p.k, p.n, p.m, ProductScaling::Inner});
    else
      products.push_back({p.m, p.k, p.n});
  }
  return products;
}

/// Explicit times, given by `forward`; without `backward` it takes twice as long.
void read_times(MapReader& reader, Operator& op) {
  for (const char* key : {"flops", "backward_flops", "bytes", "backward_bytes", "matmul"})
    if (const auto work = reader.optional(key))
      work->fail(fmt::format("'{}' beside 'forward': a time replaces work", key),
                 "either times or work");
  op.forward.time = reader.required("forward").as_seconds();
  const auto whole = reader.optional("backward");
  const auto input = reader.optional("backward_input");
  const auto weight = reader.optional("backward_weight");
  op.backward.time = whole ? whole->as_seconds() : 2.0 * *op.forward.time;
  if (!input && !weight) return;
  if (!input || !weight)
    (input ? input : weight)
        ->fail("half of a split backward", "backward_input and backward_weight");
  if (whole) whole->fail("'backward' beside its two parts", "either the whole or both parts");
  op.backward_input.emplace().time = input->as_seconds();
  op.backward_weight.emplace().time = weight->as_seconds();
}

/// Work for the roofline; the backward's FLOPs and bytes default to twice the forward's.
void read_work(MapReader& reader, Operator& op) {
  for (const char* key : {"backward", "backward_input", "backward_weight"})
    if (const auto time = reader.optional(key))
      time->fail(fmt::format("'{}' without 'forward': times replace work in every pass", key),
                 "'forward' too");
  if (const auto flops = reader.optional("flops")) op.forward.flops = flops->as_flops();
  if (const auto bytes = reader.optional("bytes")) op.forward.bytes = bytes->as_bytes();
  if (const auto products = reader.optional("matmul"))
    op.forward.products = read_products(*products);
  op.backward.flops = {2.0 * op.forward.flops.count};
  op.backward.bytes = 2 * op.forward.bytes;
  if (const auto flops = reader.optional("backward_flops"))
    op.backward.flops = flops->as_flops();
  else
    op.backward.products = gradient_products(op.forward.products, op.parameters);
  if (const auto bytes = reader.optional("backward_bytes")) op.backward.bytes = bytes->as_bytes();
}

Operator read_operator(const YamlValue& value, const Names& names) {
  MapReader reader(value, "an operator");
  Operator op;
  op.name = reader.required("name").as_string();
  op.position = value.position();
  if (const auto inputs = reader.optional("inputs"))
    for (const YamlValue& input : inputs->items()) op.inputs.push_back(find_operator(input, names));
  if (const auto output = reader.optional("output")) op.output = output->as_bytes();
  if (const auto saved = reader.optional("saved")) op.saved = saved->as_bytes();
  if (const auto parameters = reader.optional("parameters")) op.parameters = parameters->as_bytes();
  if (const auto owner = reader.optional("tied_to")) op.tied_to = find_operator(*owner, names);
  if (const auto needs = reader.optional("output_needs_gradient"))
    op.output_needs_gradient = needs->as_bool();
  if (reader.optional("forward"))
    read_times(reader, op);
  else
    read_work(reader, op);
  reader.finish();
  return op;
}

/// A tensor that flows needs a size; only operators nobody reads may leave it out.
void require_outputs(const std::vector<YamlValue>& items, const std::vector<Operator>& operators) {
  for (const Operator& reader : operators)
    for (OperatorId input : reader.inputs)
      if (!items[input.index()].find("output"))
        items[input.index()].fail(fmt::format("missing key 'output': '{}' reads '{}'", reader.name,
                                              operators[input.index()].name),
                                  "e.g. output: 4 KiB");
}

}  // namespace

ComputationGraph read_operator_list(const YamlValue& operators, const std::string& name) {
  const std::vector<YamlValue> items = operators.items();
  if (items.empty()) operators.fail("a model without operators", "one or more");
  if (items.size() > k_most_operators)
    operators.fail(fmt::format("{} operators", items.size()),
                   fmt::format("at most {}", k_most_operators));
  Names names;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (items[i].is_map())
      if (const auto own = items[i].find("name"))
        names.emplace(own->as_string(), make_id<OperatorId>(i));
  std::vector<Operator> read;
  for (const YamlValue& item : items) read.push_back(read_operator(item, names));
  require_outputs(items, read);
  return {name, std::move(read)};
}

}  // namespace pipegraph
