// `pipegraph compare`: two results folders, simulated or measured, side by side.
#include <boost/program_options/value_semantic.hpp>

#include "apps/comparison.h"
#include "apps/exit_code.h"
#include "apps/report_process.h"
#include "apps/verb.h"
#include "core/base/errors.h"

namespace pipegraph {
namespace {

namespace po = boost::program_options;

Options make_options() {
  Options options(
      {.verb = "compare",
       .synopsis = "A B [options]",
       .about =
           "Compares two results folders of simulate or run, the second being what is measured "
           "against: iteration time, throughput, stages, passes, transfers, waiting, and how well "
           "A ranks B's plans. Exit code 1 out of the tolerance or without a verdict.",
       .examples = "  pipegraph compare out/predicted out/measured --tolerance 5\n"
                   "  pipegraph compare out/predicted out/measured --format json\n"
                   "  pipegraph compare out/predicted out/measured --pictures out/pictures\n"});
  options.add_positional("A");
  options.add_positional("B");
  add_tolerance(options);
  options.add()("pictures", po::value<std::string>()->value_name("DIR"),
                "draw both timelines on one clock and predicted against measured times into DIR");
  add_format(options);
  return options;
}

}  // namespace

int run_compare(Arguments arguments, const Console& console) {
  const auto values = make_options().parse(arguments, console);
  if (!values) return ExitDone;
  const OutputFormat format = format_of(*values);
  const auto tolerance = tolerance_of(*values);
  const auto pictures = path_of(*values, "pictures");
  const auto a = (*values)["A"].as<std::string>(), b = (*values)["B"].as<std::string>();
  Comparison comparison = compare_results(load_results(a), load_results(b));
  comparison.tolerance = tolerance;
  print_result(console, comparison_in(format, comparison));
  if (pictures) {
    if (!can_draw_report())
      throw MachineError("no Python can import numpy, matplotlib and jinja2, which draw pictures");
    const int drawn = draw_comparison(a, b, *pictures);
    if (drawn != ExitDone) return drawn;
  }
  return exit_code_of(comparison.verdict());
}

}  // namespace pipegraph
