#include "core/report/trace.h"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/base/files.h"
#include "core/program/text.h"

namespace pipegraph {
namespace {

std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

double microseconds(Seconds time) { return 1e6 * time.count(); }

class TraceWriter {
 public:
  TraceWriter(const std::filesystem::path& path, const RunReport& report)
      : report_(report), program_(report.run.program), file_(path) {}

  void write() {
    begin();
    name_devices();
    name_lanes();
    for (std::size_t i = 0; i < program_.size(); ++i) {
      const auto id = make_id<InstructionId>(i);
      if (!shows(id)) continue;
      slice(id);
      const InstructionId recv = report_.index.other_half(id);
      if (program_.at(id).kind == InstructionKind::Send && recv.valid() && shows(recv))
        arrow(id, recv);
    }
    add("\n]}}\n");
    flush();
    file_.commit();
  }

 private:
  template <class... Values>
  void add(fmt::format_string<const Values&...> format, const Values&... values) {
    fmt::format_to(std::back_inserter(buffer_), format, values...);
  }
  void flush() {
    file_.append({buffer_.data(), buffer_.size()});
    buffer_.clear();
  }
  void next_event() {
    constexpr std::size_t k_buffer_bytes = std::size_t{1} << 20;
    add("{}", first_ ? "\n" : ",\n");
    first_ = false;
    if (buffer_.size() > k_buffer_bytes) flush();
  }
  bool shows(InstructionId id) const {
    return !report_.window || report_.window->shows(id, report_.run.timeline.start[id.index()]);
  }

  void begin() {
    add(R"({{"displayTimeUnit": "ms", "otherData": {{"shown": {}}}, "traceEvents": [)",
        json_text(shown_text()));
  }
  std::string shown_text() const {
    if (!report_.window) return "all instructions";
    return fmt::format("the first {} of {} instructions", report_.window->shown,
                       report_.window->all);
  }

  void name_devices() {
    for (DeviceId device : report_.devices) {
      std::string name =
          fmt::format("d{} {}", device.value, report_.topology().device(device).name);
      if (report_.window) name += fmt::format(" ({})", shown_text());
      next_event();
      add(R"({{"ph": "M", "name": "process_name", "pid": {}, "args": {{"name": {}}}}})",
          device.value, json_text(name));
    }
  }
  void name_lanes() {
    for (std::size_t i = 0; i < program_.lanes().size(); ++i) {
      const Lane& lane = program_.lanes()[i];
      next_event();
      add(R"({{"ph": "M", "name": "thread_name", "pid": {}, "tid": {}, "args": )"
          R"({{"name": {}}}}})",
          lane.device.value, i, json_text(to_text(lane)));
    }
  }
  void slice(InstructionId id) {
    const Instruction& instruction = program_.at(id);
    const Timeline& timeline = report_.run.timeline;
    const Seconds start = timeline.start[id.index()];
    next_event();
    add(R"({{"ph": "X", "name": {}, "cat": "{}", "pid": {}, "tid": {}, "ts": {}, )"
        R"("dur": {}, "args": {{"instruction": {}, "waited_us": {}, "bytes": {}}}}})",
        json_text(to_text(instruction)), to_text(instruction.kind), instruction.device.value,
        instruction.lane.value, microseconds(start), microseconds(timeline.end[id.index()] - start),
        id.value, microseconds(start - timeline.ready[id.index()]), instruction.bytes.count);
  }
  void arrow(InstructionId send, InstructionId recv) {
    for (const InstructionId end : {send, recv}) {
      const bool starts = end == send;
      next_event();
      add(R"({{"ph": "{}", "name": "message", "cat": "message", "id": {}, "pid": {}, )"
          R"("tid": {}, "ts": {}{}}})",
          starts ? "s" : "f", send.value, program_.at(end).device.value,
          program_.at(end).lane.value, microseconds(report_.run.timeline.start[end.index()]),
          starts ? "" : R"(, "bp": "e")");
    }
  }

  const RunReport& report_;
  const Program& program_;
  FileWriter file_;
  fmt::memory_buffer buffer_;
  bool first_ = true;
};

}  // namespace

void write_trace(const std::filesystem::path& path, const RunReport& report) {
  TraceWriter(path, report).write();
}

}  // namespace pipegraph
