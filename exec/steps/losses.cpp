#include "exec/steps/losses.h"

#include <map>
#include <string>

#include "core/base/errors.h"

namespace pipegraph {

namespace {

using LossRows = std::map<OperatorId, std::vector<float>>;

/// The samples of the mini-batch that a device has computed of a loss: shares of its replica.
template <class Visit>
void for_each_share(const PassTables& tables, OperatorId loss, DeviceId device,
                    const Visit& visit) {
  const StageId stage = tables.model().stages.stage_of(loss);
  const SharePartition& partition = tables.model().slots.partition(stage);
  const std::int32_t replica = tables.model().replica_on(device, stage);
  for (std::int32_t index = 0; index < partition.count(); ++index) {
    const MicroBatch share = partition.share(index, replica);
    if (!share.empty()) visit(share);
  }
}

template <class T>
void append(std::string& text, std::span<const T> values) {
  text.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

template <class T>
void take(std::string_view& text, std::span<T> values) {
  check(text.size() >= values.size_bytes(), "a rank's losses are complete");
  text.copy(reinterpret_cast<char*>(values.data()), values.size_bytes());
  text.remove_prefix(values.size_bytes());
}

/// Losses of this process: for each share operator, first sample, samples, and that many numbers.
std::string own_losses(const TrainingDevices& devices) {
  std::string text;
  for (const TrainingEngine* engine : devices.engines()) {
    if (engine == nullptr) continue;
    const std::vector<OperatorId>& losses = engine->passes().losses();
    for (std::size_t row = 0; row < losses.size(); ++row) {
      std::vector<float> values(static_cast<std::size_t>(devices.tables().mini_batch()));
      engine->read({Area::Losses, Bytes{sizeof(float) * row * values.size()}}, values);
      for_each_share(
          devices.tables(), losses[row], engine->passes().device(), [&](MicroBatch share) {
            const std::int32_t head[] = {losses[row].value, share.first, share.last};
            append<std::int32_t>(text, head);
            append<float>(text,
                          std::span(values).subspan(static_cast<std::size_t>(share.first),
                                                    static_cast<std::size_t>(share.samples())));
          });
    }
  }
  return text;
}

void add_losses(std::string_view text, LossRows& rows) {
  while (!text.empty()) {
    std::int32_t head[3];
    take<std::int32_t>(text, head);
    std::vector<float>& row = rows.at(OperatorId{head[0]});
    take<float>(text, std::span(row).subspan(static_cast<std::size_t>(head[1]),
                                             static_cast<std::size_t>(head[2] - head[1])));
  }
}

}  // namespace

std::vector<LossValue> collect_losses(const TrainingDevices& devices, Ranks& ranks) {
  const ComputationGraph& graph = devices.tables().graph();
  LossRows rows;
  for (std::size_t i = 0; i < graph.size(); ++i)
    if (is_loss(graph.operators()[i].arithmetic))
      rows[make_id<OperatorId>(i)].resize(static_cast<std::size_t>(devices.tables().mini_batch()));
  for (const std::string& text : ranks.all_gather(own_losses(devices))) add_losses(text, rows);
  std::vector<LossValue> values;
  for (const auto& [loss, row] : rows) {
    double sum = 0.0;
    for (const float sample : row) sum += static_cast<double>(sample);
    values.push_back({loss, sum / static_cast<double>(row.size())});
  }
  return values;
}

}  // namespace pipegraph
