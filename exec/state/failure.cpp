#include "exec/state/failure.h"

#include <utility>

#include "core/base/errors.h"

namespace pipegraph {

bool Failure::report(Fault fault) noexcept {
  const std::lock_guard lock(mutex_);
  if (first_) return false;
  first_ = std::move(fault);
  happened_.store(true, std::memory_order_release);
  return true;
}

Fault Failure::first() const {
  const std::lock_guard lock(mutex_);
  check(first_.has_value(), "a failure has happened");
  return *first_;
}

}  // namespace pipegraph
