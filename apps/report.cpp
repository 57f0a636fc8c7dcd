// `pipegraph report`: pictures and page of a results folder.
#include <boost/program_options/value_semantic.hpp>

#include "apps/exit_code.h"
#include "apps/report_process.h"
#include "apps/verb.h"
#include "core/base/errors.h"

namespace pipegraph {

int run_report(Arguments arguments, const Console& console) {
  namespace po = boost::program_options;
  Options options({.verb = "report",
                   .synopsis = "DIR [options]",
                   .about =
                       "Draws the PNG pictures and one self-contained report.html of a results "
                       "folder into it.",
                   .examples = "  pipegraph report out/quickstart\n"
                               "  pipegraph report out/study --points 0,3\n"});
  options.add_positional("DIR");
  options.add()(
      "points", po::value<std::string>()->value_name("LIST"),
      "points of a sweep to show plan by plan, e.g. 0,3 (default: the first and the last)");
  const auto values = options.parse(arguments, console);
  if (!values) return ExitDone;
  if (!can_draw_report())
    throw MachineError(
        "no Python can import numpy, matplotlib and jinja2: install python3-numpy, "
        "python3-matplotlib and python3-jinja2, then build again");
  std::vector<std::string> more;
  if (values->count("points") > 0) more = {"--points", (*values)["points"].as<std::string>()};
  return draw_report((*values)["DIR"].as<std::string>(), more);
}

}  // namespace pipegraph
