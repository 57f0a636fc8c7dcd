#include <fmt/format.h>

#include "core/program/text.h"
#include "exec/transport/transport.h"

namespace pipegraph {
namespace {

std::string end_of(const Program& program, InstructionId id) {
  const Instruction& instruction = program.at(id);
  return fmt::format("#{} {} on d{}", id.value, to_text(instruction), instruction.device.value);
}

}  // namespace

std::string size_mismatch(const Program& program, const MessageHalf& sent,
                          const MessageHalf& expected) {
  return fmt::format(
      "a message has the wrong size: {} sends {} bytes in elements of {}, {} expects {} bytes in "
      "elements of {}",
      end_of(program, sent.instruction), sent.bytes.count, sent.element_bytes,
      end_of(program, expected.instruction), expected.bytes.count, expected.element_bytes);
}

}  // namespace pipegraph
