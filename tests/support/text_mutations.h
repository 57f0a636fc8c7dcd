// Seeded damage to a good text, for tests of readers: whatever comes of it must be read, or refused
// with its place.
#pragma once

#include <algorithm>
#include <random>
#include <span>
#include <string>
#include <string_view>

namespace pipegraph::test {

class TextMutator {
 public:
  /// `tokens`: what matters to the format and is inserted; they must outlive this.
  TextMutator(unsigned seed, std::span<const std::string_view> tokens)
      : random_(seed), tokens_(tokens) {}

  /// One to three edits: a token more, a token in place of some characters, some characters less,
  /// a stretch of the text once more, another character, or an end cut off.
  std::string operator()(std::string text) {
    for (std::size_t edits = 1 + below(3); edits > 0; --edits) edit(text);
    return text;
  }
  std::size_t below(std::size_t n) { return random_() % std::max<std::size_t>(n, 1); }

 private:
  std::string token() { return std::string(tokens_[below(tokens_.size())]); }

  void edit(std::string& text) {
    const std::size_t at = below(text.size() + 1);
    switch (below(16)) {
      case 0:
        text.resize(at);
        break;
      case 1:
        if (at < text.size()) text[at] = static_cast<char>(random_() % 256);
        break;
      case 2:
      case 3:
      case 4:
        if (at < text.size()) text[at] = static_cast<char>(32 + random_() % 95);
        break;
      case 5:
      case 6:
      case 7:
        text.erase(at, 1 + below(8));
        break;
      case 8:
      case 9:
      case 10:
        text.insert(at, text.substr(below(text.size() + 1), below(30)));
        break;
      case 11:
      case 12:
        text.replace(at, std::min(1 + below(4), text.size() - at), token());
        break;
      default:
        text.insert(at, token());
    }
  }

  std::mt19937 random_;
  std::span<const std::string_view> tokens_;
};

}  // namespace pipegraph::test
