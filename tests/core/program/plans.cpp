#include "tests/core/program/plans.h"

#include "core/base/errors.h"
#include "core/program/text.h"

namespace pipegraph::test {

std::vector<InstructionId> find(const Program& program, DeviceId device, std::string_view token) {
  std::vector<InstructionId> found;
  for (std::size_t n = 0; n < program.size(); ++n) {
    const Instruction& i = program.instructions()[n];
    if (i.device == device && to_text(i) == token) found.push_back(make_id<InstructionId>(n));
  }
  return found;
}

InstructionId find_one(const Program& program, DeviceId device, std::string_view token) {
  const std::vector<InstructionId> found = find(program, device, token);
  check(found.size() == 1,
        fmt::format("{} of {} on d{}", found.size(), token, device.value).c_str());
  return found.front();
}

std::vector<std::string> waits_of(const Program& program, InstructionId id) {
  std::vector<std::string> texts;
  for (const InstructionId wait : program.waits_on(id)) texts.push_back(to_text(program.at(wait)));
  return texts;
}

}  // namespace pipegraph::test
