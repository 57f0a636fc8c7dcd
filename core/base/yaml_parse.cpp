// Text to nodes through yaml-cpp's events. Each collection is announced by an event before the
// parser descends into it, so refusing deep nesting there also bounds the parser's own recursion.
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "core/base/yaml_node.h"

namespace pipegraph {
namespace {

using Type = YamlValue::Type;
using SharedNode = std::shared_ptr<YamlNode>;

[[noreturn]] void fail_at(const YamlSource& source, int line, int column,
                          const std::string& problem, const std::string& expected) {
  throw ConfigError({.file = source.name, .line = line, .column = column}, problem, expected);
}

/// A place in a text, from 1.
struct Place {
  int line = 1;
  int column = 1;
};

Place place_of(std::string_view text, std::size_t offset) {
  Place place;
  for (char c : text.substr(0, offset)) {
    ++place.column;
    if (c == '\n') place = {place.line + 1, 1};
  }
  return place;
}

/// Length of the UTF-8 sequence at `offset`; 0 if it is none (overlong, surrogate, cut short).
std::size_t utf8_length(std::string_view text, std::size_t offset) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return offset + i < text.size() ? static_cast<unsigned char>(text[offset + i]) : 0U;
  };
  const auto follows = [&](std::size_t i, unsigned least = 0x80, unsigned most = 0xBF) {
    return byte(i) >= least && byte(i) <= most;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return follows(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const unsigned least = lead == 0xE0 ? 0xA0 : 0x80;
    const unsigned most = lead == 0xED ? 0x9F : 0xBF;
    return follows(1, least, most) && follows(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const unsigned least = lead == 0xF0 ? 0x90 : 0x80;
    const unsigned most = lead == 0xF4 ? 0x8F : 0xBF;
    return follows(1, least, most) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

/// yaml-cpp replaces broken characters in silence, and guesses UTF-16 from zero bytes.
void check_characters(std::string_view text, const YamlSource& source) {
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool control = (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F;
    const std::size_t length = control ? 0 : utf8_length(text, i);
    if (length == 0) {
      const Place place = place_of(text, i);
      fail_at(source, place.line, place.column, fmt::format("byte 0x{:02x} is not text", c),
              "a UTF-8 text file");
    }
    i += length;
  }
}

/// Builds the tree from the parser's events.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::shared_ptr<const YamlSource> source) : source_(std::move(source)) {}

  std::shared_ptr<const YamlNode> root() const { return root_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (root_) fail(mark, "a second document starts here", "one document per file");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (expects_key()) fail(mark, "a key is missing", "a text before ':', or the closing bracket");
    place(new_node(mark, Type::Null), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end() || !found->second)
      fail(mark, "an alias stands inside its own anchor", "an anchor that ends before its alias");
    if (expects_key()) fail(mark, "an alias is used as a key", "a text as key");
    aliased_ += found->second->expanded_size;
    if (aliased_ > k_yaml_most_aliased)
      fail(mark, "the aliases expand to too many values",
           fmt::format("at most {} values", k_yaml_most_aliased));
    append(found->second);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    reject_tag(mark, tag);
    if (expects_key()) {
      take_key(mark, value);
      return;
    }
    SharedNode node = new_node(mark, Type::Scalar);
    node->quoted = tag == "!";
    node->text = value;
    place(node, anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(mark, tag, anchor, Type::Sequence);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(mark, tag, anchor, Type::Map);
  }
  void OnMapEnd() override { close(); }

 private:
  /// A collection whose end has not been seen.
  struct Open {
    SharedNode node;
    YAML::anchor_t anchor = 0;
    bool has_key = false;                            ///< a map's key waits for its value
    std::unordered_map<std::string, int> key_lines;  ///< line of each key, to find duplicates
  };

  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& problem,
                         const std::string& expected) const {
    fail_at(*source_, mark.line + 1, mark.column + 1, problem, expected);
  }

  SharedNode new_node(const YAML::Mark& mark, Type type) {
    if (++values_ > k_yaml_most_values)
      fail(mark, "the file has too many values",
           fmt::format("at most {} values", k_yaml_most_values));
    auto node = std::make_shared<YamlNode>();
    node->type = type;
    node->line = mark.line + 1;
    node->column = mark.column + 1;
    node->source = source_;
    return node;
  }

  void reject_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (!tag.empty() && tag != "?" && tag != "!")
      fail(mark, fmt::format("the tag '{}' is not supported", tag), "a value without a tag");
  }

  bool expects_key() const {
    return !open_.empty() && open_.back().node->type == Type::Map && !open_.back().has_key;
  }

  void take_key(const YAML::Mark& mark, const std::string& key) {
    Open& map = open_.back();
    if (key.size() > k_yaml_longest_key || key.find('\n') != std::string::npos)
      fail(mark, "the key is too long",
           fmt::format("one line of at most {} bytes", k_yaml_longest_key));
    const auto [first, added] = map.key_lines.emplace(key, mark.line + 1);
    if (!added)
      fail(mark, fmt::format("key '{}' is given twice, first on line {}", key, first->second),
           "every key once");
    map.node->children.push_back({.key = key,
                                  .value = nullptr,
                                  .key_source = source_,
                                  .key_line = mark.line + 1,
                                  .key_column = mark.column + 1,
                                  .merged_from = nullptr});
    map.has_key = true;
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, Type type) {
    reject_tag(mark, tag);
    if (expects_key())
      fail(mark, "a list or map is used as a key, or never closed",
           "a text as key, or the closing bracket");
    if (open_.size() >= k_yaml_most_nesting)
      fail(mark, "the values are nested too deeply",
           fmt::format("at most {} levels", k_yaml_most_nesting));
    if (anchor != 0) anchors_[anchor] = nullptr;  // known, but not to be used before it ends
    open_.push_back({.node = new_node(mark, type), .anchor = anchor, .key_lines = {}});
  }

  void close() {
    const Open closed = std::move(open_.back());
    open_.pop_back();
    for (const YamlNode::Child& child : closed.node->children)
      closed.node->expanded_size += child.value->expanded_size;
    place(closed.node, closed.anchor);
  }

  void place(const SharedNode& node, YAML::anchor_t anchor) {
    if (anchor != 0) anchors_[anchor] = node;
    append(node);
  }

  void append(const std::shared_ptr<const YamlNode>& node) {
    if (open_.empty()) {
      root_ = node;
    } else if (open_.back().has_key) {
      open_.back().node->children.back().value = node;
      open_.back().has_key = false;
    } else {
      open_.back().node->children.push_back(
          {.key = {}, .value = node, .key_source = source_, .merged_from = nullptr});
    }
  }

  std::shared_ptr<const YamlSource> source_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, std::shared_ptr<const YamlNode>> anchors_;
  std::shared_ptr<const YamlNode> root_;
  std::uint64_t aliased_ = 0;
  std::uint64_t values_ = 0;
};

/// Whether there is more than comments, directives and document marks.
bool has_content(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with('%') || line.starts_with("...")) continue;
    if (line.starts_with("---")) line.remove_prefix(3);
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first != std::string_view::npos && line[first] != '#') return true;
  }
  return false;
}

