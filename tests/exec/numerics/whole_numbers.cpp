#include "tests/exec/numerics/whole_numbers.h"

#include "core/base/errors.h"
#include "exec/training/data_fields.h"

namespace pipegraph::test {

namespace {

std::size_t elements_of(const ComputationGraph& graph, OperatorId op) {
  for (const DataField& field : data_fields(graph))
    if (field.op == op) return static_cast<std::size_t>(field.elements());
  return 1;
}

}  // namespace

WholeNumberData::WholeNumberData(const ComputationGraph& graph) : graph_(graph) {}

void WholeNumberData::read(OperatorId op, std::int64_t first_sample, std::span<float> into) const {
  const std::size_t size = elements_of(graph_, op);
  for (std::size_t i = 0; i < into.size(); ++i) {
    const std::size_t number = static_cast<std::size_t>(first_sample) * size + i;
    into[i] = static_cast<float>((number * 7 + static_cast<std::size_t>(op.value)) % 5) - 2.0F;
  }
}

void WholeNumberData::read(OperatorId, std::int64_t, std::span<std::int32_t>) const {
  check(false, "the network reads real numbers only");
}

void set_whole_number_weights(TrainingRun& run) {
  std::size_t salt = 0;
  for (const auto& [name, values] : run.parameters()) {
    std::vector<float> whole(values.size());
    for (std::size_t i = 0; i < whole.size(); ++i)
      whole[i] = static_cast<float>((i * i + i / 3 + salt) % 3) - 1.0F;
    run.set_parameter(name, whole);
    ++salt;
  }
}

template <class T>
void ShareOfData::read_each(OperatorId op, std::int64_t first_sample, std::span<T> into) const {
  const std::size_t size = elements_of(graph_, op);
  for (std::size_t i = 0; i < into.size() / size; ++i) {
    const std::int64_t own = first_sample + static_cast<std::int64_t>(i);
    const std::int64_t sample =
        own / share_.samples * share_.micro_batch + share_.first + own % share_.samples;
    all_.read(op, sample, into.subspan(i * size, size));
  }
}

void ShareOfData::read(OperatorId op, std::int64_t first_sample, std::span<float> into) const {
  read_each(op, first_sample, into);
}
void ShareOfData::read(OperatorId op, std::int64_t first_sample,
                       std::span<std::int32_t> into) const {
  read_each(op, first_sample, into);
}

}  // namespace pipegraph::test
