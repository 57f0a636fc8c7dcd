// What of cuDNN is left over.
#pragma once

#include <string>
#include <vector>

namespace pipegraph::cuda_stand_in {

/// A line for handles and one for descriptors, if there are any; forgets them.
std::vector<std::string> forget_cudnn();

}  // namespace pipegraph::cuda_stand_in
