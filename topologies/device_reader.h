// Devices of a cluster from YAML: one description for all, and exceptions for some.
#pragma once

#include <vector>

#include "core/base/yaml_reader.h"
#include "core/cluster/device.h"

namespace pipegraph {

/// `{memory, reserved, memory_bandwidth, peak: {fp32, fp32_tensor, tf32, fp16, bf16}, efficiency,
/// launch, multiprocessors, slowdown, overlap}`, all optional; what is absent stays as in `base`.
Device read_device(const YamlValue& value, const Device& base = {});

/// `devices` with the entries of the list `value` applied in order, each `{match: M, ...keys of a
/// device}`. M is an index, a pattern of names ("node1/*", with * and ?), or a list of both. An
/// entry that matches nothing is an error.
std::vector<Device> read_device_overrides(const YamlValue& value, std::vector<Device> devices);

}  // namespace pipegraph
