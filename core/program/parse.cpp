// Programs from text; the grammar stands in docs/program_text.md.
#include <fmt/format.h>

#include <limits>
#include <optional>
#include <variant>

#include "core/program/text.h"
#include "core/program/text_cursor.h"

namespace pipegraph {

namespace {

constexpr std::int64_t k_largest_id = std::numeric_limits<std::int32_t>::max() - 1;
constexpr std::int64_t k_largest_device_count = 16'777'216;
constexpr std::int64_t k_largest_bytes = std::int64_t{1} << 62;

/// Reads the tables, then the instructions; owns everything known so far.
class ProgramParser {
 public:
  ProgramParser(std::string_view text, const std::string& name) : cursor_(text, name) {}

  Program parse() {
    for (; !cursor_.at_end(); cursor_.end_line()) {
      cursor_.skip_blanks();
      if (!cursor_.at_line_end()) line();
    }
    if (!has_devices_) cursor_.fail("there is no line 'devices N'", "one before everything else");
    start_instructions();
    check_waits();
    return std::move(*builder_).build();
  }

 private:
  struct Wait {
    InstructionId id;
    TextCursor at;
  };

  void line() {
    if (cursor_.take_word("devices")) return devices();
    if (!has_devices_) cursor_.fail(cursor_.here(), "'devices N' before everything else");
    if (cursor_.take_word("stage")) return stage();
    if (cursor_.take_word("group")) return group();
    if (cursor_.take_word("payload")) return payload();
    instruction();
  }

  void devices() {
    if (has_devices_) cursor_.fail("a second line 'devices'", "one only");
    device_count_ = cursor_.number(k_largest_device_count, "the number of devices");
    has_devices_ = true;
  }

  void stage() {
    if (builder_) cursor_.fail("a stage after a group, payload or instruction", "stages first");
    table_index(stage_count_, "stage");
    stage_names_.push_back(unescape(cursor_.rest_of_line()));
    ++stage_count_;
  }

  std::string unescape(std::string_view text) const {
    constexpr std::string_view k_codes = "nrst\\";
    constexpr std::string_view k_characters = "\n\r \t\\";
    std::string name;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '\\') {
        name += text[i];
        continue;
      }
      const std::size_t code = ++i < text.size() ? k_codes.find(text[i]) : std::string_view::npos;
      if (code == std::string_view::npos)
        cursor_.fail("a backslash stands alone", R"('\n', '\r', '\s', '\t' or '\\')");
      name += k_characters[code];
    }
    return name;
  }

  void group() {
    start_instructions();
    table_index(groups_, "group");
    Group group;
    while (!cursor_.at_line_end()) group.devices.push_back(device());
    if (group.devices.empty()) cursor_.fail("the group is empty", "its devices, e.g. 'd0 d1'");
    if (builder_->group(group).index() != groups_) cursor_.fail("the group exists", "a new one");
    ++groups_;
  }

  void payload() {
    start_instructions();
    table_index(payloads_, "payload");
    Payload payload;
    while (!cursor_.at_line_end()) {
      cursor_.expect("t");
      const OperatorId tensor{static_cast<std::int32_t>(cursor_.number(k_largest_id, "a tensor"))};
      payload.push_back({tensor, samples()});
      cursor_.skip_blanks();
    }
    if (builder_->payload(payload).index() != payloads_)
      cursor_.fail("the payload exists", "a new one");
    ++payloads_;
  }

  /// Table entries are numbered without gaps.
  void table_index(std::size_t next, std::string_view what) {
    const TextCursor at = cursor_;
    if (cursor_.number(k_largest_id, what) != static_cast<std::int64_t>(next))
      at.fail(at.here(), fmt::format("{} {}, counted without gaps", what, next));
  }

  void start_instructions() {
    if (!builder_)
      builder_.emplace(static_cast<std::size_t>(device_count_), std::move(stage_names_));
  }

  void instruction() {
    start_instructions();
    table_index(builder_->size(), "instruction");
    Instruction i;
    i.device = device();
    const Lane lane = this->lane(i.device);
    cursor_.expect(":");
    cursor_.skip_blanks();
    action(i);
    i.lane = builder_->lane(lane);
    attributes(i);
    builder_->add(i, waits());
  }

  DeviceId device() {
    cursor_.expect("d");
    const TextCursor at = cursor_;
    const std::int64_t id = cursor_.number(k_largest_id, "a device");
    if (id >= device_count_)
      at.fail(fmt::format("device d{} does not exist", id),
              fmt::format("one of d0 to d{}", device_count_ - 1));
    return DeviceId{static_cast<std::int32_t>(id)};
  }

  GroupId group_id() {
    const TextCursor at = cursor_;
    const std::int64_t id = cursor_.number(k_largest_id, "a group");
    if (id >= static_cast<std::int64_t>(groups_))
      at.fail(fmt::format("group {} does not exist", id), "a line 'group' for it before");
    return GroupId{static_cast<std::int32_t>(id)};
  }

  Lane lane(DeviceId device_id) {
    if (cursor_.take_word("compute")) return {device_id, LaneKind::Compute, {}, {}};
    if (cursor_.take_word("to")) return {device_id, LaneKind::Send, device(), {}};
    if (cursor_.take_word("from")) return {device_id, LaneKind::Recv, device(), {}};
    if (cursor_.take_word("group")) return {device_id, LaneKind::Collective, {}, group_id()};
    cursor_.fail(cursor_.here(), "a lane: 'compute', 'to dN', 'from dN' or 'group N'");
  }

