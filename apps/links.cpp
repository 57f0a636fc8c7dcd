// `pipegraph links`: measures the links of this machine's GPUs, as a cluster file and a table.
#include <boost/program_options/value_semantic.hpp>

#include "apps/cuda_module.h"
#include "apps/exit_code.h"
#include "apps/link_texts.h"
#include "apps/output_file.h"
#include "apps/progress.h"
#include "apps/verb.h"

namespace pipegraph {
namespace {

namespace po = boost::program_options;

constexpr int k_most_repetitions = 1'000'000;

Options make_options() {
  Options options(
      {.verb = "links",
       .synopsis = "[-o FILE] [options]",
       .about =
           "Measures how long copies of 64 B to 64 MiB take between the GPUs of this machine, "
           "within them, and between them and the host, one copy at a time. Prints the times, and "
           "writes a cluster file of this machine if asked to. docs/gpu.md says how.",
       .examples = "  pipegraph links -o this_machine.yaml\n"
                   "  pipegraph links --format csv\n"});
  options.add()("output,o", po::value<std::string>()->value_name("FILE"),
                "the cluster file to write");
  options.add()("repetitions", po::value<int>()->default_value(20)->value_name("N"),
                "copies of each size that count, less of large ones, 1 to 1000000");
  add_format(options);
  return options;
}

}  // namespace

int run_links(Arguments arguments, const Console& console) {
  const auto values = make_options().parse(arguments, console);
  if (!values) return ExitDone;
  const OutputFormat format = format_of(*values);
  const auto output = path_of(*values, "output");
  LinkOptions options{.repetitions = (*values)["repetitions"].as<int>()};
  if (options.repetitions < 1 || options.repetitions > k_most_repetitions)
    throw ConfigError({.file = "--repetitions"},
                      fmt::format("{} is out of range", options.repetitions),
                      fmt::format("1 to {}", k_most_repetitions));
  if (output) check_output_file(*output, {});
  const MachineGpus gpus = cuda_module().gpus();
  MachineLinks machine;
  {
    // Each GPU with every GPU, itself included, and with the host both ways.
    const auto count = static_cast<std::size_t>(gpus.count);
    Progress progress(console, 1);
    progress.begin(0, "links");
    auto& done = progress.parts(count * (count + 2));
    options.advanced = [&] { ++done; };
    machine = cuda_module().measure_links(options);
  }
  print_result(console, table_of_links(machine).in(format));
  if (output) {
    write_output_file(*output, cluster_text(machine, gpus));
    print_message(console, fmt::format("cluster: {}\n", *output));
  }
  return ExitDone;
}

}  // namespace pipegraph
