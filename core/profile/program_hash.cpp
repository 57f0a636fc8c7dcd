#include "core/profile/program_hash.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <string_view>

namespace pipegraph {
namespace {

/// Numbers and texts in order, mixed into 64 bits.
class Hash {
 public:
  Hash& operator<<(std::uint64_t word) {
    // A multiply and a shift a word: each bit of the word reaches the whole state.
    state_ = (state_ ^ word) * 0x9e3779b97f4a7c15ULL;
    state_ ^= state_ >> 29;
    return *this;
  }
  template <class Number>
  requires(std::is_integral_v<Number> || std::is_enum_v<Number>) Hash& operator<<(Number number) {
    return *this << static_cast<std::uint64_t>(number);
  }
  Hash& operator<<(double number) { return *this << std::bit_cast<std::uint64_t>(number); }
  Hash& operator<<(std::string_view text) {
    *this << text.size();
    for (const char letter : text) *this << static_cast<unsigned char>(letter);
    return *this;
  }
  template <class Tag>
  Hash& operator<<(Id<Tag> id) {
    return *this << id.value;
  }
  Hash& operator<<(Bytes bytes) { return *this << bytes.count; }
  Hash& operator<<(MicroBatch samples) { return *this << samples.first << samples.last; }

  std::string text() const { return fmt::format("{:016x}", state_); }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

void add(Hash& hash, const PassWork& work) {
  hash << work.time.has_value() << work.time.value_or(Seconds{0}).count() << work.fixed_time.count()
       << work.flops.count << work.bytes << work.fixed_bytes << work.products.size();
  for (const MatrixProduct& product : work.products)
    hash << product.m << product.n << product.k << product.scaling;
}

void add(Hash& hash, const std::optional<PassWork>& work) {
  hash << work.has_value();
  if (work) add(hash, *work);
}

void add(Hash& hash, const OperatorArithmetic& a) {
  hash << a.kind << a.rows << a.columns << a.heads << a.causal << a.bias << a.activation
       << a.table_rows << a.indices << a.pooling;
}

void add(Hash& hash, const Operator& op) {
  hash << op.name << op.inputs.size();
  for (const OperatorId input : op.inputs) hash << input;
  add(hash, op.forward);
  add(hash, op.backward);
  add(hash, op.backward_input);
  add(hash, op.backward_weight);
  hash << op.output << op.saved.has_value() << op.saved.value_or(Bytes{}) << op.internal
       << op.parameters << op.tied_to << op.output_needs_gradient;
  add(hash, op.arithmetic);
}

void add(Hash& hash, const ComputationGraph& graph) {
  hash << graph.size();
  for (const Operator& op : graph.operators()) add(hash, op);
}

void add(Hash& hash, const Stage& stage) {
  hash << stage.name << stage.tensor_parallel << stage.operators.size();
  for (const OperatorId op : stage.operators) hash << op;
  hash << stage.recompute.size();
  for (const OperatorId op : stage.recompute) hash << op;
}

void add(Hash& hash, const Instruction& i) {
  hash << i.kind << i.gradients << i.element_bytes << i.device << i.lane << i.stage << i.peer
       << i.samples << i.payload << i.group << i.bytes;
}

void add_tables(Hash& hash, const Program& program) {
  hash << program.device_count() << program.lanes().size() << program.groups().size();
  for (const Lane& lane : program.lanes())
    hash << lane.device << lane.kind << lane.peer << lane.group;
  for (const Group& group : program.groups()) {
    hash << group.devices.size();
    for (const DeviceId device : group.devices) hash << device;
  }
  hash << program.payloads().size();
  for (const Payload& payload : program.payloads()) {
    hash << payload.size();
    for (const PayloadPart& part : payload) hash << part.tensor << part.samples;
  }
}

}  // namespace

std::string model_hash(const ComputationGraph& graph) {
  Hash hash;
  add(hash, graph);
  return hash.text();
}

std::string program_hash(const Workload& workload, const StageGraph& stages,
                         const Program& program) {
  Hash hash;
  add(hash, *workload.graph);
  hash << workload.training.mini_batch << workload.training.precision << workload.training.optimizer
       << stages.size();
  for (const Stage& stage : stages.stages()) add(hash, stage);
  add_tables(hash, program);
  hash << program.size();
  for (std::size_t i = 0; i < program.size(); ++i) {
    const auto id = make_id<InstructionId>(i);
    add(hash, program.at(id));
    hash << program.waits_on(id).size();
    for (const InstructionId before : program.waits_on(id)) hash << before;
  }
  return hash.text();
}

}  // namespace pipegraph
