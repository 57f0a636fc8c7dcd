// A scenario: what is to be trained, on what, which plans compete, and how they are simulated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/yaml_reader.h"
#include "core/stage/workload.h"

namespace pipegraph {

/// Threads: devices are threads on the cores of one machine (core/run/threads_backend.h).
enum class BackendKind : std::uint8_t { SimGrid, Analytic, Threads };
std::string_view to_text(BackendKind backend);  ///< "simgrid", "analytic", "threads"

/// How SimGrid prices a transfer. Ideal: latency + bytes / fair share of the bandwidth.
enum class NetworkKind : std::uint8_t { Ideal, Lv08, Smpi, Ib };
std::string_view to_text(NetworkKind network);  ///< "ideal", "lv08", "smpi", "ib"

/// Whether routes that share no link with another transfer become timers (Auto) or every transfer
/// goes through SimGrid's network (Full). Both give the same times.
enum class SimulationMode : std::uint8_t { Auto, Full };
std::string_view to_text(SimulationMode mode);  ///< "auto", "full"

struct Simulation {
  BackendKind backend = BackendKind::SimGrid;
  NetworkKind network = NetworkKind::Ideal;
  bool overlap = true;              ///< false: communication blocks every device's compute lane
  std::string collective = "auto";  ///< algorithm of all-reduces
  SimulationMode mode = SimulationMode::Auto;
  std::int32_t cores = 0;      ///< threads: cores that devices are pinned to; 0: one per device
  bool backend_named = false;  ///< else costs that say `overlap: false` choose threads
};

/// Measured costs to plan and simulate with.
struct CostsRequest {
  YamlValue value;           ///< as it was written
  YamlValue file;            ///< a path, of a cost file
  bool extrapolate = false;  ///< beyond the sizes that were measured
  bool any_machine = false;  ///< times of plans count whatever machine they were measured on
};

/// What happens to a plan that does not fit into the devices' memory.
enum class MemoryPolicy : std::uint8_t { Error, Report };

/// One entry of `plans:`. Planner: `value` holds the planner's options (and name). Given: `value`
/// is a plan, in place or of a plan file.
struct PlanRequest {
  enum class Source : std::uint8_t { Planner, Given };
  std::string name;     ///< unique in a scenario
  std::string planner;  ///< "manual" for plans in place
  Source source = Source::Planner;
  YamlValue value;
};

struct Scenario {
  std::string name;
  YamlValue model;    ///< for the reader of models
  YamlValue cluster;  ///< for the reader of clusters
  Training training;
  std::vector<PlanRequest> plans;
  Simulation simulation;
  MemoryPolicy memory = MemoryPolicy::Error;
  std::optional<CostsRequest> costs{};
};

/// Reads a scenario without a sweep (see Sweep), or a plan file as the scenario of this one
/// plan. `name` defaults to the stem of the document's file. Errors: ConfigError.
Scenario read_scenario(const YamlValue& document);

}  // namespace pipegraph
