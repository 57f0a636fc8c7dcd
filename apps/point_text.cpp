#include "apps/point_text.h"

#include <fmt/format.h>

#include <filesystem>
#include <variant>

#include "core/base/overloaded.h"

namespace pipegraph {
namespace {

std::string value_text(const PointValue& value) {
  return std::visit(Overloaded{[](const std::string& text) { return text; },
                               [](bool flag) { return std::string(flag ? "true" : "false"); },
                               [](auto number) { return fmt::format("{}", number); }},
                    value);
}

std::string value_text(const std::string& key, const PointValue& value) {
  const std::string text = value_text(value);
  return key.ends_with("file") ? std::filesystem::path(text).filename().string() : text;
}

}  // namespace

std::vector<std::string> point_values(const PointResult& point) {
  std::vector<std::string> values;
  for (const auto& [key, value] : point.point) values.push_back(value_text(key, value));
  return values;
}

std::string point_name(const PointResult& point) {
  std::string name;
  for (const auto& [key, value] : point.point)
    name += fmt::format("{}{}={}", name.empty() ? "" : ", ", key, value_text(key, value));
  return name;
}

void PointNotes::add(const std::string& note, const PointResult& point) {
  std::vector<std::string>& made_at = points_[note];
  std::string name = point_name(point);
  if (made_at.empty() || made_at.back() != name) made_at.push_back(std::move(name));
}

std::vector<std::string> PointNotes::texts(std::size_t points) const {
  std::vector<std::string> texts;
  for (const auto& [note, made_at] : points_) {
    texts.push_back(note);
    if (made_at.size() == points) continue;
    texts.back() += fmt::format(" ({}", made_at.front());
    if (made_at.size() > 1)
      texts.back() +=
          fmt::format(" and {} other point{}", made_at.size() - 1, made_at.size() > 2 ? "s" : "");
    texts.back() += ")";
  }
  return texts;
}

}  // namespace pipegraph
