// YAML where every value knows its place: typed access, units, unknown keys rejected with the
// nearest valid one, duplicate keys rejected. Nothing outside this file sees yaml-cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/errors.h"
#include "core/base/units.h"

namespace pipegraph {

struct YamlNode;  // internal to core/base
struct YamlPath;

/// A node of a YAML document. Cheap to copy; keeps its document alive. Every `as_...` throws
/// ConfigError at the node's position when the value has another type or is impossible.
class YamlValue {
 public:
  enum class Type : std::uint8_t { Null, Scalar, Sequence, Map };

  /// Reads a whole file: one document, no duplicate keys, no unknown tags, nesting at most 64, at
  /// most 64 MiB and 4 M values, UTF-8. Aliases are allowed where their expansion stays below 1 M
  /// values; they keep the line of their anchor and get the dotted path of the alias.
  /// Errors: ConfigError (missing file, broken YAML, several documents, empty file).
  static YamlValue load(const std::filesystem::path& file);
  /// The same from a text; `name` stands for the file in messages.
  static YamlValue parse(std::string_view text, const std::string& name);

  Type type() const;
  bool is_map() const { return type() == Type::Map; }
  bool is_sequence() const { return type() == Type::Sequence; }
  bool is_scalar() const { return type() == Type::Scalar; }
  /// File, line, column and dotted path of this node.
  SourcePosition position() const;
  /// The same of a key of this map, for errors about the key itself.
  SourcePosition key_position(std::string_view key) const;
  /// The file's folder, against which relative paths in it are resolved.
  std::filesystem::path folder() const;

  std::string as_string() const;
  bool as_bool() const;
  double as_double() const;  ///< finite
  std::int64_t as_integer() const;
  /// An integer within [least, most]; the error names the bounds.
  std::int64_t as_integer(std::int64_t least, std::int64_t most) const;
  Seconds as_seconds() const;
  Bytes as_bytes() const;
  BytesPerSecond as_bytes_per_second() const;
  Flops as_flops() const;
  FlopsPerSecond as_flops_per_second() const;
  /// A path, resolved against the folder of the file in which it stands.
  std::filesystem::path as_path() const;
  /// The document of the file at as_path(). Errors: as load; a missing file at this value's place.
  YamlValue load_named() const;
  /// One of `names`; returns its index.
  std::size_t as_choice(std::span<const std::string> names) const;

  /// Elements of a sequence.
  std::vector<YamlValue> items() const;
  /// Keys of a map in file order, and the value of one (nullopt if absent).
  std::vector<std::string> keys() const;
  std::optional<YamlValue> find(std::string_view key) const;

  /// Throws a ConfigError at this node.
  [[noreturn]] void fail(const std::string& problem, const std::string& expected) const;

  /// This document with the node at a dotted path ("training.mini_batch", "plans[0].planner")
  /// replaced by (or, for a new key of a map, extended with) the YAML text `value`. The new node's
  /// position names `origin`, e.g. "--set training.mini_batch". Missing maps on the way are made;
  /// missing list entries are errors. Inside a map with `file: F` and no such key of its own, the
  /// rest of the path is kept as one key ("nics.bandwidth"), for merged_with. Call it on the root.
  /// Errors: ConfigError naming `origin` if the path leads nowhere or `value` is not YAML.
  YamlValue with(std::string_view path, std::string_view value, const std::string& origin) const;
  /// The same with a value of another document, which keeps its position and its folder.
  YamlValue with(std::string_view path, const YamlValue& value, const std::string& origin) const;
  /// A copy of this map with the keys of `over` replacing or joining its own (not recursive). Keys
  /// with dots are paths: of what they lead to that one value is replaced. Nodes keep the positions
  /// and dotted paths they came with.
  YamlValue merged_with(const YamlValue& over) const;
  /// A copy of this map without one key.
  YamlValue without(std::string_view key) const;

  /// The YAML text of this node, block style, two spaces, keys in file order; short lists of
  /// scalars in brackets; comments are lost.
  std::string to_yaml_text() const;

 private:
  YamlValue(std::shared_ptr<const YamlNode> node, std::shared_ptr<const YamlPath> path);
  YamlValue child(std::shared_ptr<const YamlNode> node, std::string step) const;
  [[noreturn]] void fail_type(const std::string& expected) const;
  const std::string& plain_text(const std::string& expected) const;

  std::shared_ptr<const YamlNode> node_;
  std::shared_ptr<const YamlPath> path_;  ///< null at the root
};

/// Reads a map key by key and, at finish(), rejects every key nobody asked for.
class MapReader {
 public:
  /// `value` must be a map; `what` names it in errors, e.g. "a cluster".
  MapReader(const YamlValue& value, std::string what);

  std::optional<YamlValue> optional(const std::string& key);
  /// Throws "missing key" at the map's position unless present.
  YamlValue required(const std::string& key);
  bool has(const std::string& key) const;

  /// Throws at the first unknown key, suggesting the nearest of those asked for.
  void finish() const;
  const YamlValue& value() const { return value_; }

 private:
  YamlValue value_;
  std::string what_;
  std::vector<std::string> asked_;
};

}  // namespace pipegraph
