// A place in a text that is being parsed, with what every reader of lines needs: words, numbers,
// and errors that name the place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pipegraph {

class TextCursor {
 public:
  TextCursor(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  bool at_end() const { return position_ == text_.size(); }
  /// Line end or end of text; a comment ("# ...") counts as the end of its line.
  bool at_line_end() const;
  void skip_blanks();
  /// Skips what is left of the line, which may only be blanks or a comment, and its line end.
  void end_line();

  /// Whether `text` stands here; then skips it.
  bool take(std::string_view text);
  /// The same for a whole word, followed by a blank, a ':' or the line's end, and the blanks after.
  bool take_word(std::string_view word);
  /// Skips `text`, which must stand here.
  void expect(std::string_view text);
  /// A decimal number in [0, largest], with the blanks after it.
  std::int64_t number(std::int64_t largest, std::string_view what);
  /// Everything up to a blank or the line's end; may be empty. Blanks after it are skipped.
  std::string_view word();
  /// The rest of the line as it is, comments included.
  std::string_view rest_of_line();

  /// Throws ConfigError at the present place.
  [[noreturn]] void fail(const std::string& problem, const std::string& expected) const;
  /// What stands here, for errors: "'abc'" or "the end of the line".
  std::string here() const;

 private:
  char peek() const { return at_end() ? '\n' : text_[position_]; }

  std::string_view text_;
  std::string file_;
  std::size_t position_ = 0;
  std::size_t line_begin_ = 0;
  int line_ = 1;
};

}  // namespace pipegraph
