#include <string>

#include "core/report/csv.h"
#include "core/report/tables.h"

namespace pipegraph {

void write_timeline_csv(const std::filesystem::path& path, const RunReport& report,
                        TimelineRows rows) {
  const Program& program = report.run.program;
  const Timeline& timeline = report.run.timeline;
  std::vector<std::string> lanes;
  for (const Lane& lane : program.lanes()) lanes.push_back(to_text(lane));
  const bool all = rows == TimelineRows::Full || !report.window;
  CsvWriter csv(path,
                "instruction,device,lane,kind,stage,peer,first_sample,last_sample,ready_s,start_s,"
                "end_s,bytes");
  for (std::size_t i = 0; i < program.size(); ++i) {
    const auto id = make_id<InstructionId>(i);
    if (!all && !report.window->shows(id, timeline.start[i])) continue;
    const Instruction& instruction = program.at(id);
    csv << id << instruction.device << std::string_view(lanes[instruction.lane.index()])
        << to_text(instruction.kind) << instruction.stage << instruction.peer;
    if (is_pass(instruction.kind) || is_transfer(instruction.kind))
      csv << instruction.samples.first << instruction.samples.last;
    else
      csv.skip().skip();
    csv << timeline.ready[i] << timeline.start[i] << timeline.end[i];
    is_compute(instruction.kind) ? csv.skip() : csv << instruction.bytes;
    csv.end_row();
  }
  csv.commit();
}

}  // namespace pipegraph
