#include "exec/transport/transport.h"

#include "core/base/errors.h"

namespace pipegraph {

void Transport::add_up(DeviceId /*self*/, const GroupVector& /*vector*/) {
  throw InternalError("this transport carries messages only");
}

}  // namespace pipegraph
