// Sets the stand-in up when the module is loaded, from words of the environment:
//   PIPEGRAPH_CUDA_STAND_IN="gpus=4 pace=lazy nccl=21800 folder=/tmp/x fail=ncclSend:3:2 stop=1"
// `fail`: the nth call of a function from then on returns a code. `stop`: that rank of every
// communicator takes no part.
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/cuda_stand_in/control.h"

namespace pipegraph::cuda_stand_in {
namespace {

struct Asked {
  Settings settings{.devices = 2,
                    .pace = Pace::Eager,
                    .patience = std::chrono::minutes(5)};  // other processes take their time
  struct Fault {
    std::string function;
    int nth = 0, code = 0;
  };
  std::vector<Fault> faults;
  int stopped = -1;
};

void read(const std::string& word, Asked& asked) {
  const std::size_t sign = word.find('=');
  const std::string key = word.substr(0, sign);
  const std::string value = word.substr(sign + 1);
  if (key == "pace") asked.settings.pace = value == "lazy" ? Pace::Lazy : Pace::Eager;
  if (key == "gpus") asked.settings.devices = std::stoi(value);
  if (key == "nccl") asked.settings.nccl_version = std::stoi(value);
  if (key == "folder") asked.settings.shared_folder = value;
  if (key == "stop") asked.stopped = std::stoi(value);
  if (key == "fail") {
    const std::size_t first = value.find(':');
    const std::size_t second = value.find(':', first + 1);
    asked.faults.push_back({value.substr(0, first), std::stoi(value.substr(first + 1)),
                            std::stoi(value.substr(second + 1))});
  }
}

[[maybe_unused]] const bool k_set_up = [] {
  const char* const text = std::getenv("PIPEGRAPH_CUDA_STAND_IN");
  Asked asked;
  std::istringstream words(text == nullptr ? "" : text);
  for (std::string word; words >> word;) read(word, asked);
  reset(asked.settings);
  for (const Asked::Fault& fault : asked.faults) fail_call(fault.function, fault.nth, fault.code);
  if (asked.stopped >= 0) stop_rank(asked.stopped);
  return true;
}();

}  // namespace
}  // namespace pipegraph::cuda_stand_in
