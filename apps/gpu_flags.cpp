#include "apps/gpu_flags.h"

#include <fmt/format.h>

#include <array>
#include <boost/program_options/value_semantic.hpp>
#include <vector>

#include "core/base/errors.h"
#include "core/base/nearest.h"

namespace pipegraph {

namespace {

namespace po = boost::program_options;

/// Which of some words an option has; nothing if it was not given.
std::optional<std::size_t> choice(const po::variables_map& values, const std::string& name,
                                  const std::vector<std::string>& words) {
  if (values.count(name) == 0) return std::nullopt;
  const auto word = values[name].as<std::string>();
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] == word) return i;
  throw ConfigError({.file = "--" + name}, fmt::format("'{}' is unknown", word),
                    expected_one_of(word, words));
}

}  // namespace

void add_gpu_options(Options& options) {
  options.add()("share-gpus", "cuda: let several devices share a GPU where there are too few");
  options.add()(
      "transport", po::value<std::string>()->value_name("WAY"),
      "cuda: how messages travel between GPUs, copy or nccl (default: nccl between ranks, "
      "copy within one)");
  options.add()("nccl-communicators", po::value<std::string>()->value_name("HOW"),
                "cuda: pairs (default: one for each pair of devices that exchange and each group "
                "that adds up) or one (a single one; everything one after another)");
  options.add()("deterministic", po::value<std::string>()->value_name("yes|no"),
                "cuda: add gradients in a fixed order (default: yes), or let NCCL add them");
  options.add()("attention", po::value<std::string>()->value_name("WHO"),
                "cuda: attention by own (default: our kernels) or cudnn (in bf16 only)");
  options.add()("gpu-times", po::value<std::string>()->value_name("SOURCE"),
                "cuda: where times of instructions in traced steps come from: cupti, events, or "
                "auto, which is CUPTI where it can be had (default: auto; events for what is "
                "measured to be predicted from)");
}

GpuOptions gpu_options(const po::variables_map& values) {
  GpuOptions options;
  if (values.count("share-gpus") > 0) options.sharing = GpuSharing::Allowed;
  if (const auto way = choice(values, "transport", {"copy", "nccl"}))
    options.transport = *way == 0 ? GpuTransport::Copy : GpuTransport::Nccl;
  if (choice(values, "nccl-communicators", {"pairs", "one"}) == 1)
    options.nccl.communicators = NcclCommunicators::One;
  if (const auto source = choice(values, "gpu-times", {"auto", "cupti", "events"}))
    options.times = static_cast<GpuTimeSource>(*source);
  if (choice(values, "deterministic", {"yes", "no"}) == 1) options.nccl.sums = GroupSums::ByNccl;
  if (choice(values, "attention", {"own", "cudnn"}) == 1) options.attention = GpuAttention::Cudnn;
  return options;
}

void refuse_gpu_options(const po::variables_map& values) {
  for (const std::string option : {"share-gpus", "issue", "transport", "nccl-communicators",
                                   "deterministic", "attention", "gpu-times"})
    if (values.count(option) > 0)
      throw ConfigError({.file = "--" + option}, "only the backend 'cuda' has GPUs",
                        "--backend cuda");
}

std::string to_text(const GpuOptions& options) {
  std::string text;
  if (options.transport) text += *options.transport == GpuTransport::Copy ? ", copies" : ", NCCL";
  if (options.nccl.communicators == NcclCommunicators::One) text += ", one communicator";
  if (options.nccl.sums == GroupSums::ByNccl) text += ", sums in NCCL's order";
  if (options.attention == GpuAttention::Cudnn) text += ", attention by cuDNN";
  if (options.times)
    text += std::array{", times by CUPTI if possible", ", times by CUPTI",
                       ", times by events"}[static_cast<std::size_t>(*options.times)];
  return text;
}

}  // namespace pipegraph
