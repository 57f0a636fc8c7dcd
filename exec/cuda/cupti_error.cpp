#include <fmt/format.h>

#include "exec/cuda/cupti_library.h"

namespace pipegraph {

namespace {

/// What to do where it is known.
const char* remedy(CUptiResult result) {
  switch (result) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return ": the driver lets only administrators look";
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
      return ": another tool is looking";
    default:
      return "";
  }
}

std::string name_of(CUptiResult result) {
  const char* name = nullptr;
  const CUptiResult known = cupti().cuptiGetResultString(result, &name);
  return known == CUPTI_SUCCESS ? name : fmt::format("error {}", static_cast<int>(result));
}

}  // namespace

void check_cupti(CUptiResult result, const char* call, const std::source_location& at) {
  if (result == CUPTI_SUCCESS) [[likely]]
    return;
  throw CuptiError(fmt::format("{} failed: {}{} ({}:{})", call, name_of(result), remedy(result),
                               at.file_name(), at.line()),
                   result);
}

bool has_more(CUptiResult result, const char* call, const std::source_location& at) {
  if (result == CUPTI_ERROR_MAX_LIMIT_REACHED) return false;
  check_cupti(result, call, at);
  return true;
}

}  // namespace pipegraph
