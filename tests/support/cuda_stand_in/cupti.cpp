// CUPTI's activity records. The real library fills buffers from threads of its own; here a thread
// that calls hands out what has come together: when it flushes, or pushes a mark while a buffer's
// worth is waiting.
#include <cupti.h>

#include <cstring>
#include <map>
#include <utility>

#include "tests/support/cuda_stand_in/activities.h"
#include "tests/support/cuda_stand_in/call.h"

using namespace pipegraph::cuda_stand_in;

namespace {

constexpr std::size_t k_records_of_a_buffer = 1000;

struct Callbacks {
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
};

/// With the engine's lock held.
Callbacks& callbacks() {
  static Callbacks k_callbacks;
  return k_callbacks;
}

/// A function of CUPTI: `act()` returns its result.
template <class Act>
CUptiResult cupti_call(const char* function, Act act) {
  const Unseen unseen;
  const Engine::Lock lock = engine().lock();
  const std::optional<int> fault = take_call_fault(function);
  return fault ? static_cast<CUptiResult>(*fault) : act();
}

std::optional<ActivityKind> kind_of(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return ActivityKind::Kernel;
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return ActivityKind::Copy;
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return ActivityKind::PeerCopy;
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return ActivityKind::Fill;
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
      return ActivityKind::Mark;
    default:
      return std::nullopt;  // calls themselves have no records here
  }
}

std::size_t size_of(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return sizeof(CUpti_ActivityKernel10);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return sizeof(CUpti_ActivityMemcpy6);
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return sizeof(CUpti_ActivityMemcpyPtoP4);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return sizeof(CUpti_ActivityMemset4);
    default:
      return sizeof(CUpti_ActivityExternalCorrelation);
  }
}

/// Appends to a buffer; false: it is full.
class Buffer {
 public:
  Buffer(std::uint8_t* memory, std::size_t bytes) : memory_(memory), bytes_(bytes) {}
  std::size_t used() const { return used_; }

  bool add(const ActivityRecord& record) {
    switch (record.activity.kind) {
      case ActivityKind::Kernel:
        return add_work<CUpti_ActivityKernel10>(record, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
      case ActivityKind::Copy:
        return add_work<CUpti_ActivityMemcpy6>(record, CUPTI_ACTIVITY_KIND_MEMCPY);
      case ActivityKind::PeerCopy:
        return add_work<CUpti_ActivityMemcpyPtoP4>(record, CUPTI_ACTIVITY_KIND_MEMCPY2);
      case ActivityKind::Fill:
        return add_work<CUpti_ActivityMemset4>(record, CUPTI_ACTIVITY_KIND_MEMSET);
      case ActivityKind::Mark:
        break;
    }
    CUpti_ActivityExternalCorrelation mark{};
    mark.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
    mark.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;
    mark.externalId = record.mark;
    mark.correlationId = record.activity.call;
    return append(mark);
  }

 private:
  template <class Work>
  bool add_work(const ActivityRecord& record, CUpti_ActivityKind kind) {
    Work work{};
    work.kind = kind;
    work.start = record.begin_ns;
    work.end = record.end_ns;
    work.correlationId = record.activity.call;
    return append(work);
  }
  template <class Record>
  bool append(const Record& record) {
    if (used_ + sizeof record > bytes_) return false;
    std::memcpy(memory_ + used_, &record, sizeof record);
    used_ += sizeof record;
    return true;
  }

  std::uint8_t* memory_;
  std::size_t bytes_;
  std::size_t used_ = 0;
};

/// How many of the records from `first` on went into the buffer.
std::size_t fill(Buffer& buffer, const std::vector<ActivityRecord>& records, std::size_t first) {
  const Unseen unseen;
  std::size_t next = first;
  while (next < records.size() && buffer.add(records[next])) ++next;
  return next - first;
}

/// The callbacks are the backend's code: without the lock, and seen by the sanitizer.
void hand_out(const std::vector<ActivityRecord>& records, const Callbacks& to) {
  for (std::size_t done = 0; done < records.size();) {
    std::uint8_t* memory = nullptr;
    std::size_t bytes = 0;
    std::size_t most = 0;
    to.request(&memory, &bytes, &most);
    Buffer buffer(memory, memory == nullptr ? 0 : bytes);
    const std::size_t filled = fill(buffer, records, done);
    if (memory != nullptr) to.complete(nullptr, 0, memory, bytes, buffer.used());
    if (filled == 0) {
      const Unseen unseen;
      const Engine::Lock lock = engine().lock();
      activities().drop(records.size() - done);
      return;
    }
    done += filled;
  }
}

void hand_out_from(std::size_t least) {
  std::vector<ActivityRecord> records;
  Callbacks to;
  {
    const Unseen unseen;
    const Engine::Lock lock = engine().lock();
    if (activities().waiting() < least || callbacks().request == nullptr) return;
    records = activities().take();
    to = callbacks();
  }
  hand_out(records, to);
}

}  // namespace

extern "C" {

CUptiResult cuptiGetVersion(std::uint32_t* version) {
  return cupti_call("cuptiGetVersion", [&] {
    *version = CUPTI_API_VERSION;
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  switch (result) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
      *text = "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES";
      break;
    case CUPTI_ERROR_NOT_INITIALIZED:
      *text = "CUPTI_ERROR_NOT_INITIALIZED";
      break;
    default:
      return CUPTI_ERROR_INVALID_PARAMETER;
  }
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetTimestamp(std::uint64_t* timestamp) {
  return cupti_call("cuptiGetTimestamp", [&] {
    *timestamp = Activities::time_ns(std::chrono::steady_clock::now());
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
  return cupti_call("cuptiActivityRegisterCallbacks", [&] {
    callbacks() = {request, complete};
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  return cupti_call("cuptiActivityEnable", [&] {
    if (const auto known = kind_of(kind)) activities().enable(*known);
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  return cupti_call("cuptiActivityDisable", [&] {
    if (const auto known = kind_of(kind)) activities().disable(*known);
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiActivityFlushAll(std::uint32_t /*flag*/) {
  const CUptiResult result = cupti_call("cuptiActivityFlushAll", [] { return CUPTI_SUCCESS; });
  if (result == CUPTI_SUCCESS) hand_out_from(1);
  return result;
}

CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid,
                                       CUpti_Activity** record) {
  return cupti_call("cuptiActivityGetNextRecord", [&] {
    std::uint8_t* next = buffer;
    if (*record != nullptr)
      next = reinterpret_cast<std::uint8_t*>(*record) + size_of((*record)->kind);
    if (next >= buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = reinterpret_cast<CUpti_Activity*>(next);
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext /*context*/, std::uint32_t /*stream*/,
                                              std::size_t* dropped) {
  return cupti_call("cuptiActivityGetNumDroppedRecords", [&] {
    *dropped = activities().take_dropped();
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind /*kind*/,
                                                   std::uint64_t id) {
  hand_out_from(k_records_of_a_buffer);
  return cupti_call("cuptiActivityPushExternalCorrelationId", [&] {
    Activities::marks().push_back(id);
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind /*kind*/,
                                                  std::uint64_t* last) {
  return cupti_call("cuptiActivityPopExternalCorrelationId", [&] {
    std::vector<std::uint64_t>& marks = Activities::marks();
    if (marks.empty()) return CUPTI_ERROR_QUEUE_EMPTY;
    *last = marks.back();
    marks.pop_back();
    return CUPTI_SUCCESS;
  });
}

}  // extern "C"
