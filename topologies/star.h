// One perfect switch: ports are limited by their own cables only.
#pragma once

#include "topologies/fabric.h"

namespace pipegraph {

class Star : public Fabric {
 public:
  explicit Star(std::int64_t ports) : ports_(ports) {}
  std::int64_t ports() const override { return ports_; }
  std::int64_t link_count() const override { return 0; }
  std::vector<Link> links() const override { return {}; }
  std::string switch_of(std::int64_t /*port*/) const override { return "switch"; }
  std::vector<std::int64_t> route(std::int64_t /*from*/, std::int64_t /*to*/) const override {
    return {};
  }

 private:
  std::int64_t ports_;
};

}  // namespace pipegraph
