#include "models/family.h"

#include <fmt/format.h>

#include "core/base/errors.h"

namespace pipegraph {

std::string FamilyParameter::fallback_text() const {
  if (is_choice()) return choices[static_cast<std::size_t>(fallback)];
  return fmt::format("{}", fallback);
}

FamilyParameter count_parameter(std::string name, std::int64_t fallback, std::string meaning) {
  return {.name = std::move(name), .meaning = std::move(meaning), .fallback = fallback};
}

FamilyParameter optional_count_parameter(std::string name, std::string meaning) {
  return {.name = std::move(name), .meaning = std::move(meaning), .fallback = 0, .least = 0};
}

FamilyParameter flag_parameter(std::string name, std::string meaning) {
  return choice_parameter(std::move(name), {"false", "true"}, std::move(meaning));
}

FamilyParameter choice_parameter(std::string name, std::vector<std::string> choices,
                                 std::string meaning) {
  const auto last = static_cast<std::int64_t>(choices.size()) - 1;
  return {.name = std::move(name),
          .meaning = std::move(meaning),
          .fallback = 0,
          .least = 0,
          .most = last,
          .choices = std::move(choices)};
}

std::int64_t FamilyArguments::at(std::string_view parameter) const {
  const auto found = values_.find(parameter);
  check(found != values_.end(), "a family reads a parameter that it does not declare");
  return found->second;
}

}  // namespace pipegraph
