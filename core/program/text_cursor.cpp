#include "core/program/text_cursor.h"

#include <fmt/format.h>

#include <charconv>

#include "core/base/errors.h"

namespace pipegraph {

namespace {
constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
}  // namespace

bool TextCursor::at_line_end() const { return peek() == '\n' || peek() == '#'; }

void TextCursor::skip_blanks() {
  while (!at_end() && is_blank(peek())) ++position_;
}

void TextCursor::end_line() {
  skip_blanks();
  if (!at_line_end()) fail(fmt::format("{} is left over", here()), "the end of the line");
  while (peek() != '\n') ++position_;
  if (at_end()) return;
  ++position_;
  ++line_;
  line_begin_ = position_;
}

bool TextCursor::take(std::string_view text) {
  if (text_.substr(position_, text.size()) != text) return false;
  position_ += text.size();
  return true;
}

bool TextCursor::take_word(std::string_view word) {
  if (text_.substr(position_, word.size()) != word) return false;
  const std::size_t after = position_ + word.size();
  const char next = after < text_.size() ? text_[after] : '\n';
  if (!is_blank(next) && next != '\n' && next != ':' && next != '#') return false;
  position_ = after;
  skip_blanks();
  return true;
}

void TextCursor::expect(std::string_view text) {
  if (!take(text)) fail(here(), fmt::format("'{}'", text));
}

std::int64_t TextCursor::number(std::int64_t largest, std::string_view what) {
  std::int64_t value = 0;
  const char* begin = text_.data() + position_;
  const char* end = text_.data() + text_.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc{} || value < 0 || value > largest)
    fail(here(), fmt::format("{}, a number from 0 to {}", what, largest));
  position_ += static_cast<std::size_t>(stop - begin);
  skip_blanks();
  return value;
}

std::string_view TextCursor::word() {
  const std::size_t begin = position_;
  while (!is_blank(peek()) && peek() != '\n') ++position_;
  const std::string_view result = text_.substr(begin, position_ - begin);
  skip_blanks();
  return result;
}

std::string_view TextCursor::rest_of_line() {
  const std::size_t begin = position_;
  while (peek() != '\n') ++position_;
  return text_.substr(begin, position_ - begin);
}

std::string TextCursor::here() const {
  std::size_t end = position_;
  while (end < text_.size() && !is_blank(text_[end]) && text_[end] != '\n') ++end;
  if (end == position_) return "the line ends here";
  return fmt::format("'{}'", text_.substr(position_, std::min<std::size_t>(end - position_, 40)));
}

void TextCursor::fail(const std::string& problem, const std::string& expected) const {
  throw ConfigError({file_, line_, static_cast<int>(position_ - line_begin_) + 1, {}}, problem,
                    expected);
}

}  // namespace pipegraph
