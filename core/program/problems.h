// What a validation found wrong: the first twenty, as sentences.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

namespace pipegraph {

class Problems {
 public:
  static constexpr std::size_t k_most = 20;

  template <class... Arguments>
  void add(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    if (!full()) list_.push_back(fmt::format(text, std::forward<Arguments>(arguments)...));
  }
  bool full() const { return list_.size() >= k_most; }
  bool empty() const { return list_.empty(); }
  std::vector<std::string> take() && { return std::move(list_); }

 private:
  std::vector<std::string> list_;
};

}  // namespace pipegraph
