#include "core/stage/task.h"

#include <fmt/format.h>

namespace pipegraph {

std::string to_text(const Task& task) {
  return fmt::format("{}{}{}", to_letter(task.pass), task.stage.value, to_text(task.samples));
}

}  // namespace pipegraph
