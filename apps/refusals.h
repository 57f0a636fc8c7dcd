// What is impossible at some points of a sweep: told there, while the other points go on. If
// nothing is possible anywhere, the input is bad.
#pragma once

#include <cstddef>
#include <exception>
#include <optional>
#include <string>

#include "core/base/errors.h"

namespace pipegraph {

class Refusals {
 public:
  /// With a single point nothing is left to go on: errors are thrown as they come.
  explicit Refusals(std::size_t points) : points_(points) {}

  /// Why `step` cannot be done: the text of its ConfigError. Nothing if it was done.
  template <class Step>
  std::optional<std::string> reason(const Step& step) {
    try {
      step();
      return std::nullopt;
    } catch (const ConfigError& error) {
      if (points_ == 1) throw;
      if (!first_) first_ = std::current_exception();
      return error.what();
    }
  }

  void something_was_possible() { any_possible_ = true; }

  /// Throws the first refusal unless something was possible.
  void finish() const {
    if (first_ && !any_possible_) std::rethrow_exception(first_);
  }

 private:
  std::size_t points_;
  std::exception_ptr first_;
  bool any_possible_ = false;
};

}  // namespace pipegraph
