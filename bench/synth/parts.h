// The parts of `cambium bench synth`. Each adds rows and summary lines to a document
// (docs/schema/bench_synth.json) and prints a row as text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace cambium::bench {

struct SynthBenchOptions {
  std::vector<std::string> parts;  // all if empty
  std::uint64_t seed = 1;
  bool quick = false, json = false;
  // Options of the part that runs with any space.
  std::string space = "coordinate", model = "zoo:resnet18-cifar",
              targets;  // empty: the space's own
};

// Distinct operators against trials, guided by the shape distance.
Status bench_sampling(const SynthBenchOptions& options, nlohmann::json& out);
// How fast primitives are applied and distances computed.
Status bench_speeds(const SynthBenchOptions& options, nlohmann::json& out);
// The first part again, without a guide and with the exact guide.
Status bench_guides(const SynthBenchOptions& options, nlohmann::json& out);
// Time against the maximum size, 4 to 12 primitives.
Status bench_growth(const SynthBenchOptions& options, nlohmann::json& out);
// The canonical rates by size, the duplicates that the rules leave, and the classes that exact
// rules lose.
Status bench_table2(const SynthBenchOptions& options, nlohmann::json& out);
Status bench_duplicates(const SynthBenchOptions& options, nlohmann::json& out);
Status bench_exactness(const SynthBenchOptions& options, nlohmann::json& out);
// How often the semantic fingerprint errs, and how long it takes.
Status bench_fingerprints(const SynthBenchOptions& options, nlohmann::json& out);
// How fast a space proposes edits of a model.
Status bench_proposals(const SynthBenchOptions& options, nlohmann::json& out);

std::string sampling_text(const nlohmann::json& row);
std::string speeds_text(const nlohmann::json& row);
std::string growth_text(const nlohmann::json& row);
std::string table2_text(const nlohmann::json& row);
std::string duplicates_text(const nlohmann::json& row);
std::string exactness_text(const nlohmann::json& row);
std::string fingerprints_text(const nlohmann::json& row);
std::string proposals_text(const nlohmann::json& row);

}  // namespace cambium::bench
