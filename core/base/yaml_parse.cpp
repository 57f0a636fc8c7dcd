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

#include "core/base/text_check.h"
#include "core/base/yaml_node.h"

namespace pipegraph {
namespace {

using Type = YamlValue::Type;
using SharedNode = std::shared_ptr<YamlNode>;

[[noreturn]] void fail_at(const YamlSource& source, int line, int column,
                          const std::string& problem, const std::string& expected) {
  throw ConfigError({.file = source.name, .line = line, .column = column}, problem, expected);
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

/// The text with an end mark: without one, yaml-cpp takes the rest of a text with an open quote
/// for the quoted text.
std::string with_end_mark(std::string_view text) {
  std::string result(text);
  if (!result.ends_with('\n')) result += '\n';
  return result + "...\n";
}

/// The first of `lines` lines that is indented with a tab; 0 if none is.
int line_with_tab(std::string_view text, int lines) {
  for (int line = 1; line <= lines && !text.empty(); ++line) {
    const std::string_view indentation = text.substr(0, text.find_first_not_of(" \t"));
    if (indentation.find('\t') != std::string_view::npos) return line;
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
  return 0;
}

[[noreturn]] void fail_as_yaml(const YAML::Exception& error, std::string_view text,
                               const YamlSource& source) {
  const TextPlace end = place_of(text, text.size());
  const int line = error.mark.is_null() ? end.line : error.mark.line + 1;
  const int column = error.mark.is_null() ? end.column : error.mark.column + 1;
  if (error.msg == YAML::ErrorMsg::DOC_IN_SCALAR || error.msg == YAML::ErrorMsg::EOF_IN_SCALAR)
    fail_at(source, std::min(line, end.line), line > end.line ? end.column : column,
            "a quote is never closed", "the closing quote before the end of the document");
  const int tab = line_with_tab(text, line);
  fail_at(source, std::min(line, end.line), line > end.line ? end.column : column,
          fmt::format("not YAML: {}", error.msg),
          tab == 0 ? "well-formed YAML"
                   : fmt::format("blanks instead of the tab that indents line {}", tab));
}

}  // namespace

std::shared_ptr<const YamlNode> parse_yaml(std::string_view text,
                                           std::shared_ptr<const YamlSource> source) {
  if (text.size() > k_yaml_most_bytes)
    throw ConfigError({.file = source->name}, "is too large",
                      fmt::format("at most {} bytes", k_yaml_most_bytes));
  if (const auto bad = find_bad_byte(text)) {
    const TextPlace place = place_of(text, *bad);
    fail_at(*source, place.line, place.column,
            fmt::format("byte 0x{:02x} is not text", static_cast<unsigned char>(text[*bad])),
            "a UTF-8 text file");
  }
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
