// A library that is loaded when it is first needed, and not linked: whoever never needs it can do
// without, and nothing of it runs before.
#pragma once

#include <dlfcn.h>
#include <fmt/format.h>

#include <initializer_list>
#include <string>
#include <utility>

#include "core/base/errors.h"

namespace pipegraph {

class SharedLibrary {
 public:
  /// The first of `files` (empty ones aside) that the loader takes; it stays loaded. `remedy`
  /// follows the reason in errors. Errors: MachineError if there is none.
  SharedLibrary(std::string name, std::initializer_list<std::string> files, std::string remedy = "")
      : name_(std::move(name)), remedy_(std::move(remedy)) {
    std::string reason = "nobody knows where it is";
    for (const std::string& file : files) {
      if (file.empty()) continue;
      loaded_ = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (loaded_ != nullptr) return;
      reason = last_error();
    }
    throw MachineError(fmt::format("{} cannot be loaded: {}{}", name_, reason, remedy_));
  }

  /// Errors: MachineError if the library has no such function.
  template <class Function>
  void find(const char* name, Function& function) const {
    function = reinterpret_cast<Function>(::dlsym(loaded_, name));
    if (function == nullptr)
      throw MachineError(
          fmt::format("{} has no function {}: {}{}", name_, name, last_error(), remedy_));
  }

 private:
  static std::string last_error() {
    const char* const error = ::dlerror();
    return error == nullptr ? "unknown" : error;
  }

  std::string name_;
  std::string remedy_;
  void* loaded_ = nullptr;
};

}  // namespace pipegraph
