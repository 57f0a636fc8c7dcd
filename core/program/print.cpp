// Programs as text.
#include <fmt/format.h>

#include <iterator>

#include "core/program/text.h"

namespace pipegraph {

namespace {

char pass_letter(InstructionKind kind) {
  static constexpr std::string_view k_letters = "FBIW";
  return k_letters[static_cast<std::size_t>(kind)];
}

std::string stage_token(StageId stage) {
  return stage.valid() ? fmt::format("s{}", stage.value) : "tied";
}

/// Names are the rest of their line; what would not survive there is escaped.
std::string escape(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (c == '\n')
      text += "\\n";
    else if (c == '\r')
      text += "\\r";
    else if (c == '\\')
      text += "\\\\";
    else if (text.empty() && (c == ' ' || c == '\t'))
      text += c == ' ' ? "\\s" : "\\t";
    else
      text += c;
  }
  return text;
}

void append_tables(const Program& program, fmt::memory_buffer& out) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, "devices {}\n", program.device_count());
  for (std::size_t s = 0; s < program.stage_names().size(); ++s)
    fmt::format_to(to, "stage {} {}\n", s, escape(program.stage_names()[s]));
  for (std::size_t g = 0; g < program.groups().size(); ++g) {
    fmt::format_to(to, "group {}", g);
    for (const DeviceId device : program.groups()[g].devices)
      fmt::format_to(to, " d{}", device.value);
    fmt::format_to(to, "\n");
  }
  for (std::size_t p = 0; p < program.payloads().size(); ++p) {
    fmt::format_to(to, "payload {}", p);
    for (const PayloadPart& part : program.payloads()[p])
      fmt::format_to(to, " t{}{}", part.tensor.value, to_text(part.samples));
    fmt::format_to(to, "\n");
  }
}

void append_instruction(const Program& program, InstructionId id, fmt::memory_buffer& out) {
  const Instruction& i = program.at(id);
  auto to = std::back_inserter(out);
  fmt::format_to(to, "{} d{} {}: {}", id.value, i.device.value,
                 to_text(program.lanes()[i.lane.index()]), to_text(i));
  if (i.group.valid()) fmt::format_to(to, " group {}", i.group.value);
  if (!is_compute(i.kind)) fmt::format_to(to, " bytes {}", i.bytes.count);
  if (!is_compute(i.kind) && i.element_bytes != 4)
    fmt::format_to(to, " element {}", i.element_bytes);
  if (i.payload.valid()) fmt::format_to(to, " payload {}", i.payload.value);
  if (i.duration.count() != 0) fmt::format_to(to, " time {}", to_exact_text(i.duration));
  if (!program.waits_on(id).empty()) fmt::format_to(to, " after");
  for (const InstructionId wait : program.waits_on(id)) fmt::format_to(to, " {}", wait.value);
  fmt::format_to(to, "\n");
}

}  // namespace

std::string to_text(const Instruction& i) {
  switch (i.kind) {
    case InstructionKind::Send:
    case InstructionKind::Recv: {
      const bool sends = i.kind == InstructionKind::Send;
      return fmt::format("{} {}{}{}{}d{}", to_text(i.kind), i.gradients ? 'B' : 'F', i.stage.value,
                         to_text(i.samples), sends ? '>' : '<', i.peer.value);
    }
    case InstructionKind::AllReduce:
    case InstructionKind::Optimizer:
      return fmt::format("{} {}", to_text(i.kind), stage_token(i.stage));
    default:
      return fmt::format("{}{}{}", pass_letter(i.kind), i.stage.value, to_text(i.samples));
  }
}

std::string to_text(const Program& program) {
  fmt::memory_buffer out;
  append_tables(program, out);
  for (std::size_t i = 0; i < program.size(); ++i)
    append_instruction(program, make_id<InstructionId>(i), out);
  return fmt::to_string(out);
}

}  // namespace pipegraph