  void action(Instruction& i) {
    if (cursor_.take_word("send")) return transfer(i, InstructionKind::Send);
    if (cursor_.take_word("recv")) return transfer(i, InstructionKind::Recv);
    if (cursor_.take_word("all_reduce")) return whole_stage(i, InstructionKind::AllReduce);
    if (cursor_.take_word("optimizer")) return whole_stage(i, InstructionKind::Optimizer);
    if (cursor_.take("F")) return pass(i, InstructionKind::Forward);
    if (cursor_.take("B")) return pass(i, InstructionKind::Backward);
    if (cursor_.take("I")) return pass(i, InstructionKind::BackwardInput);
    if (cursor_.take("W")) return pass(i, InstructionKind::BackwardWeight);
    cursor_.fail(cursor_.here(),
                 "a pass such as 'F0[0,4)', 'send', 'recv', 'all_reduce' or 'optimizer'");
  }

  void pass(Instruction& i, InstructionKind kind) {
    i.kind = kind;
    i.stage = stage_id();
    i.samples = samples();
    cursor_.skip_blanks();
  }

  void transfer(Instruction& i, InstructionKind kind) {
    i.kind = kind;
    i.gradients = cursor_.take("B");
    if (!i.gradients) cursor_.expect("F");
    i.stage = stage_id();
    i.samples = samples();
    cursor_.expect(kind == InstructionKind::Send ? ">" : "<");
    i.peer = device();
  }

  void whole_stage(Instruction& i, InstructionKind kind) {
    i.kind = kind;
    if (cursor_.take_word("tied")) return;
    cursor_.expect("s");
    i.stage = stage_id();
    cursor_.skip_blanks();
  }

  StageId stage_id() {
    const TextCursor at = cursor_;
    const std::int64_t id = cursor_.number(k_largest_id, "a stage");
    if (id >= static_cast<std::int64_t>(stage_count_))
      at.fail(fmt::format("stage {} does not exist", id), "a line 'stage' for it before");
    return StageId{static_cast<std::int32_t>(id)};
  }

  MicroBatch samples() {
    cursor_.expect("[");
    MicroBatch range;
    range.first = static_cast<std::int32_t>(cursor_.number(k_largest_id, "the first sample"));
    cursor_.expect(",");
    const TextCursor at = cursor_;
    range.last = static_cast<std::int32_t>(cursor_.number(k_largest_id, "the last sample"));
    if (range.empty()) at.fail("the sample range is empty", "an end after its begin");
    cursor_.expect(")");
    return range;
  }

  void attributes(Instruction& i) {
    if (cursor_.take_word("group")) i.group = group_id();
    if (cursor_.take_word("bytes"))
      i.bytes.count =
          static_cast<std::uint64_t>(cursor_.number(k_largest_bytes, "a size in bytes"));
    if (cursor_.take_word("element"))
      i.element_bytes = static_cast<std::uint8_t>(cursor_.number(255, "bytes of an element"));
    if (cursor_.take_word("payload")) i.payload = payload_id();
    if (cursor_.take_word("time")) i.duration = time();
  }

  PayloadId payload_id() {
    const TextCursor at = cursor_;
    const std::int64_t id = cursor_.number(k_largest_id, "a payload");
    if (id >= static_cast<std::int64_t>(payloads_))
      at.fail(fmt::format("payload {} does not exist", id), "a line 'payload' for it before");
    return PayloadId{static_cast<std::int32_t>(id)};
  }

  Seconds time() {
    const TextCursor at = cursor_;
    std::string text(cursor_.word());
    text += " ";
    text += cursor_.word();
    const Parsed<Seconds> parsed = parse_seconds(text);
    if (const auto* error = std::get_if<QuantityError>(&parsed))
      at.fail(error->problem, error->expected);
    return std::get<Seconds>(parsed);
  }

  std::vector<InstructionId> waits() {
    std::vector<InstructionId> result;
    if (!cursor_.take_word("after")) return result;
    do {
      const TextCursor at = cursor_;
      const auto id = static_cast<std::int32_t>(cursor_.number(k_largest_id, "an instruction"));
      result.push_back({id});
      if (result.back().index() >= builder_->size()) later_.push_back({result.back(), at});
    } while (!cursor_.at_line_end());
    return result;
  }

  void check_waits() const {
    for (const Wait& wait : later_)
      if (wait.id.index() >= builder_->size())
        wait.at.fail(fmt::format("instruction {} does not exist", wait.id.value),
                     fmt::format("one of the {} of this program", builder_->size()));
  }

  TextCursor cursor_;
  bool has_devices_ = false;
  std::int64_t device_count_ = 0;
  std::size_t stage_count_ = 0, groups_ = 0, payloads_ = 0;
  std::vector<std::string> stage_names_;
  std::optional<ProgramBuilder> builder_;
  std::vector<Wait> later_;
};

}  // namespace

Program parse_program(std::string_view text, const std::string& name) {
  return ProgramParser(text, name).parse();
}

}  // namespace pipegraph
