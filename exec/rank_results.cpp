#include "exec/rank_results.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

/// Ranks run the same program, so plain bytes do.
struct NotedTimes {
  std::int32_t instruction = 0;
  double start_s = 0.0;
  double end_s = 0.0;
};

template <class T>
std::string to_bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

template <class T>
std::vector<T> from_bytes(const std::string& bytes) {
  check(bytes.size() % sizeof(T) == 0, "ranks send whole values");
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

}  // namespace

Seconds latest_of_ranks(Ranks& ranks, Seconds own) {
  if (ranks.size() == 1) return own;
  for (const std::string& bytes : ranks.all_gather(to_bytes(std::vector<double>{own.count()})))
    for (double seconds : from_bytes<double>(bytes)) own = std::max(own, Seconds{seconds});
  return own;
}

void gather_record(Ranks& ranks, const RecordPart& part, RunRecord& record) {
  if (ranks.size() == 1) return;
  std::vector<NotedTimes> own;
  for (std::size_t i = 0; i < part.program.size(); ++i) {
    if (std::ranges::find(part.devices, part.program.instructions()[i].device) ==
        part.devices.end())
      continue;
    const auto common = [&](Seconds time) { return (time + part.clock.correction(time)).count(); };
    own.push_back({static_cast<std::int32_t>(i), common(record.start[i]), common(record.end[i])});
  }
  for (const std::string& bytes : ranks.all_gather(to_bytes(own))) {
    for (const NotedTimes& noted : from_bytes<NotedTimes>(bytes)) {
      const auto i = static_cast<std::size_t>(noted.instruction);
      record.start[i] = Seconds{noted.start_s};
      record.end[i] = Seconds{noted.end_s};
    }
  }
}

}  // namespace pipegraph
