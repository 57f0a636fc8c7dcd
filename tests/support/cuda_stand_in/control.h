// How tests steer the stand-in and learn what it found. The stand-in behaves as CUDA may at its
// worst, and is strict where CUDA is lenient: what a correct program never does is a finding.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace pipegraph::cuda_stand_in {

/// Lazy: operations run only inside host calls that wait or ask, as late as possible. Eager: worker
/// threads run them at once.
enum class Pace : std::uint8_t { Lazy, Eager };

struct Settings {
  int devices = 2;
  Pace pace = Pace::Lazy;
  std::uint64_t seed = 1;                           ///< which of several ready streams goes next
  int workers = 2;                                  ///< eager: threads
  std::size_t memory_bytes = std::size_t{1} << 30;  ///< of each device
  std::size_t eager_limit_bytes = 0;  ///< sends up to this size complete before they are received
  /// A host that waits this long while nothing moves anywhere is deadlocked.
  std::chrono::milliseconds patience{5000};
  bool peer_access = true;           ///< devices may be given access to each other's memory
  int driver_version = 13000;        ///< 0: no driver
  int nccl_version = 0;              ///< 0: that of the headers
  std::size_t activity_records = 0;  ///< more wait in no buffer of CUPTI's; 0: any number
  /// Where communicators of several processes meet; empty: they are of this process.
  std::string shared_folder;
};

/// Ends the workers, forgets everything and starts afresh. What was left over (streams, events,
/// communicators, device memory) is returned, one line each; nothing if all was released.
std::vector<std::string> reset(const Settings& settings = {});

/// What a correct program never does, in the order found; empties the list.
std::vector<std::string> take_findings();

/// The `nth` call (from 1) of an API function from now on returns `code` instead of acting, or
/// never returns if that is k_hangs.
void fail_call(const std::string& function, int nth, int code);
inline constexpr int k_hangs = -1;
/// Calls of an API function from now on return success without acting, as if a program had
/// forgotten them.
void forget_calls(const std::string& function);
/// The `nth` operation (from 1) whose label contains `label` fails on the device: an error that
/// stays and that later calls report.
void fail_operation(const std::string& label, int nth);
/// This rank of every communicator stops taking part, as if its process were stopped.
void stop_rank(int rank);
/// Communicators that exist have failed: an error (a ncclResult_t) that stays and that they tell
/// when asked.
void fail_communicators(int code);

/// Every stream with its current operation and what that waits for.
std::string state();

/// Puts a kernel on a stream; it runs on the host when the stream gets there.
cudaError_t launch(cudaStream_t stream, const std::string& label, std::function<void()> body);

/// Device pointers cannot be dereferenced on the host; this is where the bytes really lie.
template <class T>
T* host_view(T* device_pointer) {
  constexpr std::uintptr_t k_address = (std::uintptr_t{1} << 56) - 1;
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(device_pointer) & k_address);
}

/// Bytes of device memory in use.
std::size_t bytes_in_use(int device);

}  // namespace pipegraph::cuda_stand_in
