#include "exec/cuda/cupti_activity.h"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "exec/cuda/cupti_library.h"

namespace pipegraph {

namespace {

constexpr CUpti_ExternalCorrelationKind k_marks = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;
constexpr std::size_t k_buffer_bytes = std::size_t{1} << 20;

/// Marks come with the records of calls, so these are needed, too.
constexpr std::array k_kinds{CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
                             CUPTI_ACTIVITY_KIND_RUNTIME,
                             CUPTI_ACTIVITY_KIND_DRIVER,
                             CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                             CUPTI_ACTIVITY_KIND_MEMCPY,
                             CUPTI_ACTIVITY_KIND_MEMCPY2,
                             CUPTI_ACTIVITY_KIND_MEMSET};

/// Something that a GPU did, and the call that asked for it.
struct Work {
  std::uint32_t call = 0;
  ActivityInterval interval;
};

using Buffer = std::vector<std::uint64_t>;  // aligned as CUPTI wants it

/// What has been read from CUPTI's buffers. Its threads use it, too.
struct Collected {
  std::mutex mutex;
  std::map<const std::uint8_t*, Buffer> lent;
  std::vector<Buffer> free;
  std::unordered_map<std::uint32_t, std::uint64_t> mark_of_call;
  std::vector<Work> works;
  std::string problem;  ///< of reading; empty: none
};

Collected& collected() {
  // Never destroyed: CUPTI's threads end with the process.
  static Collected& k_collected = *new Collected;
  return k_collected;
}

template <class Record>
Work work_of(const CUpti_Activity* activity) {
  const auto* const record = reinterpret_cast<const Record*>(activity);
  return {record->correlationId, {record->start, record->end}};
}

/// Calls themselves are of no interest.
void read(const CUpti_Activity* activity, Collected& into) {
  switch (activity->kind) {
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
      const auto* const mark = reinterpret_cast<const CUpti_ActivityExternalCorrelation*>(activity);
      if (mark->externalKind == k_marks) into.mark_of_call[mark->correlationId] = mark->externalId;
      return;
    }
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      into.works.push_back(work_of<CUpti_ActivityKernel10>(activity));
      return;
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      into.works.push_back(work_of<CUpti_ActivityMemcpy6>(activity));
      return;
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      into.works.push_back(work_of<CUpti_ActivityMemcpyPtoP4>(activity));
      return;
    case CUPTI_ACTIVITY_KIND_MEMSET:
      into.works.push_back(work_of<CUpti_ActivityMemset4>(activity));
      return;
    default:
      return;
  }
}

void read(std::uint8_t* buffer, std::size_t bytes, Collected& into) {
  CUpti_Activity* record = nullptr;
  while (PIPEGRAPH_CUPTI_MORE(cupti().cuptiActivityGetNextRecord(buffer, bytes, &record)))
    read(record, into);
}

void CUPTIAPI lend(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) {
  Collected& all = collected();
  const std::lock_guard lock(all.mutex);
  Buffer memory(0);
  if (all.free.empty()) {
    memory.resize(k_buffer_bytes / sizeof(std::uint64_t));
  } else {
    memory = std::move(all.free.back());
    all.free.pop_back();
  }
  *buffer = reinterpret_cast<std::uint8_t*>(memory.data());
  *bytes = k_buffer_bytes;
  *most_records = 0;  // as many as there is place for
  all.lent.emplace(*buffer, std::move(memory));
}

/// Called by C code, which knows no exceptions.
void CUPTIAPI take_back(CUcontext /*context*/, std::uint32_t /*stream*/, std::uint8_t* buffer,
                        std::size_t /*bytes*/, std::size_t valid) {
  Collected& all = collected();
  const std::lock_guard lock(all.mutex);
  try {
    if (valid > 0) read(buffer, valid, all);
  } catch (const std::exception& error) {
    if (all.problem.empty()) all.problem = error.what();
  }
  const auto lent = all.lent.find(buffer);
  if (lent == all.lent.end()) return;
  all.free.push_back(std::move(lent->second));
  all.lent.erase(lent);
}

void widen(ActivityInterval& interval, const ActivityInterval& other) {
  interval.begin_ns = std::min(interval.begin_ns, other.begin_ns);
  interval.end_ns = std::max(interval.end_ns, other.end_ns);
}

}  // namespace

CuptiActivity::CuptiActivity() {
  std::uint32_t version = 0;
  PIPEGRAPH_CUPTI(cupti().cuptiGetVersion(&version));
  if (version < CUPTI_API_VERSION)
    throw MachineError("CUPTI " + std::to_string(version) + " is older than the " +
                       std::to_string(CUPTI_API_VERSION) + " that this was built for");
  PIPEGRAPH_CUPTI(cupti().cuptiActivityRegisterCallbacks(lend, take_back));
  enable();
  disable();
}

CuptiActivity::~CuptiActivity() {
  if (!enabled_) return;
  for (const CUpti_ActivityKind kind : k_kinds)
    static_cast<void>(cupti().cuptiActivityDisable(kind));
}

void CuptiActivity::enable() {
  enabled_ = true;
  for (const CUpti_ActivityKind kind : k_kinds) PIPEGRAPH_CUPTI(cupti().cuptiActivityEnable(kind));
  std::size_t dropped = 0;  // what was before counts no more
  PIPEGRAPH_CUPTI(cupti().cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped));
}

void CuptiActivity::disable() {
  for (const CUpti_ActivityKind kind : k_kinds) PIPEGRAPH_CUPTI(cupti().cuptiActivityDisable(kind));
  enabled_ = false;
}

RecordedActivity CuptiActivity::take() {
  // All has ended, so a record that is not complete never will be.
  PIPEGRAPH_CUPTI(cupti().cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
  RecordedActivity recorded;
  PIPEGRAPH_CUPTI(cupti().cuptiActivityGetNumDroppedRecords(nullptr, 0, &recorded.dropped));
  disable();
  Collected& all = collected();
  const std::lock_guard lock(all.mutex);
  for (const Work& work : all.works) {
    const auto mark = all.mark_of_call.find(work.call);
    if (mark == all.mark_of_call.end()) continue;
    if (work.interval.begin_ns == 0 || work.interval.end_ns == 0) {
      ++recorded.unstamped;
      continue;
    }
    const auto [known, fresh] = recorded.by_mark.try_emplace(mark->second, work.interval);
    if (!fresh) widen(known->second, work.interval);
  }
  all.works.clear();
  all.mark_of_call.clear();
  if (const std::string problem = std::exchange(all.problem, {}); !problem.empty())
    throw MachineError(problem);
  return recorded;
}

void CuptiActivity::push(std::uint64_t mark) {
  PIPEGRAPH_CUPTI(cupti().cuptiActivityPushExternalCorrelationId(k_marks, mark));
}

void CuptiActivity::pop() {
  std::uint64_t mark = 0;
  PIPEGRAPH_CUPTI(cupti().cuptiActivityPopExternalCorrelationId(k_marks, &mark));
}

}  // namespace pipegraph
