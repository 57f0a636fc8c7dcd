#include "tests/support/data_engine.h"

#include <cstring>
#include <utility>

namespace pipegraph::test {
namespace {

class DataEngine : public Engine {
 public:
  DataEngine(DeviceData& data, Clock& clock) : data_(data), clock_(clock) {}

  void start(InstructionId compute) override { taken_.push_back(compute); }
  std::span<const Completion> poll() override {
    completed_.clear();
    for (InstructionId compute : std::exchange(taken_, {})) {
      const Seconds start = clock_.ready(compute);
      if (data_.compute) data_.compute(compute);
      completed_.push_back({compute, start, clock_.end(compute, start)});
    }
    return completed_;
  }
  std::span<const Piece> pieces(InstructionId half) override { return data_.pieces[half]; }
  GradientSum reduced(InstructionId all_reduce) override {
    const DeviceData::Sum& sum = data_.sums[all_reduce];
    return {sum.addends, sum.sum};
  }
  void add(Piece destination, Piece source) override {
    std::vector<float> sum(destination.bytes.count / sizeof(float)), addend(sum.size());
    std::memcpy(sum.data(), destination.data, destination.bytes.count);
    std::memcpy(addend.data(), source.data, source.bytes.count);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += addend[i];
    std::memcpy(destination.data, sum.data(), destination.bytes.count);
  }
  void copy(Piece destination, Piece source) override {
    std::memcpy(destination.data, source.data, source.bytes.count);
  }
  Piece allocate(Bytes bytes) override {
    allocated_.push_back(std::make_unique<std::byte[]>(bytes.count));
    return {allocated_.back().get(), bytes};
  }

 private:
  DeviceData& data_;
  Clock& clock_;
  std::vector<InstructionId> taken_;
  std::vector<Completion> completed_;
  std::vector<std::unique_ptr<std::byte[]>> allocated_;
};

}  // namespace

EngineFactory data_engines(std::map<DeviceId, DeviceData>& data) {
  return [&data](DeviceId device, Clock& clock) {
    return std::make_unique<DataEngine>(data.at(device), clock);
  };
}

Piece piece_of(std::vector<float>& values) {
  return {reinterpret_cast<std::byte*>(values.data()), Bytes{values.size() * sizeof(float)}};
}

}  // namespace pipegraph::test
