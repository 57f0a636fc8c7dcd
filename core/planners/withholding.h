// A search knows memory by a rule of its own, and the final count may refuse what it proposes. How
// much less memory to offer it next: less by what was lacking, until it finds nothing any more;
// then between that and the most at which its plan did not fit, where other plans may.
#pragma once

#include <optional>

#include "core/base/units.h"

namespace pipegraph {

class Withholding {
 public:
  /// Bytes per device to leave free.
  Bytes next() const { return next_; }
  /// With that much left free there was a plan, which lacked `excess` on some device.
  void lacked(Bytes excess) {
    too_little_ = next_;
    next_ = too_much_ ? middle() : next_ + excess;
  }
  /// With that much left free there was no plan.
  void found_nothing() {
    too_much_ = next_;
    next_ = middle();
  }

 private:
  Bytes middle() const { return {too_little_.count + (too_much_->count - too_little_.count) / 2}; }

  Bytes next_;
  Bytes too_little_;
  std::optional<Bytes> too_much_;
};

}  // namespace pipegraph
