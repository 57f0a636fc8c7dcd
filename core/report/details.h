// details.json: what of a run does not fit a table. docs/file_formats.md describes it.
#pragma once

#include <string>

#include "core/report/run_report.h"

namespace pipegraph {

std::string details_json(const RunReport& report);

}  // namespace pipegraph
