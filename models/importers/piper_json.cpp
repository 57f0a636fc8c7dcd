#include "models/importers/piper_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "models/graph_builder.h"
#include "models/importers/measured_work.h"

namespace pipegraph {
namespace {

constexpr std::int64_t k_most_degree = 10'000;
constexpr double k_forward_share = 1.0 / 3.0;  // a backward takes twice a forward

double read_amount(const YamlValue& value) {
  const double amount = value.as_double();
  if (amount < 0.0 || amount > k_most_imported)
    value.fail(fmt::format("{:g} is out of range", amount),
               fmt::format("a number from 0 to {:g}", k_most_imported));
  return amount;
}

std::int64_t key_as_integer(const YamlValue& map, const std::string& key) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), number);
  if (error != std::errc{} || end != key.data() + key.size())
    throw ConfigError(map.key_position(key), fmt::format("'{}' is not a number", key),
                      "a whole number in quotes");
  return number;
}

/// One layer while the file is being read.
struct Layer {
  YamlValue value;
  std::string name;
  std::vector<std::size_t> inputs;  ///< by number
  std::vector<std::size_t> consumers;
  std::map<std::size_t, double> input_bytes;  ///< of the edges
  std::map<std::size_t, double> output_bytes;
};

class PiperFile {
 public:
  PiperFile(const YamlValue& root, const ImportRequest& request) : request_(request) {
    MapReader reader(root, "a Piper layer graph");
    for (const char* key : {"maxDevices", "maxMemoryPerDevice", "bandwidth"})
      read_amount(reader.required(key));
    const char* batch = reader.has("maxBatchSize") ? "maxBatchSize" : "mbsInBatch";
    read_amount(reader.required(batch));
    const YamlValue nodes = reader.required("nodes");
    const YamlValue edges = reader.required("edges");
    reader.finish();
    read_layers(nodes);
    for (const YamlValue& edge : edges.items()) read_edge(edge);
  }

  ComputationGraph graph() const {
    std::vector<Operator> operators;
    for (const Layer& layer : layers_) operators.push_back(to_operator(layer));
    return {request_.name, std::move(operators)};
  }

 private:
  void read_layers(const YamlValue& nodes) {
    const std::vector<YamlValue> items = nodes.items();
    if (items.empty() || items.size() > k_most_operators)
      nodes.fail(fmt::format("{} nodes", items.size()), fmt::format("1 to {}", k_most_operators));
    std::set<std::string> names;
    bool unique = true;
    for (const YamlValue& item : items) {
      MapReader reader(item, "a node");
      const YamlValue id = reader.required("id");
      if (!number_of_.emplace(id.as_integer(), layers_.size()).second)
        id.fail(fmt::format("node {} given twice", id.as_integer()), "each node once");
      const auto name = reader.optional("name");
      const YamlValue ways = reader.required("TMPCs");
      reader.finish();
      layers_.push_back({ways, name ? name->as_string() : "", {}, {}, {}, {}});
      unique = unique && !layers_.back().name.empty() && names.insert(layers_.back().name).second;
    }
    if (unique) return;
    for (const auto& [id, number] : number_of_) {
      std::string& name = layers_[number].name;
      name = fmt::format("node{}{}{}", id, name.empty() ? "" : ".", name);
    }
  }

  std::size_t find(std::int64_t id, const SourcePosition& position) const {
    const auto found = number_of_.find(id);
    if (found == number_of_.end())
      throw ConfigError(position, fmt::format("there is no node {}", id), "the id of a node");
    return found->second;
  }

  void read_edge(const YamlValue& edge) {
    MapReader reader(edge, "an edge");
    const YamlValue source = reader.required("sourceId");
    const YamlValue destination = reader.required("destId");
    const double bytes = read_amount(reader.required("communicationCost"));
    reader.finish();
    const std::size_t from = find(source.as_integer(), source.position());
    const std::size_t to = find(destination.as_integer(), destination.position());
    if (!layers_[from].output_bytes.emplace(to, bytes).second)
      edge.fail("edge given twice", "each edge once");
    layers_[to].input_bytes.emplace(from, bytes);
    layers_[to].inputs.push_back(from);
    layers_[from].consumers.push_back(to);
  }

