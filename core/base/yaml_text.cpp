// Nodes to YAML: block style, two spaces; short lists of scalars in brackets. Whatever is not
// plainly a word or number is quoted.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/yaml_node.h"
#include "core/base/yaml_scalar.h"

namespace pipegraph {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether a scalar may stand without quotes and still be read as the same scalar.
bool is_safe_plain(std::string_view text) {
  const auto harmless = [](char c) {
    return is_letter(c) || is_digit(c) || std::string_view(" ./+-()*=;").find(c) < 10;
  };
  if (text.empty() || text.back() == ' ') return false;
  const char first = text.front();
  const bool number = first == '-' && text.size() > 1 && (is_digit(text[1]) || text[1] == '.');
  if (!is_letter(first) && !is_digit(first) && first != '.' && first != '/' && !number)
    return false;
  return std::all_of(text.begin(), text.end(), harmless);
}

/// Words YAML readers take for something other than a text.
bool is_special_word(std::string_view text) {
  constexpr std::string_view k_words[] = {"null", "Null", "NULL", "true", "false",
                                          "yes",  "no",   "on",   "off"};
  return std::find(std::begin(k_words), std::end(k_words), text) != std::end(k_words);
}

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += {'\\', c};
    else if (c == '\n')
      result += "\\n";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      result += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    else
      result += c;
  }
  return result + '"';
}

constexpr std::size_t k_longest_in_brackets = 80;

std::optional<std::string> inline_text(const YamlNode& node);

/// "[1, 2]", of scalars or of such lists; nothing if it holds a map or is long.
std::optional<std::string> in_brackets(const YamlNode& list) {
  std::string result = "[";
  for (const YamlNode::Child& entry : list.children) {
    const auto text = inline_text(*entry.value);
    if (!text || entry.value->type == YamlValue::Type::Map) return std::nullopt;
    result += (result.size() > 1 ? ", " : "") + *text;
    if (result.size() > k_longest_in_brackets) return std::nullopt;
  }
  return result + ']';
}

/// The text of a node that fits behind "key: "; nothing for other collections with content.
std::optional<std::string> inline_text(const YamlNode& node) {
  switch (node.type) {
    case YamlValue::Type::Null:
      return "null";
    case YamlValue::Type::Scalar:
      return !node.quoted && is_safe_plain(node.text) ? node.text : in_quotes(node.text);
    case YamlValue::Type::Sequence:
      return in_brackets(node);
    case YamlValue::Type::Map:
      if (node.children.empty()) return "{}";
      break;
  }
  return std::nullopt;
}

void append_collection(std::string& out, const YamlNode& node, std::size_t indent);

/// What follows "key:" or "-", through the end of the line.
void append_value(std::string& out, const YamlNode& node, std::size_t indent) {
  if (const auto text = inline_text(node)) {
    out += ' ' + *text + '\n';
    return;
  }
  out += '\n';
  append_collection(out, node, indent + 2);
}

void append_collection(std::string& out, const YamlNode& node, std::size_t indent) {
  for (const YamlNode::Child& entry : node.children) {
    out.append(indent, ' ');
    out += node.type == YamlValue::Type::Map ? to_yaml_scalar(entry.key) + ':' : "-";
    append_value(out, *entry.value, indent);
  }
}

}  // namespace

std::string to_yaml_scalar(std::string_view text) {
  return is_safe_plain(text) && !is_special_word(text) ? std::string(text) : in_quotes(text);
}

std::string to_yaml_text(const YamlNode& node) {
  if (const auto text = inline_text(node)) return *text + '\n';
  std::string out;
  append_collection(out, node, 0);
  return out;
}

}  // namespace pipegraph
