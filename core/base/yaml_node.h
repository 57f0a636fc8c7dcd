// What a YamlValue points to: immutable nodes, shared between edited copies of a document.
// Internal to core/base.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/yaml_reader.h"

namespace pipegraph {

/// Where nodes came from.
struct YamlSource {
  std::string name;              ///< as in messages
  std::filesystem::path folder;  ///< against which relative paths are resolved
};

/// Dotted path from the root, innermost step first. It belongs to the handle, not to the node, so
/// that one node can stand at several places.
struct YamlPath {
  std::shared_ptr<const YamlPath> parent;
  std::string step;  ///< "key" or "[3]"
};

struct YamlNode {
  struct Child {
    std::string key;  ///< of a map; "" in a sequence
    std::shared_ptr<const YamlNode> value;
    std::shared_ptr<const YamlSource> key_source;
    int key_line = 0;
    int key_column = 0;
    /// Path of the map the entry was merged from, when it is not the one it is found in.
    std::shared_ptr<const YamlPath> merged_from;
  };

  YamlValue::Type type = YamlValue::Type::Null;
  bool quoted = false;  ///< a scalar in quotes is a text, never a number
  int line = 0;
  int column = 0;
  std::uint64_t expanded_size = 1;  ///< nodes below and including this, aliases written out
  std::string text;                 ///< of a scalar
  std::vector<Child> children;
  std::shared_ptr<const YamlSource> source;

  const Child* find(std::string_view key) const {
    for (const Child& entry : children)
      if (entry.key == key) return &entry;
    return nullptr;
  }
};

inline constexpr int k_yaml_most_nesting = 64;
inline constexpr std::uint64_t k_yaml_most_bytes = std::uint64_t{64} << 20;
inline constexpr std::uint64_t k_yaml_most_values = 4'000'000;
inline constexpr std::uint64_t k_yaml_most_aliased = 1'000'000;
inline constexpr std::size_t k_yaml_longest_key = 200;

/// The root node of a text. Errors: ConfigError.
std::shared_ptr<const YamlNode> parse_yaml(std::string_view text,
                                           std::shared_ptr<const YamlSource> source);

std::shared_ptr<const YamlPath> yaml_step(std::shared_ptr<const YamlPath> parent, std::string step);

/// "plans[0].planner".
std::string to_text(const YamlPath* path);

/// The YAML text of a node, block style, with a final newline.
std::string to_yaml_text(const YamlNode& node);

}  // namespace pipegraph
