// The CSV files of a plan's folder. docs/file_formats.md describes each.
#pragma once

#include <filesystem>

#include "core/report/run_report.h"

namespace pipegraph {

/// Window: what pictures show. Full: every instruction, whatever their number.
enum class TimelineRows : std::uint8_t { Window, Full };

void write_timeline_csv(const std::filesystem::path& path, const RunReport& report,
                        TimelineRows rows);
void write_memory_csv(const std::filesystem::path& path, const RunReport& report);
void write_stages_csv(const std::filesystem::path& path, const RunReport& report);
void write_stage_edges_csv(const std::filesystem::path& path, const RunReport& report);
void write_links_csv(const std::filesystem::path& path, const RunReport& report);
void write_critical_path_csv(const std::filesystem::path& path, const RunReport& report);

}  // namespace pipegraph
