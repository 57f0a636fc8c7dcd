// CUPTI, which records what GPUs do. The library is loaded when it is asked for: the backend runs
// where it is missing, or where the driver lets nobody look. Every call goes through a macro below.
#pragma once

#include <cupti.h>

#include <source_location>
#include <string>

#include "core/base/errors.h"

/// All of CUPTI that is called.
#define PIPEGRAPH_CUPTI_FUNCTIONS(EACH)        \
  EACH(cuptiGetVersion)                        \
  EACH(cuptiGetResultString)                   \
  EACH(cuptiGetTimestamp)                      \
  EACH(cuptiActivityRegisterCallbacks)         \
  EACH(cuptiActivityEnable)                    \
  EACH(cuptiActivityDisable)                   \
  EACH(cuptiActivityFlushAll)                  \
  EACH(cuptiActivityGetNextRecord)             \
  EACH(cuptiActivityGetNumDroppedRecords)      \
  EACH(cuptiActivityPushExternalCorrelationId) \
  EACH(cuptiActivityPopExternalCorrelationId)

namespace pipegraph {

/// Its functions, under their own names.
struct CuptiLibrary {
#define PIPEGRAPH_CUPTI_MEMBER(name) decltype(&::name) name = nullptr;
  PIPEGRAPH_CUPTI_FUNCTIONS(PIPEGRAPH_CUPTI_MEMBER)
#undef PIPEGRAPH_CUPTI_MEMBER
};

/// Loaded at the first call that succeeds. Errors: MachineError, one line.
const CuptiLibrary& cupti();

class CuptiError : public MachineError {
 public:
  CuptiError(const std::string& text, CUptiResult error) : MachineError(text), code_(error) {}
  CUptiResult code() const { return code_; }

 private:
  CUptiResult code_;
};

/// Throws unless the call succeeded. `call` is its text.
void check_cupti(CUptiResult result, const char* call,
                 const std::source_location& at = std::source_location::current());
/// Whether there was another record. Throws if the call failed otherwise.
bool has_more(CUptiResult result, const char* call,
              const std::source_location& at = std::source_location::current());

}  // namespace pipegraph

#define PIPEGRAPH_CUPTI(call) ::pipegraph::check_cupti((call), #call)
#define PIPEGRAPH_CUPTI_MORE(call) ::pipegraph::has_more((call), #call)
