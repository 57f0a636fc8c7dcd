// The timeline as a Chrome/Perfetto trace: pid = device, tid = lane, arrows from send to recv.
#pragma once

#include <filesystem>

#include "core/report/run_report.h"

namespace pipegraph {

/// Times are in microseconds, as the format wants. Shows the report's window and says so in
/// "otherData" and in each device's name.
void write_trace(const std::filesystem::path& path, const RunReport& report);

}  // namespace pipegraph