  /// "{NODE ID: bytes}" for exactly the nodes of `edges`: bytes per edge, the tensor's included.
  std::map<std::size_t, double> read_sync(const YamlValue& map,
                                          const std::map<std::size_t, double>& edges) const {
    std::map<std::size_t, double> total = edges;
    std::size_t named = 0;
    for (const std::string& key : map.keys()) {
      const auto edge = total.find(find(key_as_integer(map, key), map.key_position(key)));
      if (edge == total.end())
        throw ConfigError(map.key_position(key), "there is no such edge",
                          "a neighbour of the node");
      edge->second += read_amount(*map.find(key));
      ++named;
    }
    if (named != edges.size())
      map.fail(fmt::format("{} of {} edges", named, edges.size()), "all edges of the node");
    return total;
  }

  Bytes sample_bytes(double bytes) const { return per_sample(bytes, request_.profile_samples); }

  OperatorVariant read_way(const YamlValue& value, const Layer& layer) const {
    MapReader reader(value, "a way to run a node");
    OperatorVariant way;
    const YamlValue id = reader.required("id");
    way.recompute = id.as_string().find("recomp") != std::string::npos;
    const double time = read_amount(reader.required("timePerSample"));
    way.time = request_.time_unit * (time / static_cast<double>(request_.profile_samples));
    way.parameters = per_sample(read_amount(reader.required("parameterSize")), 1);
    way.saved = sample_bytes(read_amount(reader.required("memoryUsageA")));
    way.fixed = per_sample(read_amount(reader.required("memoryUsageB")), 1);
    const auto inputs = read_sync(reader.required("syncTimeFw"), layer.input_bytes);
    const auto outputs = read_sync(reader.required("syncTimeBw"), layer.output_bytes);
    reader.finish();
    for (const std::size_t input : layer.inputs)
      way.input_bytes.push_back(sample_bytes(inputs.at(input)));
    for (const auto& [consumer, bytes] : outputs)
      way.output_bytes.emplace_back(make_id<OperatorId>(consumer), sample_bytes(bytes));
    return way;
  }

  std::vector<OperatorVariant> read_ways(const Layer& layer) const {
    std::vector<OperatorVariant> ways;
    for (const std::string& key : layer.value.keys()) {
      const std::int64_t degree = key_as_integer(layer.value, key);
      if (degree < 1 || degree > k_most_degree)
        throw ConfigError(layer.value.key_position(key), fmt::format("{} devices", degree),
                          fmt::format("1 to {}", k_most_degree));
      for (const YamlValue& item : layer.value.find(key)->items()) {
        OperatorVariant way = read_way(item, layer);
        way.tensor_parallel = static_cast<std::int32_t>(degree);
        for (const OperatorVariant& other : ways)
          if (other.tensor_parallel == degree && other.recompute == way.recompute)
            item.fail("a second way of that kind",
                      "per number of devices one way without and one with 'recomp' in its id");
        ways.push_back(std::move(way));
      }
    }
    std::ranges::sort(ways, {}, [](const OperatorVariant& way) {
      return std::pair(way.tensor_parallel, way.recompute);
    });
    if (ways.empty() || ways.front().tensor_parallel != 1 || ways.front().recompute)
      layer.value.fail("no way to run the node on one device without recomputation",
                       "\"1\": [...]");
    return ways;
  }

  Operator to_operator(const Layer& layer) const {
    Operator op;
    op.name = layer.name;
    op.position = layer.value.position();
    for (const std::size_t input : layer.inputs) op.inputs.push_back(make_id<OperatorId>(input));
    op.variants = read_ways(layer);
    const OperatorVariant& plain = op.variants.front();
    const Seconds whole = plain.time * static_cast<double>(request_.profile_samples);
    op.forward = measured(whole * k_forward_share, request_);
    op.backward = measured(whole * (1.0 - k_forward_share), request_);
    double output = 0.0;
    for (const auto& [consumer, bytes] : layer.output_bytes) output = std::max(output, bytes);
    op.output = sample_bytes(output);
    op.saved = plain.saved;
    op.parameters = plain.parameters;
    return op;
  }

  const ImportRequest& request_;
  std::vector<Layer> layers_;
  std::map<std::int64_t, std::size_t> number_of_;
};

}  // namespace

ComputationGraph import_piper_json(const ImportRequest& request) {
  return PiperFile(YamlValue::load(request.file), request).graph();
}

}  // namespace pipegraph
