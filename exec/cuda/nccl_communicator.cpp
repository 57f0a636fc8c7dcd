#include "exec/cuda/nccl_communicator.h"

#include <fmt/format.h>
#include <unistd.h>

#include <string_view>

#include "exec/cuda/nccl_transport.h"

namespace pipegraph {

namespace {

constexpr int k_oldest = NCCL_VERSION(2, 19, 0);  // the first that knows all that is configured
constexpr int k_ctas = 4;                         // thread blocks, beside those of computes

std::string version_text(int version) {
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

ncclConfig_t config_of(const std::string& name) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  config.minCTAs = 1;
  config.maxCTAs = k_ctas;
  config.splitShare = 0;
  config.commName = name.c_str();
  return config;
}

}  // namespace

std::string nccl_version() {
  int version = 0;
  PIPEGRAPH_NCCL(ncclGetVersion(&version));
  if (version < k_oldest)
    throw MachineError(fmt::format("NCCL {} is too old: {} or newer is needed",
                                   version_text(version), version_text(k_oldest)));
  return version_text(version);
}

std::string nccl_text() {
  std::string text = fmt::format("NCCL {}, at most {} thread blocks for each communicator",
                                 nccl_version(), k_ctas);
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (std::string_view(*entry).starts_with("NCCL_")) text += fmt::format(", {}", *entry);
  return text;
}

ncclUniqueId make_nccl_id() {
  ncclUniqueId id;
  PIPEGRAPH_NCCL(ncclGetUniqueId(&id));
  return id;
}

NcclCommunicator::NcclCommunicator(const ncclUniqueId& id, const Place& place) : place_(place) {
  ncclConfig_t config = config_of(place_.name);
  try {
    PIPEGRAPH_NCCL(ncclCommInitRankConfig(&handle_, place_.ranks, id, place_.rank, &config));
  } catch (const NcclError&) {
    if (handle_ != nullptr) static_cast<void>(ncclCommAbort(handle_));
    throw;
  }
}

NcclCommunicator::~NcclCommunicator() { static_cast<void>(ncclCommAbort(handle_)); }

bool NcclCommunicator::settled() const {
  ncclResult_t state = ncclSuccess;
  PIPEGRAPH_NCCL(ncclCommGetAsyncError(handle_, &state));
  if (state == ncclInProgress) return false;
  check_nccl_state(state, handle_, place_.name);
  return true;
}

}  // namespace pipegraph