/// The text with an end mark: without one, yaml-cpp takes the rest of a text with an open quote
/// for the quoted text.
std::string with_end_mark(std::string_view text) {
  std::string result(text);
  if (!result.ends_with('\n')) result += '\n';
  return result + "...\n";
}

[[noreturn]] void fail_as_yaml(const YAML::Exception& error, std::string_view text,
                               const YamlSource& source) {
  const Place end = place_of(text, text.size());
  const int line = error.mark.is_null() ? end.line : error.mark.line + 1;
  const int column = error.mark.is_null() ? end.column : error.mark.column + 1;
  if (error.msg == YAML::ErrorMsg::DOC_IN_SCALAR || error.msg == YAML::ErrorMsg::EOF_IN_SCALAR)
    fail_at(source, std::min(line, end.line), line > end.line ? end.column : column,
            "a quote is never closed", "the closing quote before the end of the document");
  fail_at(source, std::min(line, end.line), line > end.line ? end.column : column,
          fmt::format("not YAML: {}", error.msg), "well-formed YAML");
}

}  // namespace

std::shared_ptr<const YamlNode> parse_yaml(std::string_view text,
                                           std::shared_ptr<const YamlSource> source) {
  if (text.size() > k_yaml_most_bytes)
    throw ConfigError({.file = source->name}, "is too large",
                      fmt::format("at most {} bytes", k_yaml_most_bytes));
  check_characters(text, *source);
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const auto fail_empty = [&] {
    fail_at(*source, 1, 1, "the file is empty", "a YAML map such as 'name: value'");
  };
  if (!has_content(text)) fail_empty();
  TreeBuilder builder(source);
  try {
    std::istringstream stream(with_end_mark(text));
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    fail_as_yaml(error, text, *source);
  }
  if (!builder.root()) fail_empty();
  return builder.root();
}

}  // namespace pipegraph
